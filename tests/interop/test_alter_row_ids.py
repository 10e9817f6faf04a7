"""Columns of tables with stable row ids: ids and versions of rows after each change are those that pylance has."""

import lance
import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

pytestmark = pytest.mark.slow

TOLD = ["_rowid", "_row_created_at_version", "_row_last_updated_at_version"]


def made(path: str, version: str) -> lance.LanceDataset:
    rows = pa.table({"id": pa.array(range(300), pa.int32()), "v": pa.array(range(300), pa.float32())})
    dataset = lance.write_dataset(
        rows, path, max_rows_per_file=100, enable_stable_row_ids=True, data_storage_version=version
    )
    dataset.delete("id % 10 = 3")
    return dataset


@pytest.mark.parametrize("version", ["2.0", "2.2"])
def test_rows_keep_their_ids(spark: SparkSession, tmp: str, version: str) -> None:
    ours, theirs = f"{tmp}/ours.lance", f"{tmp}/theirs.lance"
    made(ours, version)
    made(theirs, version)
    changes = [
        ("ADD COLUMN more INT", lambda d: d.add_columns(pa.schema([("more", pa.int32())]))),
        ("ALTER COLUMN id TYPE BIGINT", lambda d: d.alter_columns({"path": "id", "data_type": pa.int64()})),
        ("RENAME COLUMN v TO w", lambda d: d.alter_columns({"path": "v", "name": "w"})),
        ("DROP COLUMN w", lambda d: d.drop_columns(["w"])),
    ]
    for change, call in changes:
        spark.sql(f"ALTER TABLE lance.`{ours}` {change}")
        call(lance.dataset(theirs))
        a, b = lance.dataset(ours), lance.dataset(theirs)
        a.validate()
        columns = [*a.schema.names, *TOLD[1:]]
        found = a.to_table(columns=columns, with_row_id=True)
        assert found.equals(b.to_table(columns=columns, with_row_id=True)), change
        seen = spark.read.format("lance").load(ours).select("id", *TOLD).toArrow().to_pylist()
        assert seen == found.select(["id", *TOLD]).to_pylist(), change
