"""Counts files, lines, types in a file of their name, names in two packages, and files that one other uses.

`python -m dev_tools.census` prints the figures, `python -m dev_tools.census names` what is behind them. `./dev lint`
refuses more types outside a file of their name, more doubles and more long functions than there are.
"""

import re
import sys
from collections import defaultdict
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from dev_tools import ROOT
from dev_tools.scala_source import bare

MAIN = "jvm/*/src/main/scala/**/*.scala"
TYPE = re.compile(
    r"^(?:(?:final|sealed|abstract|case|implicit|private|protected)(?:\[\w+\])?\s+)*(?:class|trait|object)\s+(\w+)",
    re.MULTILINE,
)
PACKAGE = re.compile(r"^package ([\w.]+)", re.MULTILINE)
SEALED = re.compile(r"^(?:final |private(?:\[\w+\])? )*sealed\b[^\n]*?\b(?:class|trait)\s+(\w+)", re.MULTILINE)
PARENTS = re.compile(r"\b(?:extends|with)\s+(\w+)")
FUNCTION = re.compile(r"^( +)(?:(?:override|final|private|protected|implicit)(?:\[\w+\])?\s+)*def (\w+)")
WORD = re.compile(r"\w+")
#: Number of other files whose use gives a type a file of its name. Cases stay with their sealed type.
USERS = 3
LONGEST = 40

#: Limits of what remains. Numbers only go down.
MISFILED = 55
LONG_FUNCTIONS = 3
#: Names of types in two packages, all among the readers of indices and encodings.
DOUBLES = {"BTreePart", "Bounds", "Postings", "StoredForm"}


@dataclass(frozen=True)
class File:
    """A source with the types that it declares at its top level."""

    path: Path
    package: str
    types: tuple[str, ...]
    text: str

    @property
    def shown(self) -> str:
        return str(self.path.relative_to(ROOT))

    @property
    def elsewhere(self) -> tuple[str, ...]:
        """Types in a file of another name."""
        return tuple(name for name in self.types if name not in (self.path.stem, "package"))


@cache
def files() -> tuple[File, ...]:
    """Returns all sources of main code."""
    return tuple(read(path) for path in sorted(ROOT.glob(MAIN)))


def read(path: Path) -> File:
    source = path.read_text()
    text = bare(source)
    found = PACKAGE.search(text)
    return File(path, found[1] if found else "", tuple(dict.fromkeys(TYPE.findall(text))), text)


@cache
def words() -> dict[Path, frozenset[str]]:
    """Returns the words of the code of each source."""
    return {file.path: frozenset(WORD.findall(file.text)) for file in files()}


def users(file: File) -> list[File]:
    """Returns the other files that name a type of a file and see its package."""
    return [other for other in files() if other.path != file.path and reaches(file, other, words()[other.path])]


def misfiled() -> list[tuple[File, str]]:
    """Returns the types that `USERS` other files use and that are in a file of another name, but cases of a type."""
    found = []
    for file in files():
        for name in file.elsewhere:
            alone = File(file.path, file.package, (name,), file.text)
            if not is_case(file, name) and len(users(alone)) >= USERS:
                found.append((file, name))
    return found


def is_case(file: File, name: str) -> bool:
    """Returns whether a type extends a sealed type of its file, as only types of that file can."""
    head = re.search(rf"^[^\n]*\b(?:class|trait|object)\s+{name}\b([\s\S]*?)(?:\{{\n|\n\n|\Z)", file.text, re.MULTILINE)
    return head is not None and not set(SEALED.findall(file.text)).isdisjoint(PARENTS.findall(head[1]))


def doubles() -> dict[str, set[str]]:
    """Returns simple names that types of two packages or more have, with these packages."""
    packages: defaultdict[str, set[str]] = defaultdict(set)
    for file in files():
        for name in file.types:
            packages[name].add(file.package)
    return {name: found for name, found in sorted(packages.items()) if len(found) > 1 and name != "package"}


def used_once() -> list[tuple[File, File]]:
    """Returns the files whose types exactly one other file names, with that file."""
    return [(file, found[0]) for file in files() if len(found := users(file)) == 1]


def reaches(file: File, other: File, words: frozenset[str]) -> bool:
    """Returns whether `other` names a type of `file` and sees its package."""
    if words.isdisjoint(file.types):
        return False
    return other.package == file.package or other.package.startswith(file.package + ".") or imports(file, other)


def imports(file: File, other: File) -> bool:
    names = "|".join(file.types)
    found = re.search(rf"\b{re.escape(file.package)}\.(?:_|\{{[^}}]*\b(?:{names})\b|(?:{names})\b)", other.text)
    tail = file.package.rsplit(".", 1)[-1]
    return found is not None or re.search(rf"\b{tail}\.(?:{names})\b", other.text) is not None


def long_functions() -> list[str]:
    """Returns functions of more than `LONGEST` lines, as `file: name (lines)`."""
    found = []
    for file in files():
        lines = file.text.splitlines()
        for at, line in enumerate(lines):
            match = FUNCTION.match(line)
            if match:
                count = length(lines, at, len(match[1]))
                if count > LONGEST:
                    found.append(f"{file.shown}: {match[2]} ({count})")
    return found


def length(lines: list[str], at: int, indent: int) -> int:
    """Returns how many lines a member has that begins at a line with an indent."""
    last = at
    for i in range(at + 1, len(lines)):
        line = lines[i]
        own = len(line) - len(line.lstrip())
        if not line.strip():
            continue
        if own < indent or (own == indent and line.lstrip()[0] not in ")}]"):
            break
        last = i
        if own == indent and line.strip() == "}":
            break
    return last - at + 1


def problems() -> list[str]:
    """Returns what is above a limit."""
    outside, twice, long = misfiled(), set(doubles()) - DOUBLES, long_functions()
    wrong = [f"{name} is a type of two packages: name one by its role" for name in sorted(twice)]
    if len(outside) > MISFILED:
        names = ", ".join(f"{name} ({file.path.name})" for file, name in outside)
        wrong.append(
            f"{len(outside)} types that {USERS} files use are in a file of another name, more than {MISFILED}. "
            f"Give the new one a file of its name: {names}"
        )
    if len(long) > LONG_FUNCTIONS:
        wrong.append(f"more than {LONG_FUNCTIONS} functions are over {LONGEST} lines; divide one: {', '.join(long)}")
    return wrong


def check() -> int:
    """Prints what is above a limit, and returns 1 if anything is."""
    found = problems()
    print("\n".join(found) if found else "Scala sources: names and files of types are in order")
    return 1 if found else 0


def main(arguments: list[str]) -> int:
    """Prints the figures, or the names behind them."""
    outside, once = misfiled(), used_once()
    if arguments == ["names"]:
        print("\n".join(f"misfiled {file.shown}: {name}" for file, name in outside))
        print("\n".join(f"double {name}: {', '.join(sorted(found))}" for name, found in doubles().items()))
        print("\n".join(f"once {file.shown} <- {user.shown}" for file, user in once))
        print("\n".join(f"long {function}" for function in long_functions()))
    lines = [len(file.text.splitlines()) for file in files()]
    types = sum(len(file.types) for file in files())
    home = 100 * (types - len(outside)) / types
    print(f"files {len(lines)}, lines {sum(lines)}, over 250 lines {sum(n > 250 for n in lines)}")
    print(f"types {types}, in a file of another name {sum(len(file.elsewhere) for file in files())}")
    print(f"of these used by {USERS} files or more {len(outside)}, so {home:.1f} % of the types are at home")
    print(f"names in two packages {len(doubles())}, files used by one other {len(once)}")
    print(f"functions over {LONGEST} lines {len(long_functions())}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
