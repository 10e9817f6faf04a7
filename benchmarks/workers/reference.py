"""Times pylance itself, without Spark."""

import sys
from collections.abc import Callable
from pathlib import Path

import lance
import numpy as np

from benchmarks.cases import INTEGERS, named
from benchmarks.workers import serve


def scan(dataset: lance.LanceDataset) -> None:
    for _ in dataset.to_batches():
        pass


def main(data: Path) -> None:
    rows = np.random.default_rng(5).integers(0, 6_000_000, 1000)
    opened: dict[str, lance.LanceDataset] = {}

    def job(case: str, contender: str) -> Callable[[], object]:
        path = str(named(case).source(contender, data))
        if path not in opened:
            opened[path] = lance.dataset(path)
        dataset = opened[path]
        if case == "core_take":
            return lambda: dataset.take(rows.tolist(), columns=INTEGERS)
        return lambda: scan(dataset)

    serve(job)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
