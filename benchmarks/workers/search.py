"""Times builds of vector indices, searches and joins, by Spark or by pylance: `workers/search.py <system> <data>`.

Each works on a copy of the vectors, of hard links, with indices of its own. Spark reads the queries of joins from a
table.
"""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from benchmarks.workers import linked, serve, session

K = 10
#: Name of the data set → rows, dimension, and parts of a vector in IVF_PQ.
SETS = {"128": (1_000_000, 128, 16), "768": (100_000, 768, 96)}
PARTITIONS, PROBES, REFINE = 256, 20, 5
QUERIES = 10_000
#: Number of batches in which pylance searches the queries of a join: all at once, it opens more files than allowed.
BATCHES = 10
#: Queries of an exact join, which compares each with all rows.
FEW = 1_000


def vectors(rows: int, dimension: int, seed: int) -> np.ndarray:
    """Vectors in clusters, of shape (rows, dimension)."""
    centres = np.random.default_rng(1).standard_normal((1000, dimension), dtype=np.float32)
    rng = np.random.default_rng(seed)
    found = rng.standard_normal((rows, dimension), dtype=np.float32)
    found *= 0.6
    found += centres[rng.integers(0, len(centres), rows)]
    return found


def prepare(data: Path, name: str) -> None:
    """The table and the queries of a data set, unless they are there."""
    import lance
    import pyarrow as pa

    rows, dimension, _ = SETS[name]

    def write(path: Path, count: int, seed: int) -> None:
        if not path.exists():
            found = vectors(count, dimension, seed)
            lists = pa.FixedSizeListArray.from_arrays(pa.array(found.ravel()), dimension)
            table = pa.table({"id": np.arange(count), "v": lists})
            lance.write_dataset(table, path, max_rows_per_file=-(-count // 8))

    write(data / f"vectors-{name}.lance", rows, 2)
    write(data / f"queries-{name}.lance", QUERIES, 3)


def copied(data: Path, name: str, system: str) -> str:
    return linked(data / f"vectors-{name}.lance", data / f"searched-{name}-{system}.lance")


def build(case: str) -> str:
    return case.removeprefix("build ")


def of_pylance(data: Path) -> Callable[[str, str], Callable[[], object]]:
    import lance

    paths = {name: copied(data, name, "pylance") for name in SETS}
    asked = {name: np.stack(lance.dataset(data / f"queries-{name}.lance").to_table()["v"].to_numpy()) for name in SETS}

    def job(case: str, contender: str) -> Callable[[], object]:
        name = contender.split()[1]
        dataset = lance.dataset(paths[name])
        queries, parts = asked[name], SETS[name][2]

        def found(nearest: Any, **more: Any) -> set[tuple[int, int]]:
            table = dataset.to_table(columns=["id", "_distance"], nearest={"column": "v", "k": K, **nearest, **more})
            index = table["query_index"].to_pylist() if "query_index" in table.column_names else [0] * len(table)
            return set(zip(index, table["id"].to_pylist(), strict=True))

        by_index = {"nprobes": PROBES, "refine_factor": REFINE}
        if case.startswith("build"):
            more = {"num_sub_vectors": parts} if "PQ" in case else {}
            return lambda: dataset.create_index(
                "v", build(case), num_partitions=PARTITIONS, replace=True, name="near", **more
            )
        if case == "exact":
            return lambda: found({"q": queries[0]}, use_index=False)
        if case == "one query":
            return lambda: found({"q": queries[1]}, **by_index)
        if case == "exact join":
            return lambda: found({"q": queries[:FEW]}, use_index=False)
        if case == "join":
            return lambda: [found({"q": each}, **by_index) for each in np.split(queries, BATCHES)]
        if case == "recall":
            some = {"q": queries[:FEW]}
            return lambda: recall(found(some, use_index=False), found(some, **by_index))
        raise ValueError(f"pylance has no {case}")

    return job


def of_spark(data: Path) -> Callable[[str, str], Callable[[], object]]:
    from sparklance import LanceDataset

    spark = session("5g")
    paths = {name: copied(data, name, "sparklance") for name in SETS}

    def job(case: str, contender: str) -> Callable[[], object]:
        system, name = contender.split()
        if case == "empty":
            return lambda: spark.range(1).selectExpr("id").toArrow()
        ds = LanceDataset(spark, paths[name])
        queries = spark.read.format("lance").load(str(data / f"queries-{name}.lance"))
        first = [list(row.v) for row in queries.orderBy("id").limit(2).collect()]

        def found(nearest: Any, **more: Any) -> object:
            return ds.to_df(["id"], nearest={"column": "v", "k": K, **nearest, **more}).toArrow()

        by_index = {"nprobes": PROBES, "refine_factor": REFINE}
        if case.startswith("build"):
            more = {"num_sub_vectors": SETS[name][2]} if "PQ" in case else {}
            return lambda: ds.create_index(
                "v", build(case), num_partitions=PARTITIONS, replace=True, name="near", **more
            )
        if case == "exact" and system == "expression":
            rows = ds.to_df(pushDownFilters="false")
            numbers = ", ".join(f"{x}F" for x in first[0])
            distance = f"vector_l2_distance(v, array({numbers})) AS d"
            return lambda: rows.selectExpr("id", distance).orderBy("d").limit(K).toArrow()
        if case == "exact":
            return lambda: found({"q": first[0]}, use_index=False)
        if case == "one query":
            return lambda: found({"q": first[1]}, **by_index)
        if case == "exact join":
            few = queries.where(f"id < {FEW}")
            return lambda: ds.nearest_join(few, k=K, use_index=False).select("id", "id_right", "_distance").toArrow()
        if case == "join":
            return lambda: ds.nearest_join(queries, k=K, **by_index).select("id", "id_right", "_distance").toArrow()
        if case == "recall":
            some = queries.where(f"id < {FEW}")
            return lambda: recall(*(pairs(ds.nearest_join(some, k=K, **by)) for by in ({"use_index": False}, by_index)))
        raise ValueError(f"Spark has no {case}")

    return job


def recall(exact: set[tuple[int, int]], found: set[tuple[int, int]]) -> dict[str, float]:
    """The share of the nearest rows that are found."""
    return {"recall": len(exact & found) / len(exact)}


def pairs(joined: Any) -> set[tuple[int, int]]:
    return {(row[0], row[1]) for row in joined.select("id", "id_right").collect()}


if __name__ == "__main__":
    folder = Path(sys.argv[2])
    serve(of_spark(folder) if sys.argv[1] == "sparklance" else of_pylance(folder))
