"""Tables to compact, and the call."""

import lance
import numpy as np
import pyarrow as pa
from pyspark.sql import Row, SparkSession


def compact(spark: SparkSession, path: str, **options: object) -> Row:
    given = "".join(f", {name} => {value}" for name, value in options.items())
    return spark.sql(f"CALL lance.system.compact(table => '{path}'{given})").collect()[0]


def numbers(path: str, stable: bool, fragments: int = 6, rows: int = 400) -> lance.LanceDataset:
    """A vector for each number; an index of both."""
    rng = np.random.default_rng(5)
    vectors = rng.random((fragments * rows, 8), dtype="f4")
    table = pa.table(
        {
            "id": pa.array(range(fragments * rows), pa.int64()),
            "vector": pa.FixedSizeListArray.from_arrays(pa.array(vectors.ravel()), 8),
        }
    )
    return lance.write_dataset(table, path, max_rows_per_file=rows, enable_stable_row_ids=stable)


def lineage(path: str) -> list[dict]:
    columns = ["id", "_rowid", "_row_created_at_version", "_row_last_updated_at_version"]
    return lance.dataset(path).to_table(columns=columns).sort_by("id").to_pylist()
