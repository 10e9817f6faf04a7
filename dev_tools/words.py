"""Limits the words of the documentation: of each page in docs/, of its paragraphs, and of all pages together.

`./dev lint` fails above a limit; `python -m dev_tools.words` prints the pages by size. Words are counted as `wc -w`
counts them, in tables and blocks of code, too.
"""

import sys
from pathlib import Path

from dev_tools import ROOT

DOCS = ROOT / "docs"

#: Words of all pages. An issue raises this by 1,500 at most.
ALL = 42_590
PAGE = 1_200
#: Words of a paragraph or an item of a list. Each is one line.
PARAGRAPH = 90
#: Pages above the limit of a page, with their sizes. Numbers only go down, and a page that fits leaves the list.
LONGER: dict[str, int] = {}


def sizes() -> dict[str, int]:
    """Returns the number of words of each page, by its path below docs/, largest first."""
    found = {str(path.relative_to(DOCS)): words(path) for path in DOCS.rglob("*.md")}
    return dict(sorted(found.items(), key=lambda page: (-page[1], page[0])))


def words(path: Path) -> int:
    return len(path.read_text().split())


def paragraphs(path: Path) -> dict[int, int]:
    """Returns the number of words of each paragraph, by its line. Tables and blocks of code are none."""
    found, inside = {}, False
    for number, line in enumerate(path.read_text().splitlines(), 1):
        inside ^= line.startswith("```")
        if not inside and not line.startswith(("|", "```")):
            found[number] = len(line.split())
    return found


def problems() -> list[str]:
    """Returns what is above a limit, and entries of LONGER that are no longer needed."""
    found = sizes()
    total = sum(found.values())
    wrong = [] if total <= ALL else [f"docs has {total} words, more than {ALL}: shorten a page"]
    for page, size in found.items():
        limit = LONGER.get(page, PAGE)
        if size > limit:
            wrong.append(f"docs/{page} has {size} words, more than {limit}: shorten it, or divide it by topic")
    for page in found:
        for line, size in paragraphs(DOCS / page).items():
            if size > PARAGRAPH:
                wrong.append(f"docs/{page}:{line} has {size} words, more than {PARAGRAPH}: divide the paragraph")
    for page in LONGER:
        if found.get(page, 0) <= PAGE:
            wrong.append(f"docs/{page} has {PAGE} words or fewer: remove it from LONGER in dev_tools/words.py")
    return wrong


def check() -> int:
    """Prints what is above a limit, and returns 1 if there is anything."""
    wrong = problems()
    for problem in wrong:
        print(problem)
    return 1 if wrong else 0


if __name__ == "__main__":
    for page, size in sizes().items():
        print(f"{size:6} {page}")
    print(f"{sum(sizes().values()):6} in all")
    sys.exit(check())
