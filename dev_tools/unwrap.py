"""Keeps a paragraph or list item of a Markdown page on one line: `./dev lint` checks it, `./dev fmt` joins the lines.

A change of a sentence is then a change of one line, and the editor wraps lines as wide as its window is.
"""

import re
from collections.abc import Iterable
from pathlib import Path

from dev_tools import ROOT

PAGES = ["*.md", "docs/**/*.md"]

#: Lines that neither continue a paragraph nor are continued: headings, table rows, quotes, HTML, directives, rules.
ALONE = re.compile(r"\s*(#|\||>|<|:::|!!!|---|\[[^\]]+\]: )")
ITEM = re.compile(r"\s*([*+-]|\d+[.)]) ")


def unwrap(text: str) -> str:
    """Returns the page with each paragraph and list item on one line. Blocks of code stay as they are."""
    lines: list[str] = []
    in_code = open_line = False
    for line in text.splitlines():
        fence = line.lstrip().startswith("```")
        whole = in_code or fence or not line.strip() or ALONE.match(line) is not None
        indented_code = line.startswith("    ") and not open_line and not ITEM.match(line)
        if open_line and not whole and not ITEM.match(line):
            lines[-1] += " " + line.strip()
        else:
            lines.append(line)
            open_line = not whole and not indented_code
        in_code ^= fence
    return "\n".join(lines) + "\n" if lines else ""


def wrapped(pages: Iterable[Path]) -> list[Path]:
    """Returns the pages in which a paragraph or list item takes more than one line."""
    return [page for page in pages if unwrap(page.read_text()) != page.read_text()]


def all_pages() -> list[Path]:
    return sorted(page for pattern in PAGES for page in ROOT.glob(pattern))


def check() -> int:
    """Prints the pages with wrapped paragraphs, and returns 1 if there are any."""
    found = wrapped(all_pages())
    for page in found:
        print(f"{page.relative_to(ROOT)}: a paragraph takes several lines; ./dev fmt joins them")
    return 1 if found else 0


def join() -> int:
    """Puts each paragraph and list item of all pages on one line."""
    for page in wrapped(all_pages()):
        page.write_text(unwrap(page.read_text()))
    return 0
