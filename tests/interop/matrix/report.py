"""The page records/interop.md, from the outcomes of all cells."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable

from dev_tools.unwrap import unwrap
from tests.interop.matrix.releases import RELEASES
from tests.interop.matrix.tables import NULLS, OLDER, SIZES, Size, type_of
from tests.interop.matrix.types import TYPES
from tests.interop.matrix.verdicts import Outcome, Verdict

#: By release and file version: what became of each column, by the size of its table and its name.
Results = dict[tuple[str, str], dict[tuple[str, str], Outcome]]

HEAD = """\
# Interoperation with pylance

Releases of pylance write columns, and Spark reads them. Each cell below is a column of seeded values, of one type,
nullability, shape of data, number of rows and file version. The test compares Spark's values, to the bit, with those
that pylance {current} reads, and these with the written values.

* Nullability: {nulls}; for nested types at every level.
* Rows, each with its shapes of data: {sizes}; for older releases {older}.
* Shapes: "random" has high cardinality and "few" low. "Extremes" are NaNs with payloads, -0.0, ±infinity, minima and
  maxima, and empty strings. "Long" are values of kilobytes. A bound on a page's bytes makes several pages.

| Mark | Meaning |
|---|---|
| ✅ | Spark reads what was written |
| ◐ | Spark reads what pylance {current} reads, which differs from what was written |
| ❌ | Spark refuses the column by name |
| ⊘ | pylance {current} cannot read the column; [exceptions](#exceptions) say what Spark does |
| - | this release does not write such a column |

`tests/interop/test_matrix.py` checks the current release in `./dev test`. `./dev test --full` checks all releases and
writes this page.
"""


def page(current: str, results: Results) -> str:
    return "\n".join([head(current), *releases(results), "", *types(current, results), "", *exceptions(results)]) + "\n"


def head(current: str) -> str:
    """The page above its tables of results."""
    return unwrap(HEAD.format(current=current, nulls=", ".join(NULLS), sizes=told(SIZES), older=told(OLDER)))


def told(sizes: dict[str, Size]) -> str:
    return ", ".join(f"{name} ({' '.join(size.shapes)})" for name, size in sizes.items())


def marks(outcomes: Iterable[Outcome]) -> str:
    found = {outcome.verdict for outcome in outcomes}
    return " ".join(verdict.value for verdict in Verdict if verdict in found)


def releases(results: Results) -> list[str]:
    signs = " | ".join(verdict.value for verdict in Verdict)
    rows = ["## Releases", "", f"| pylance | file version | cells | {signs} |", "|---" * (3 + len(Verdict)) + "|"]
    for (release, version), cells in results.items():
        counts = Counter(outcome.verdict for outcome in cells.values())
        unstable = " (unstable then)" if version in RELEASES.get(release, ([], []))[1] else ""
        numbers = " | ".join(str(counts[verdict]) for verdict in Verdict)
        rows.append(f"| {release} | {version}{unstable} | {len(cells)} | {numbers} |")
    return rows


def types(current: str, results: Results) -> list[str]:
    versions = [version for release, version in results if release == current]
    rows = ["## Types", "", f"As pylance {current} writes them.", ""]
    rows += [f"| type | {' | '.join(versions)} |", "|---|" + "---|" * len(versions)]
    for name in TYPES:
        cells = (
            marks(outcome for (_, column), outcome in results[current, version].items() if type_of(column) == name)
            for version in versions
        )
        rows.append(f"| `{name}` | {' | '.join(cells)} |")
    return rows


def exceptions(results: Results) -> list[str]:
    """Lists everything that is not ✅, with types, versions and releases of equal outcomes in one row."""
    groups: dict[tuple[Verdict, str], dict[tuple[str, str], set[str]]] = defaultdict(lambda: defaultdict(set))
    for where, cells in results.items():
        for (_, column), outcome in cells.items():
            if outcome.verdict is not Verdict.SAME:
                groups[outcome.verdict, plain(outcome.said)][where].add(type_of(column))
    rows = ["## Exceptions", "", "| | outcome | types | written by pylance (file version) |", "|---|---|---|---|"]
    for (verdict, said), places in sorted(groups.items(), key=lambda item: (item[0][0].value, item[0][1])):
        names = [name for name in TYPES if any(name in found for found in places.values())]
        wheres = ", ".join(f"{release} ({version})" for release, version in places)
        rows.append(f"| {verdict.value} | {said} | {shortened(names)} | {wheres} |")
    return rows


def shortened(names: list[str]) -> str:
    return "all types" if len(names) > len(TYPES) * 0.8 else ", ".join(names)


def plain(said: str) -> str:
    """Without what differs from column to column: names, numbers of rows, values."""
    said = re.sub(r"\w+__\w+__\w+", "…", said)
    said = re.sub(r"row \d+(: .*? expected, .*? found)?", "some row", said)
    said = re.sub(r"\b\d+\b(?! bit)", "…", said.split(" Please file a bug")[0])
    return re.sub(r"[|`\\\n]", " ", said)[:95].strip()
