"""Times the queries of TPC-DS: `python -m benchmarks.workers.tpcds <data> <jar of Spark's tests> <rounds>`.

Prints `size <table> <bytes of ours> <of Parquet>`, and for each run
`tpcds <query> <lance or parquet> <seconds of planning> <seconds> <CPU seconds>`. The answers must be the same.
"""

import sys
import time
import zipfile
from pathlib import Path
from typing import Any

from pyspark.sql import Row, SparkSession
from pyspark.sql.types import StructType

import sparklance
from benchmarks.workers import cpu_seconds

CONTENDERS = ("lance", "parquet")
#: Spark's schema has the column's old name.
RENAMED = {"c_last_review_date_sk": "c_last_review_date"}


def main(data: Path, jar: Path, rounds: int) -> None:
    settings = {
        "spark.driver.host": "127.0.0.1",
        "spark.driver.memory": "6g",
        "spark.jars": str(jar),
        "spark.sql.legacy.charVarcharAsString": "true",
        "spark.sql.shuffle.partitions": "4",
        "spark.ui.enabled": "false",
    }
    spark = sparklance.configure(SparkSession.builder.master("local[2]").config(map=settings)).getOrCreate()
    schemas = schemas_of(spark)
    for table, schema in schemas.items():
        write(spark, data, table, schema)
        print(f"\nsize {table} {size(data / f'{table}.lance')} {size(data / f'{table}.parquet')}", flush=True)
    for name, text in queries(jar).items():
        for _ in range(rounds):
            answers = []
            for contender in CONTENDERS:
                planning, seconds, cpu, rows = run(spark, data, list(schemas), contender, text)
                answers.append(sorted(map(str, rows)))
                print(f"\ntpcds {name} {contender} {planning:.3f} {seconds:.3f} {cpu:.2f}", flush=True)
            if answers[0] != answers[1]:
                raise AssertionError(f"{name}: the answers differ")
    spark.stop()


def schemas_of(spark: SparkSession) -> dict[str, StructType]:
    """Spark's own schemas of the tables, by their names."""
    jvm: Any = spark.sparkContext._jvm
    loader = jvm.Thread.currentThread().getContextClassLoader()
    name = "org.apache.spark.sql.execution.benchmark.TPCDSSchemaHelper$"
    helper = jvm.java.lang.Class.forName(name, True, loader).getField("MODULE$").get(None)
    columns = jvm.scala.jdk.javaapi.CollectionConverters.asJava(helper.getTableColumns())
    return {table: StructType.fromDDL(columns.get(table).toDDL()) for table in sorted(columns.keySet())}


def write(spark: SparkSession, data: Path, table: str, schema: StructType) -> None:
    generated = spark.read.parquet(str(data / "generated" / f"{table}.parquet")).withColumnsRenamed(RENAMED)
    columns = [generated[field.name].cast(field.dataType).alias(field.name) for field in schema]
    for contender in CONTENDERS:
        path = data / f"{table}.{contender}"
        if not path.exists():
            generated.select(columns).write.format(contender).save(str(path))


def size(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def queries(jar: Path) -> dict[str, str]:
    """The queries of the specification's version 1.4, and those that version 2.7 changed, in their order."""
    found = {}
    with zipfile.ZipFile(jar) as tests:
        for entry in tests.namelist():
            folder, _, file = entry.partition("/")
            if folder in ("tpcds", "tpcds-v2.7.0") and file.startswith("q") and file.endswith(".sql"):
                name = file.removesuffix(".sql") + ("" if folder == "tpcds" else "-v2.7")
                found[name] = tests.read(entry).decode()
    return dict(sorted(found.items(), key=lambda item: (int("".join(filter(str.isdigit, item[0][:3]))), item[0])))


def run(
    spark: SparkSession, data: Path, tables: list[str], contender: str, query: str
) -> tuple[float, float, float, list[Row]]:
    """Seconds of planning, seconds in all, CPU seconds of the JVM, and the answer."""
    for table in tables:
        spark.read.format(contender).load(str(data / f"{table}.{contender}")).createOrReplaceTempView(table)
    start, used = time.perf_counter(), cpu_seconds(spark)
    answer = spark.sql(query)
    answer._jdf.queryExecution().executedPlan()
    planning = time.perf_counter() - start
    rows = answer.collect()
    return planning, time.perf_counter() - start, cpu_seconds(spark) - used, rows


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]))
