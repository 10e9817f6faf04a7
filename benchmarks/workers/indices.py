"""Times builds and searches of scalar indices, by Spark or by pylance: `workers/indices.py <system> <data>`.

Each works on a copy of lineitem, of hard links, with indices of its own.
"""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from benchmarks.workers import linked, serve, session

# Case → column and type.
BUILDS: dict[str, tuple[str, Any]] = {
    "BTREE l_orderkey": ("l_orderkey", "BTREE"),
    "BTREE l_partkey": ("l_partkey", "BTREE"),
    "BTREE l_comment": ("l_comment", "BTREE"),
    "BITMAP l_shipmode": ("l_shipmode", "BITMAP"),
    "BITMAP l_returnflag": ("l_returnflag", "BITMAP"),
    "ZONEMAP l_shipdate": ("l_shipdate", "ZONEMAP"),
}
# Joins have no condition: their keys are in a table of their own. Case → key.
JOINS = {"join of 10,000 keys": "l_orderkey", "join of 2,000 parts": "l_partkey"}
QUERIES = ("one key", "one part", "IN of 1,000 keys", "IN of 100 parts", "a range of 0.1 %", "two bitmaps", *JOINS)
# Order keys of lineitem at scale 1, whose rows are next to each other, and parts, whose rows are spread over the table.
ORDER_KEYS = 6_000_000
PARTS = 200_000
# Column → the keys at scale 1 and the distance of two keys of a join.
JOINED = {"l_orderkey": (ORDER_KEYS, 600), "l_partkey": (PARTS, 100)}


def conditions(scale: int) -> dict[str, str]:
    """The condition of each case, with keys from the whole table. lineitem is sorted by them."""
    end = ORDER_KEYS * scale
    middle = end // 2
    keys = ", ".join(str(key + 1) for key in range(0, end, end // 1000))
    parts = ", ".join(str(key + 1) for key in range(0, PARTS * scale, PARTS * scale // 100))
    return {
        "one key": f"l_orderkey = {middle + 1}",
        "one part": f"l_partkey = {PARTS * scale // 2}",
        "IN of 100 parts": f"l_partkey IN ({parts})",
        "IN of 1,000 keys": f"l_orderkey IN ({keys})",
        "a range of 0.1 %": f"l_orderkey BETWEEN {middle} AND {middle + end // 1000}",
        "two bitmaps": "l_shipmode = 'AIR' AND l_returnflag = 'R'",
    }


def scale_of(path: str) -> int:
    import lance

    return max(1, round(lance.dataset(path).count_rows() / ORDER_KEYS))


def copied(data: Path, system: str) -> str:
    return linked(data / "lineitem-2.2.lance", data / f"indexed-{system}.lance")


def of_pylance(path: str) -> Callable[[str, str], Callable[[], object]]:
    import lance

    where = conditions(scale_of(path))

    def job(case: str, _contender: str) -> Callable[[], object]:
        dataset = lance.dataset(path)
        if case in BUILDS:
            column, kind = BUILDS[case]
            return lambda: dataset.create_scalar_index(column, kind, name=f"{column}_{kind}", replace=True)
        if case in JOINS:
            raise ValueError(f"pylance has no {case}")
        return lambda: dataset.to_table(filter=where[case], columns=["l_orderkey", "l_partkey", "l_quantity"])

    return job


def of_spark(path: str) -> Callable[[str, str], Callable[[], object]]:
    spark = session("4g")
    scale = scale_of(path)
    where = conditions(scale)
    for column, (keys, step) in JOINED.items():
        rows = spark.range(0, keys * scale, step * scale).selectExpr("id + 1 AS k")
        rows.write.mode("overwrite").parquet(f"{path}.{column}")

    def job(case: str, contender: str) -> Callable[[], object]:
        if case in BUILDS:
            column, kind = BUILDS[case]
            call = f"CALL lance.system.create_index(table => '{path}', column => '{column}', type => '{kind}', "
            return lambda: spark.sql(f"{call} name => '{column}_{kind}', replace => true)").collect()
        if case == "empty":
            return lambda: spark.range(1).selectExpr("id").toArrow()
        reader = spark.read.format("lance").option("useScalarIndex", str(contender != "scan").lower())
        rows = reader.load(path).select("l_orderkey", "l_partkey", "l_quantity")
        if case not in JOINS:
            return lambda: rows.where(where[case]).toArrow()
        column = JOINS[case]
        keys = spark.read.parquet(f"{path}.{column}").where("k > 0")
        return lambda: rows.join(keys.hint("broadcast"), rows[column] == keys.k).toArrow()

    return job


if __name__ == "__main__":
    table = copied(Path(sys.argv[2]), sys.argv[1])
    serve(of_spark(table) if sys.argv[1] == "sparklance" else of_pylance(table))
