"""Lists prose to replace in comments, docstrings, documentation, and strings of Scala: error messages and test names.

`./dev lint` fails on any; `python -m dev_tools.prose [path …]` checks single files or directories.

Some openings and words make a sentence hard to read without the code beside it. Each one listed here has a plainer
form, which the message names.
"""

import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from dev_tools import ROOT

SOURCES = ["jvm/**/*.scala", "python/**/*.py", "dev_tools/**/*.py", "benchmarks/**/*.py", "tests/**/*.py"]
PAGES = ["*.md", ".github/**/*.md", "docs/**/*.md", "records/*.md"]

OPENING = re.compile(r"(What|Of|So|The same|Those|These|Such|As|Where|How|Which|Whose) ")
PHRASES = {
    r"\banew\b": "say 'again', or name what is written",
    r"\b(?:that|which) (?:is|are) there\b": "say 'existing'",
    r"\bnot there\b": "say 'missing'",
    r"(?<!\.)\btold\b(?! apart|:)": "say 'is given', 'is recorded' or 'is known'",
    r"\bheld against\b": "say 'compared with' or 'checked against'",
    r"\bas \w+ (?:has|have) (?:it|them)\b": "say 'in the form of'",
    r"\bso many\b": "name the number",
    r"\bof wh(?:ich|om) (?:it|he|they)\b": "turn the sentence round: subject first",
    r"\bwho(?:ever)? has lost\b": "name the subject: 'a writer that lost'",
}

#: The first line of a Scaladoc comment, or of a Python docstring.
DOC_OPENING = {
    ".scala": re.compile(r"^\s*/\*\*\s*(.*)$"),
    ".py": re.compile(r'^\s*(?:r|f)?"""(.*)$'),
}
#: A string in a line of Scala, and what it contains besides text.
STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')
INTERPOLATED = re.compile(r"\$\{[^}]*\}?|\$\w+")
COMMENT = {
    ".scala": re.compile(r"^\s*(?:/\*\*|\*|//)\s?(.*)|.*?\s//\s(.*)"),
    ".py": re.compile(r".*?(?:^|\s)#:?\s(.*)"),
}


@dataclass(frozen=True)
class Finding:
    """One place that has to be said more plainly."""

    path: Path
    line: int
    text: str
    cure: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.text.strip()[:100]!r}: {self.cure}"


def check(paths: Iterable[Path]) -> list[Finding]:
    """Returns all findings in these files, in their order."""
    return [finding for path in paths for finding in in_file(path)]


def in_file(path: Path) -> Iterator[Finding]:
    shown = path.relative_to(ROOT) if path.is_relative_to(ROOT) else path
    lines = path.read_text().splitlines()
    opening = DOC_OPENING.get(path.suffix)
    for number, line in enumerate(lines, 1):
        if opening and (match := opening.match(line)) and OPENING.match(match[1]):
            yield Finding(shown, number, match[1], "open with a verb or a noun phrase that stands alone")
    for number, line in prose(path.suffix, lines):
        for phrase, cure in PHRASES.items():
            if re.search(phrase, line):
                yield Finding(shown, number, line, cure)


def prose(suffix: str, lines: list[str]) -> Iterator[tuple[int, str]]:
    """Yields the lines of comments and docstrings, strings of Scala, or the lines of a page outside of code blocks."""
    inside = False
    for number, line in enumerate(lines, 1):
        if suffix == ".md":
            inside ^= line.lstrip().startswith("```")
            if not inside:
                yield number, line
        elif suffix == ".py":
            marks = line.count('"""')
            if inside or marks:
                yield number, line
            elif match := COMMENT[suffix].match(line):
                yield number, match[1]
            inside ^= marks % 2 == 1
        elif match := COMMENT[suffix].match(line):
            yield number, match[1] or match[2] or ""
        elif strings := STRING.findall(line):
            yield number, INTERPOLATED.sub("", " ".join(strings))


def all_files() -> list[Path]:
    found = {path for pattern in [*SOURCES, *PAGES] for path in ROOT.glob(pattern)}
    return sorted(path for path in found if "target" not in path.parts and path.name != "prose.py")


def run(paths: list[str]) -> int:
    files = [file for name in paths for file in expand(Path(name).resolve())] if paths else all_files()
    findings = check(files)
    for finding in findings:
        print(finding)
    if findings:
        print(f"{len(findings)} places are hard to read: see docs/contributing.md, Language")
    return 1 if findings else 0


def expand(path: Path) -> list[Path]:
    return [file for file in all_files() if file.is_relative_to(path)] if path.is_dir() else [path]


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
