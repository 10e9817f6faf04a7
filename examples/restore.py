"""A wrong delete, noticed and taken back: deletes, time travel and restore.

Run it with `python examples/restore.py` where sparklance is installed.
"""

import tempfile
from pathlib import Path

from pyspark.sql import SparkSession

import sparklance
from sparklance import LanceDataset


def main(folder: Path) -> None:
    builder = SparkSession.builder.appName("restore").config("spark.ui.showConsoleProgress", "false")
    spark = sparklance.configure(builder).getOrCreate()
    path = str(folder / "orders.lance")
    spark.range(1000).selectExpr("id", "id % 4 AS state").write.format("lance").save(path)
    table = LanceDataset(spark, path)
    table.tags.create("checked")

    deleted = table.delete("state >= 2")
    print(f"meant to delete state 2 only, deleted {deleted['num_deleted_rows']} rows: version {table.version}")

    lost = spark.sql(f"""
        SELECT state, count(*) AS rows FROM lance.`{path}` VERSION AS OF 'checked'
        WHERE id NOT IN (SELECT id FROM lance.`{path}`) GROUP BY state ORDER BY state
    """)
    for row in lost.collect():
        print(f"lost {row.rows} rows of state {row.state}")

    # A restore is a new version, so the wrong one stays readable, too.
    spark.sql(f"RESTORE TABLE lance.`{path}` TO VERSION AS OF 'checked'").collect()
    spark.sql(f"DELETE FROM lance.`{path}` WHERE state = 2")
    table.checkout_latest()
    print(f"version {table.version} has {table.count_rows()} rows")
    for row in spark.sql(f"DESCRIBE HISTORY lance.`{path}`").orderBy("version").collect():
        print(row.version, row.operation)
    spark.stop()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        main(Path(scratch))
