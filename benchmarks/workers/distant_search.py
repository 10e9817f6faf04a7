"""Times searches of a table behind a `SlowStore`, by Spark's SQL or by pylance.

`workers/distant_search.py <system> <url> <empty table>`.

A contender is a system and the number of a query. Queries of other numbers ask for other vectors and keys.
"""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from benchmarks.store import BUCKET
from benchmarks.workers import serve
from benchmarks.workers.search import vectors
from tests.stores import s3a
from tests.stores.moto import KEYS

ROWS, DIMENSION, WORDS, K = 300_000, 128, 12, 10
PARTITIONS, PARTS, PROBES, REFINE = 256, 16, 20, 5
#: Queries of a batch.
MANY = 1_000
KEYS_ASKED = 100


def prepare(path: Path, rows: int = ROWS) -> None:
    """The table with its indices, by pylance, unless it is there."""
    import lance
    import pyarrow as pa

    if path.exists():
        return
    rng = np.random.default_rng(2)
    words = np.char.add("w", (rng.zipf(1.3, (rows, WORDS)) % 20_000).astype(str))
    lists = pa.FixedSizeListArray.from_arrays(pa.array(vectors(rows, DIMENSION, 3).ravel()), DIMENSION)
    columns = {"key": rng.permutation(rows), "kind": rng.integers(0, 10, rows), "v": lists}
    table = pa.table(columns | {"body": pa.array([" ".join(row) for row in words])})
    part = path.with_suffix(".part")
    dataset = lance.write_dataset(table, part, max_rows_per_file=-(-rows // 4), mode="overwrite")
    dataset.create_scalar_index("key", "BTREE")
    dataset.create_scalar_index("kind", "BITMAP")
    dataset.create_scalar_index("body", "INVERTED")
    dataset.create_index("v", "IVF_PQ", num_partitions=PARTITIONS, num_sub_vectors=PARTS)
    part.rename(path)


def asked(turn: int) -> np.ndarray:
    return vectors(1, DIMENSION, 100 + turn)[0]


def keys(turn: int) -> list[int]:
    return [int(key) for key in np.random.default_rng(200 + turn).choice(10_000, KEYS_ASKED, replace=False)]


def of_pylance(url: str) -> Callable[[str, str], Callable[[], object]]:
    import lance

    options = {name.lower(): value for name, value in KEYS.items()} | {"aws_endpoint": url, "allow_http": "true"}
    opened: list[Any] = []

    def dataset() -> Any:
        """Opened by the first search, and kept."""
        if not opened:
            opened.append(lance.dataset(f"s3://{BUCKET}/searched.lance", storage_options=options))
        return opened[0]

    def near(turn: int, **more: Any) -> object:
        filtered = {"filter": more.pop("filter"), "prefilter": True} if "filter" in more else {}
        nearest = {"column": "v", "k": K, "q": asked(turn), "nprobes": PROBES, **more}
        return dataset().to_table(columns=["key", "_distance"], nearest=nearest, **filtered)

    def text(_: int) -> object:
        more = {"limit": K, "disable_scoring_autoprojection": True}
        return dataset().scanner(columns=["key", "_score"], full_text_query="w17 w256 w4321", **more).to_table()

    def rows(condition: str) -> object:
        return dataset().to_table(columns=["key", "kind"], filter=condition)

    def job(case: str, contender: str) -> Callable[[], object]:
        turn = int(contender.split()[1])
        return {
            "vector": lambda: near(turn),
            "refined": lambda: near(turn, refine_factor=REFINE),
            "filtered": lambda: near(turn, filter="kind = 3"),
            "text": lambda: text(turn),
            "key": lambda: rows(f"key = {keys(turn)[0]}"),
            "keys": lambda: rows(f"key IN ({', '.join(map(str, keys(turn)))})"),
            "count": lambda: dataset().count_rows(),
            "batch": lambda: [near(turn + i) for i in range(MANY)],
        }[case]

    return job


def of_spark(url: str, empty: str) -> Callable[[str, str], Callable[[], object]]:
    from pyspark.sql import SparkSession

    import sparklance

    settings = s3a.settings(url) | {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.memory": "3g",
        "spark.hadoop.fs.s3a.input.stream.type": "classic",
    }
    spark = sparklance.configure(SparkSession.builder.master("local[2]").config(map=settings)).getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    path = f"s3a://{BUCKET}/searched.lance"

    def sql(text: str) -> Callable[[], object]:
        return lambda: spark.sql(text).toArrow()

    def near(turn: int, more: str = "") -> Callable[[], object]:
        query = ", ".join(f"{x}F" for x in asked(turn))
        found = f"lance_vector_search('{path}', 'v', array({query}), k => {K}, nprobes => {PROBES}{more})"
        return sql(f"SELECT key, _distance FROM {found}")

    def batch(turn: int) -> object:
        queries = np.stack([asked(turn + i) for i in range(MANY)])
        nearest = {"column": "v", "k": K, "q": queries, "nprobes": PROBES}
        return sparklance.LanceDataset(spark, path).to_df(["key", "_distance"], nearest=nearest).toArrow()

    def job(case: str, contender: str) -> Callable[[], object]:
        turn = int(contender.split()[1])
        table = f"SELECT key, kind FROM lance.`{path}` WHERE key"
        return {
            "empty": lambda: sql(f"SELECT * FROM lance.`{empty}`"),
            "vector": lambda: near(turn),
            "refined": lambda: near(turn, f", refine_factor => {REFINE}"),
            "filtered": lambda: near(turn, ", filter => 'kind = 3'"),
            "text": lambda: sql(f"SELECT key, _score FROM lance_fts('{path}', 'body', 'w17 w256 w4321', k => {K})"),
            "key": lambda: sql(f"{table} = {keys(turn)[0]}"),
            "keys": lambda: sql(f"{table} IN ({', '.join(map(str, keys(turn)))})"),
            "count": lambda: sql(f"SELECT count(*) FROM lance.`{path}`"),
            "batch": lambda: lambda: batch(turn),
        }[case]()

    return job


if __name__ == "__main__":
    system, *arguments = sys.argv[1:]
    serve(of_spark(*arguments) if system == "sparklance" else of_pylance(arguments[0]))
