"""A table whose columns grow: an append with a new column, a backfill of old rows, a rename and a wider type.

Run it with `python examples/schema_evolution.py` where sparklance is installed.
"""

import tempfile
from pathlib import Path

from pyspark.sql import SparkSession

import sparklance
from sparklance import LanceDataset


def main(folder: Path) -> None:
    builder = SparkSession.builder.appName("schema evolution").config("spark.ui.showConsoleProgress", "false")
    spark = sparklance.configure(builder).getOrCreate()
    path = str(folder / "products.lance")
    old = spark.createDataFrame([(1, "lamp", 30), (2, "desk", 200)], "id BIGINT, name STRING, cents INT")
    old.write.format("lance").save(path)

    # New rows bring a column that the table lacks. Old rows are null in it, and no file of theirs is written.
    new = spark.createDataFrame([(3, "chair", 80, "EUR")], "id BIGINT, name STRING, cents INT, currency STRING")
    new.write.format("lance").mode("append").option("mergeSchema", True).save(path)
    table = LanceDataset(spark, path)
    print(f"{table.count_rows('currency IS NULL')} rows have no currency")

    # Backfills write files with these columns only, beside the others.
    table.update_columns({"currency": "'USD'"}, where="currency IS NULL")
    table.add_columns({"letters": "length(name)"})

    spark.sql(f"ALTER TABLE lance.`{path}` RENAME COLUMN cents TO price")
    spark.sql(f"ALTER TABLE lance.`{path}` ALTER COLUMN price TYPE BIGINT")
    table.checkout_latest()
    print(table.schema.simpleString())
    for row in table.to_df().orderBy("id").collect():
        print(*row)
    first = table.checkout_version(1)
    print(f"version 1 still has {first.schema.simpleString()}")
    spark.stop()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        main(Path(scratch))
