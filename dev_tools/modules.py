"""The modules of the build, and which of them each uses: `dependsOn` in build.sbt."""

import re
from functools import cache

from dev_tools import ROOT

#: The module of which the jar is made, with all below it.
TOP = "spark"
PROJECT = re.compile(r"^lazy val (\w+) = (.*?)(?=^\S*(?:lazy )?val |^/\*\*|\Z)", re.MULTILINE | re.DOTALL)


@cache
def graph() -> dict[str, frozenset[str]]:
    """Returns the modules that each module uses, without those that these use."""
    projects = PROJECT.findall((ROOT / "build.sbt").read_text())
    names = {name for name, _ in projects}
    used = {name: "".join(re.findall(r"\.dependsOn\(([^)]*)\)", text)) for name, text in projects}
    return {name: frozenset(re.findall(r"\w+", text)) & names for name, text in used.items()}


def below(module: str) -> list[str]:
    """Returns a module and all that it uses, directly or not."""
    found = {module}
    while more := {used for name in found for used in graph()[name]} - found:
        found |= more
    return sorted(found)


def above(modules: set[str]) -> set[str]:
    """Returns these modules and all that use one of them, directly or not."""
    return {name for name in graph() if not modules.isdisjoint(below(name))}
