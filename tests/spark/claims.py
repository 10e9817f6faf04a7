"""A register of what a page of the documentation claims, and of the test that holds each claim.

A page is cut at its headings. For each section the register lists claims in short, each with the tests that hold it. A
table's rows are claims by their first cell. Prose may change its words; each code span in it must appear in a claim, so
that a new option, setting or statement needs a claim, and so a test.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from dev_tools import ROOT

CODE_SPAN = re.compile(r"(`+)(.+?)\1", re.DOTALL)


@dataclass(frozen=True)
class Claim:
    """A claim of the page, and its tests: `test_module::test_name` or `ScalaSuite: name of the test`."""

    text: str
    tests: tuple[str, ...]

    def __init__(self, text: str, *tests: str) -> None:
        object.__setattr__(self, "text", text)
        object.__setattr__(self, "tests", tests)


@dataclass(frozen=True)
class Section:
    """Claims of the prose of a section, and of the rows of its tables.

    `whole` is a test that compares all rows of the section's tables with its own cases. `examples` are code spans that
    are no claims: names of files, and of tables in examples.
    """

    prose: list[Claim] = field(default_factory=list)
    rows: dict[str, tuple[str, ...]] = field(default_factory=dict)
    whole: str | None = None
    examples: frozenset[str] = frozenset()


def problems(page: str, register: dict[str, Section]) -> list[str]:
    """Returns the claims that the register lacks, and those that the page does not have."""
    found = sections(page)
    differ = [f"{page}: no such section: {name}" for name in register if name not in found]
    differ += [f"{page}: a section without claims: {name}" for name in found if name not in register]
    for name in register.keys() & found.keys():
        differ += [f"{page}, {name}: {problem}" for problem in _of_section(found[name], register[name])]
    return differ


def missing_tests(register: dict[str, Section]) -> list[str]:
    """Returns the tests that claims name and that do not exist."""
    return sorted(test for section in register.values() for test in _tests(section) if not exists(test))


def sections(page: str) -> dict[str, str]:
    """The text under each heading, without blocks of code."""
    text = re.sub(r"^```.*?^```$", "", (ROOT / "docs" / page).read_text(), flags=re.MULTILINE | re.DOTALL)
    parts = re.split(r"^#+ (.+)$", text, flags=re.MULTILINE)
    return {heading: body.strip() for heading, body in zip(parts[1::2], parts[2::2], strict=True) if body.strip()}


def rows(text: str) -> list[str]:
    """The first cells of the tables' rows, as they are written."""
    lines = [line for line in text.splitlines() if line.startswith("|")]
    heads = {i - 1 for i, line in enumerate(lines) if re.fullmatch(r"[|\-: ]+", line)}
    kept = [line for i, line in enumerate(lines) if i not in heads and i - 1 not in heads]
    return [line.split(" | ")[0].removeprefix("|").strip() for line in kept]


def spans(text: str) -> set[str]:
    """The code spans of the prose."""
    prose = "\n".join(line for line in text.splitlines() if not line.startswith("|"))
    return {re.sub(r"\s+", " ", match[2]).strip() for match in CODE_SPAN.finditer(prose)}


@cache
def exists(test: str) -> bool:
    """Whether there is such a test."""
    if "::" in test:
        module, name = test.split("::")
        return any(f"\ndef {name}(" in "\n" + file.read_text() for file in (ROOT / "tests").rglob(f"{module}.py"))
    suite, name = test.split(": ", 1)
    return any(f'test("{name}' in file.read_text() for file in _suites(suite))


def _suites(name: str) -> Iterator[Path]:
    return (file for file in (ROOT / "jvm").rglob(f"{name}.scala") if "target" not in file.parts)


def _of_section(text: str, section: Section) -> list[str]:
    shown = rows(text)
    known = section.rows.keys()
    claimed = " ".join(claim.text for claim in section.prose)
    differ = [f"a row without a test: {row}" for row in shown if not section.whole and row not in known]
    differ += [f"no such row: {row}" for row in known if row not in shown]
    named = {re.sub(r"\s+", " ", match[2]).strip() for match in CODE_SPAN.finditer(claimed)}
    differ += [f"prose without a claim: {span}" for span in sorted(spans(text) - named - section.examples)]
    has_prose = any(line.strip() and not line.startswith("|") for line in text.splitlines())
    if has_prose and not section.prose:
        differ.append("prose without a claim")
    differ += [f"a claim without a test: {claim.text}" for claim in section.prose if not claim.tests]
    differ += [f"a row without a test: {row}" for row, tests in section.rows.items() if not tests]
    return differ


def _tests(section: Section) -> Iterator[str]:
    for claim in section.prose:
        yield from claim.tests
    for tests in section.rows.values():
        yield from tests
    if section.whole:
        yield section.whole
