"""Holds every version of a table against what workers say they did."""

import json
from collections import Counter
from pathlib import Path

import lance

from tests.soak.race import LOST

Rows = dict[int, int]
Change = tuple[str, frozenset[int]]


def told(logs: Path) -> dict[int, list[Change]]:
    """By worker; lost attempts, too."""
    lines = {int(log.stem): log.read_text().splitlines() for log in logs.glob("*.jsonl")}
    said = {worker: [json.loads(line) for line in each] for worker, each in lines.items()}
    return {worker: [(one["kind"], frozenset(one["ids"])) for one in each] for worker, each in said.items()}


def check(path: str, changes: list[Change]) -> dict[int, Rows]:
    """The rows of each version. Each has changed as a worker says, once for each time that one says so, or not at all.

    So no row is lost, doubled or back from the dead.
    """
    open_changes = Counter(change for change in changes if change[0] not in (LOST, "compact"))
    versions, before = {}, rows(path, 1)
    for version in range(1, lance.dataset(path).version + 1):
        versions[version] = now = rows(path, version)
        made = difference(before, now, version)
        if made:
            assert open_changes[made] > 0, f"version {version} is {made}, which nobody has done"
            open_changes[made] -= 1
        before = now
    lost = +open_changes
    assert not lost, f"no version has {lost}"
    return versions


def rows(path: str, version: int) -> Rows:
    table = lance.dataset(path, version=version).to_table(columns=["id", "value"]).to_pydict()
    found = dict(zip(table["id"], table["value"], strict=True))
    assert len(found) == len(table["id"]), f"a row is doubled in version {version}"
    return found


def difference(before: Rows, after: Rows, version: int) -> Change | None:
    """Returns the change; nothing if the rows are equal."""
    ids = {
        "append": after.keys() - before.keys(),
        "delete": before.keys() - after.keys(),
        "update": {i for i in after.keys() & before.keys() if after[i] != before[i]},
    }
    done = [kind for kind in ids if ids[kind]]
    assert len(done) < 2, f"version {version} is {done} in one: {ids}"
    assert all(after[i] == 0 for i in ids["append"]), f"version {version} adds a row that was there"
    assert all(after[i] == before[i] + 1 for i in ids["update"]), f"version {version} loses or doubles an update"
    return (done[0], frozenset(ids[done[0]])) if done else None


def sums(of: Rows) -> tuple[int, int, int]:
    """Returns the sums of io.sparklance.soak.RowsOf."""
    return len(of), sum(of), sum(i * value for i, value in of.items())
