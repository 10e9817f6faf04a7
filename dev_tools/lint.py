"""Checks and makes format, style and types of Python, and checks prose and the size of the documentation."""

from dev_tools import ROOT, census, prose, scala_lint, unwrap, words
from dev_tools.processes import python

SOURCES = ["python", "dev_tools", "tests", "examples", "benchmarks"]


def check() -> int:
    return (
        python("-m", "ruff", "check", *sources())
        or python("-m", "ruff", "format", "--check", *sources())
        or python("-m", "mypy")
        or unwrap.check()
        or scala_lint.check()
        or census.check()
        or prose.run([])
        or words.check()
    )


def fix() -> int:
    return (
        python("-m", "ruff", "check", "--select", "I", "--fix", *sources())
        or python("-m", "ruff", "format", *sources())
        or unwrap.join()
    )


def sources() -> list[str]:
    return [name for name in SOURCES if (ROOT / name).exists()]
