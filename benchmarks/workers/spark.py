"""Times queries in Spark: ours and Parquet in one JVM, the reference's connector in another, of Spark 3.5.

Runs as a script, with the Python of either, and imports nothing of the other.
"""

import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from benchmarks.cases import INTEGERS, named
from benchmarks.workers import serve

Q6 = """l_shipdate >= DATE'1994-01-01' AND l_shipdate < DATE'1995-01-01'
        AND l_discount BETWEEN 0.05 AND 0.07 AND l_quantity < 24"""
Q1 = """SELECT l_returnflag, l_linestatus, sum(l_quantity), sum(l_extendedprice),
               sum(l_extendedprice * (1 - l_discount)), sum(l_extendedprice * (1 - l_discount) * (1 + l_tax)),
               avg(l_quantity), avg(l_extendedprice), avg(l_discount), count(*)
        FROM {df} WHERE l_shipdate <= DATE'1998-09-02'
        GROUP BY l_returnflag, l_linestatus ORDER BY l_returnflag, l_linestatus"""

NET = "CAST(l_extendedprice * (1 - l_discount) AS FLOAT)"

ENDS = [
    f"{end}({name})" for name in ("l_shipdate", "l_extendedprice", "l_shipmode", "l_comment") for end in ("min", "max")
]


def noop(df: DataFrame) -> Callable[[], object]:
    return lambda: df.write.format("noop").mode("overwrite").save()


def reading(spark: SparkSession, case: str, df: DataFrame) -> Callable[[], object]:
    match case:
        case "all" | "memory" | "cold_all" | "flights" | "vectors" | "cold_vectors":
            return noop(df)
        case "integers":
            return noop(df.select(*INTEGERS))
        case "comment":
            return noop(df.select("l_comment"))
        case "q6" | "own_q6":
            return df.where(Q6).selectExpr("sum(l_extendedprice * l_discount)").collect
        case "q1":
            return spark.sql(Q1, df=df).collect
        case "key" | "own_key":
            return df.where("l_orderkey = 3000001").collect
        case "own_ends":
            return df.selectExpr(*ENDS).collect
        case "vector":
            return df.where("id = 77777").collect
        case "count":
            return df.count
        case "limit":
            return df.limit(10).collect
        case _:
            raise ValueError(f"no such case: {case}")


def writing(spark: SparkSession, source: DataFrame, contender: str, to: Path) -> Callable[[], object]:
    shutil.rmtree(to, ignore_errors=True)
    if contender == "parquet":
        return lambda: source.write.parquet(str(to))
    writer = source.write.format("lance")
    return lambda: writer.save(str(to))


def columns(spark: SparkSession, contender: str, data: Path) -> Callable[[], object]:
    """A float column beside the others of lineitem, or by itself."""
    source, path = data / "lineitem-2.2.lance", data / "columns.lance"
    if contender == "parquet":
        net = spark.read.format("lance").load(str(source)).selectExpr(f"{NET} AS net")
        return lambda: net.write.mode("overwrite").parquet(str(data / "columns.parquet"))
    shutil.rmtree(path, ignore_errors=True)
    shutil.copytree(source, path, copy_function=os.link)
    return lambda: spark.sql(f"CALL lance.system.add_columns('{path}', map('net', '{NET}'))").collect()


def own(spark: SparkSession, case: str, source: DataFrame, kind: str, data: Path) -> Callable[[], object]:
    """Path of a table that we write ourselves, with or without statistics."""
    by_days = case in ("own_write_days", "own_q6")
    path = str(data / f"own-{kind}{'-days' if by_days else ''}.lance")
    if not case.startswith("own_write"):
        return reading(spark, case, spark.read.format("lance").load(path))
    writer = source.write.format("lance").mode("overwrite").option("statistics", kind)
    return lambda: (writer.option("orderColumns", "l_shipdate") if by_days else writer).save(path)


def session(system: str) -> SparkSession:
    builder = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.driver.memory", os.environ.get("BENCH_HEAP", "4g"))
        .config("spark.driver.extraJavaOptions", os.environ.get("BENCH_JAVA_OPTIONS", ""))
        .config("spark.sql.session.timeZone", "UTC")
    )
    if system == "sparklance":
        import sparklance

        return sparklance.configure(builder).getOrCreate()
    # Its Arrow is newer than Spark's and has to come first.
    builder = builder.config("spark.driver.extraClassPath", os.environ["BENCH_CLASS_PATH"])
    return builder.getOrCreate()


def main(system: str, data: Path) -> None:
    spark = session(system)
    spark.sparkContext.setLogLevel("ERROR")

    def read(case: str, contender: str) -> DataFrame:
        source = spark.read.format("parquet" if contender == "parquet" else "lance")
        return source.load(
            str(data / "repeated-2.2.lance" if case == "memory" else named(case).source(contender, data))
        )

    def job(case: str, contender: str) -> Callable[[], object]:
        if case.startswith("own_"):
            parquet = spark.read.parquet(str(data / "lineitem.parquet"))
            return own(spark, case, parquet, contender.split()[1], data)
        if case == "columns":
            return columns(spark, contender, data)
        if case.startswith("write_"):
            return writing(spark, read(case, "parquet"), contender, data / f"written.{contender.split()[0]}")
        return reading(spark, case, read(case, contender))

    serve(job)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
