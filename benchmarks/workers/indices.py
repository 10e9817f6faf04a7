"""Times builds and searches of scalar indices, by Spark or by pylance: `workers/indices.py <system> <data>`.

Each works on a copy of lineitem, of hard links, with indices of its own.
"""

import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from benchmarks.workers import serve

# Case → column and type.
BUILDS: dict[str, tuple[str, Any]] = {
    "BTREE l_orderkey": ("l_orderkey", "BTREE"),
    "BTREE l_comment": ("l_comment", "BTREE"),
    "BITMAP l_shipmode": ("l_shipmode", "BITMAP"),
    "BITMAP l_returnflag": ("l_returnflag", "BITMAP"),
    "ZONEMAP l_shipdate": ("l_shipdate", "ZONEMAP"),
}
KEYS = ", ".join(str(6000 * i + 1) for i in range(1000))
# Case → condition. A join has none: its keys are in a table of their own.
QUERIES = {
    "one key": "l_orderkey = 3000001",
    "IN of 1,000 keys": f"l_orderkey IN ({KEYS})",
    "a range of 0.1 %": "l_orderkey BETWEEN 3000000 AND 3006000",
    "two bitmaps": "l_shipmode = 'AIR' AND l_returnflag = 'R'",
    "join of 10,000 keys": "",
}


def copied(data: Path, system: str) -> str:
    to = data / f"indexed-{system}.lance"
    shutil.rmtree(to, ignore_errors=True)
    shutil.copytree(data / "lineitem-2.2.lance", to, copy_function=os.link)
    return str(to)


def of_pylance(path: str) -> Callable[[str, str], Callable[[], object]]:
    import lance

    def job(case: str, _contender: str) -> Callable[[], object]:
        dataset = lance.dataset(path)
        if case in BUILDS:
            column, kind = BUILDS[case]
            return lambda: dataset.create_scalar_index(column, kind, name=f"{column}_{kind}", replace=True)
        if not QUERIES[case]:
            raise ValueError(f"pylance has no {case}")
        return lambda: dataset.to_table(filter=QUERIES[case], columns=["l_orderkey", "l_partkey", "l_quantity"])

    return job


def of_spark(path: str) -> Callable[[str, str], Callable[[], object]]:
    from pyspark.sql import SparkSession

    import sparklance

    builder = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.driver.memory", "4g")
    )
    spark = sparklance.configure(builder).getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    spark.range(0, 6_000_000, 600).selectExpr("id + 1 AS k").write.mode("overwrite").parquet(f"{path}.keys")

    def job(case: str, contender: str) -> Callable[[], object]:
        if case in BUILDS:
            column, kind = BUILDS[case]
            call = f"CALL lance.system.create_index(table => '{path}', column => '{column}', type => '{kind}', "
            return lambda: spark.sql(f"{call} name => '{column}_{kind}', replace => true)").collect()
        if case == "empty":
            return lambda: spark.range(1).selectExpr("id").collect()
        reader = spark.read.format("lance").option("useScalarIndex", str(contender != "scan").lower())
        rows = reader.load(path).select("l_orderkey", "l_partkey", "l_quantity")
        if QUERIES[case]:
            return lambda: rows.where(QUERIES[case]).toArrow()
        keys = spark.read.parquet(f"{path}.keys").where("k > 0")
        return lambda: rows.join(keys.hint("broadcast"), rows.l_orderkey == keys.k).toArrow()

    return job


if __name__ == "__main__":
    table = copied(Path(sys.argv[2]), sys.argv[1])
    serve(of_spark(table) if sys.argv[1] == "sparklance" else of_pylance(table))
