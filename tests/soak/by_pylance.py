"""A worker that is pylance. Arguments: the table, the logs, its commits, how many workers there are, its number."""

import sys
from pathlib import Path

import lance
import pyarrow as pa

from tests.soak.race import Race
from tests.soak.worker import TARGET_ROWS, work

SCHEMA = pa.schema([("id", pa.int64()), ("value", pa.int64())])


def fresh(ids: list[int]) -> pa.Table:
    return pa.table({"id": ids, "value": [0] * len(ids)}, SCHEMA)


def among(ids: list[int]) -> str:
    return f"id IN ({', '.join(map(str, ids))})"


class PylanceTable:
    def __init__(self, path: str) -> None:
        self.path = path

    def append(self, ids: list[int]) -> None:
        lance.write_dataset(fresh(ids), lance.dataset(self.path), mode="append")

    def delete(self, ids: list[int]) -> None:
        lance.dataset(self.path).delete(among(ids))

    def update(self, ids: list[int]) -> None:
        lance.dataset(self.path).update({"value": "value + 1"}, where=among(ids))

    def compact(self) -> bool:
        done = lance.dataset(self.path).optimize.compact_files(target_rows_per_fragment=TARGET_ROWS)
        return done.fragments_removed > 0


if __name__ == "__main__":
    table, logs, commits, workers, number = sys.argv[1:]
    work(PylanceTable(table), Race(Path(logs), int(number), int(workers), int(commits)))
