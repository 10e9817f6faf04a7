"""Checks of the Scala sources that neither the compiler nor scalafmt makes; `./dev lint` runs them.

Public members of main code have explicit result types, a file imports each package once, and no signature has eight or
more parameters without a reason.
"""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from dev_tools import ROOT
from dev_tools.scala_source import bare, members, right_side, signatures

MAIN = "jvm/*/src/main/scala/**/*.scala"
ALL = "jvm/*/src/*/scala/**/*.scala"
MOST_PARAMETERS = 7

#: Right sides that show their type: literals, names, and `new C`.
PLAIN = re.compile(r'(?:"|-?\d|new\b|true\b|false\b|[\w.]+$)')
IMPORT = re.compile(r"^import ([\w.]+)\.(?:\w+|\{[^}]*\})$", re.MULTILINE)

#: Signatures that have more parameters than others, each for a reason.
LONG = {
    # One value for all that an executor knows.
    ("FragmentTask.scala", "FragmentTask"),
    # Inner loops, which take arrays and positions as locals.
    ("Fsst.scala", "decode"),
    ("DictionaryValues.scala", "gatherShort"),
    ("DictionaryValues.scala", "gatherVariable"),
    # Messages of the format, field by field.
    ("IndexDescription.scala", "IndexDescription"),
    ("Operation.scala", "Overwrite"),
    ("Fst.scala", "Node"),
    ("WrittenFile.scala", "WrittenFile"),
    # Options of a procedure or a build, settings of a store, and sets of counters; callers name what they set.
    ("CompactionOptions.scala", "CompactionOptions"),
    ("ReadOptions.scala", "ReadOptions"),
    ("VectorSettings.scala", "VectorSettings"),
    ("ReadProfile.scala", "ReadProfile"),
    ("PageCounts.scala", "PageCounts"),
    ("ReadStats.scala", "ReadStats"),
    # One caller, which has each of them for this purpose only.
    ("ListCursor.scala", "ListCursor"),
}


def untyped(source: str) -> Iterator[tuple[int, str]]:
    """Returns the lines of public members whose result type is neither written nor plain."""
    text = bare(source)
    for member in members(text):
        # A `final val` is a constant only without a type.
        is_constant = "final" in member.modifiers and member.kind == "val"
        if "private" in member.modifiers or is_constant or member.name == "this":
            continue
        right = right_side(text, member)
        if right is not None and not PLAIN.match(right):
            yield member.line, f"{member.kind} {member.name} has no result type; write it"


def repeated_imports(source: str) -> Iterator[tuple[int, str]]:
    """Returns the lines of imports from a package that the file imports from already."""
    text = bare(source)
    seen: Counter[str] = Counter()
    for match in IMPORT.finditer(text):
        seen[match[1]] += 1
        if seen[match[1]] == 2:
            yield text.count("\n", 0, match.start()) + 1, f"a second import from {match[1]}; use one with braces"


def long_signatures(file: str, source: str) -> Iterator[tuple[int, str]]:
    """Returns the lines of signatures with too many parameters, but for those in `LONG`."""
    for found in signatures(bare(source)):
        if found.parameters > MOST_PARAMETERS and (file, found.name) not in LONG:
            yield found.line, f"{found.name} has {found.parameters} parameters; group some in a value type"


def findings() -> Iterator[str]:
    """Returns the findings in all sources, as `file:line: cure`."""
    main = set(ROOT.glob(MAIN))
    for path in sorted(ROOT.glob(ALL)):
        yield from (f"{path.relative_to(ROOT)}:{line}: {cure}" for line, cure in in_file(path, path in main))


def in_file(path: Path, is_main: bool) -> Iterator[tuple[int, str]]:
    source = path.read_text()
    yield from repeated_imports(source)
    if is_main:
        yield from untyped(source)
        yield from long_signatures(path.name, source)


def check() -> int:
    """Prints the findings, and returns 1 if there are any."""
    found = list(findings())
    print("\n".join(found) if found else "Scala sources: types, imports and signatures are in order")
    return 1 if found else 0
