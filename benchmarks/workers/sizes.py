"""Writes tables in every form and tells their sizes: `python -m benchmarks.workers.sizes <folder> <rounds> <table> …`.

Prints `size <table> <form> <column> <bytes>` (of the column's pages), `file <table> <form> <bytes>` (of the files), and
`time <table> <form> <write or scan> <seconds> <CPU seconds>` for each round; one before them warms up.
"""

import shutil
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import lance
import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import SparkSession
from pyspark.sql import functions as f

from benchmarks.ordinary import DIMENSION
from benchmarks.workers import cpu_seconds, session

VERSIONS = ("2.0", "2.1", "2.2")
#: By the form's name: the format, and options of the write.
FORMS: dict[str, tuple[str, dict[str, str]]] = {
    **{f"ours-{v}": ("lance", {"dataStorageVersion": v}) for v in VERSIONS},
    **{f"ours-zstd-{v}": ("lance", {"dataStorageVersion": v, "compression": "zstd"}) for v in VERSIONS},
    **{f"parquet-{codec}": ("parquet", {"compression": codec}) for codec in ("snappy", "zstd")},
    **{f"pylance-{v}": ("pylance", {"data_storage_version": v}) for v in VERSIONS},
}
#: By table: the column of vectors, which have a size in Lance.
VECTORS = {"texts": "vector"}


def main(folder: Path, rounds: int, tables: list[str]) -> None:
    spark = session("6g")
    for table in tables:
        source = folder / "generated" / f"{table}.parquet"
        for turn in range(rounds + 1):
            for form in FORMS:
                path = folder / f"{table}.{form}"
                shutil.rmtree(path, ignore_errors=True)
                for work, job in jobs(spark, table, source, form, path).items():
                    seconds, cpu = timed(spark, job)
                    if turn > 0:
                        print(f"\ntime {table} {form} {work} {seconds:.3f} {cpu:.2f}", flush=True)
                if turn == rounds:
                    tell(spark, table, form, path)
                shutil.rmtree(path, ignore_errors=True)
    spark.stop()


def jobs(spark: SparkSession, table: str, source: Path, form: str, path: Path) -> dict[str, Callable[[], object]]:
    kind, options = FORMS[form]
    if kind == "pylance":
        made = sized(table, pq.read_table(source))
        return {
            "write": lambda: lance.write_dataset(made, path, **options),
            "scan": lambda: sum(batch.num_rows for batch in lance.dataset(path).to_batches()),
        }
    if kind == "lance" and table in VECTORS:
        options = options | {f"{VECTORS[table]}.arrow.fixed-size-list.size": str(DIMENSION)}
    return {
        "write": lambda: spark.read.parquet(str(source)).write.format(kind).options(**options).save(str(path)),
        "scan": lambda: spark.read.format(kind).load(str(path)).write.format("noop").mode("overwrite").save(),
    }


def sized(table: str, rows: pa.Table) -> pa.Table:
    if table not in VECTORS:
        return rows
    at = rows.schema.get_field_index(VECTORS[table])
    kind = pa.list_(pa.float32(), DIMENSION)
    return rows.set_column(at, pa.field(VECTORS[table], kind), rows.column(at).cast(kind))


def timed(spark: SparkSession, job: Callable[[], object]) -> tuple[float, float]:
    """Seconds, and CPU seconds of the JVM and of this process."""
    start, used = time.perf_counter(), cpu_seconds(spark) + time.process_time()
    job()
    return time.perf_counter() - start, cpu_seconds(spark) + time.process_time() - used


def tell(spark: SparkSession, table: str, form: str, path: Path) -> None:
    files = [file for kind in ("lance", "parquet") for file in path.rglob(f"*.{kind}")]
    print(f"\nfile {table} {form} {sum(file.stat().st_size for file in files)}")
    for column, size in (of_parquet(files) if form.startswith("parquet") else of_lance(spark, path)).items():
        print(f"size {table} {form} {column} {size}", flush=True)


def of_parquet(files: list[Path]) -> Counter[str]:
    sizes: Counter[str] = Counter()
    for file in files:
        about = pq.read_metadata(file)
        for group in map(about.row_group, range(about.num_row_groups)):
            for column in map(group.column, range(group.num_columns)):
                sizes[column.path_in_schema.split(".")[0]] += column.total_compressed_size
    return sizes


def of_lance(spark: SparkSession, path: Path) -> Counter[str]:
    pages = spark.read.format("lance").option("metadataTable", "columns_on_disk").load(str(path))
    root = f.element_at(f.split("column", "[.]"), 1)
    return Counter({row[0]: row[1] for row in pages.groupBy(root).agg(f.sum("size")).collect()})


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3:])
