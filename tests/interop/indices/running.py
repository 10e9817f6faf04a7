"""Random tables of pylance with indices, and random predicates on them: three ways to the same rows."""

import random
import warnings
from dataclasses import dataclass

import lance
import pyarrow as pa
from lance.indices import IndexConfig
from pyspark.sql import SparkSession

from sparklance import LanceDataset
from tests.interop.indices.content import COLUMNS, Column, table
from tests.interop.indices.predicates import predicate
from tests.interop.plans import physical

PARAMETERS = {
    "BTREE": {"zone_size": 16},
    "ZONEMAP": {"rows_per_zone": 16},
    "BLOOMFILTER": {"number_of_items": 32, "probability": 0.01},
}


@dataclass
class Indexed:
    """A table with indices, and the seed from which it is made."""

    path: str
    seed: int
    columns: list[Column]


def index(dataset: lance.LanceDataset, column: Column, kind: str, builder: SparkSession | None) -> None:
    # pylance spells the kinds of parameters in lower case.
    config = IndexConfig(kind.lower(), PARAMETERS[kind]) if kind in PARAMETERS else kind
    name = f"{column.name}_{kind.lower()}"
    if builder is None:
        dataset.create_scalar_index(column.expression, config, name=name)
    else:
        LanceDataset(builder, dataset.uri).create_scalar_index(column.expression, config, name)


def build(path: str, seed: int, builder: SparkSession | None = None) -> Indexed:
    """Makes a table: rows, indices, and then changes that the indices cover in part.

    `builder`: builds indices, and brings them up to date at times, in place of pylance.
    """
    r = random.Random(seed)
    warnings.simplefilter("ignore")
    columns = r.sample(COLUMNS, 4)
    size = r.choice([30, 120, 400])
    version = r.choice(["2.0", "2.1", "2.2"])
    dataset = lance.write_dataset(
        table(columns, r, size, 0, null_structs=version != "2.0"),
        path,
        max_rows_per_file=r.choice([size, size // 3 + 1, 17]),
        data_storage_version=version,
        enable_stable_row_ids=r.random() < 0.5,
    )
    if r.random() < 0.4:
        dataset.delete(f"id % {r.choice([2, 5])} = 1")
    for column in columns:
        kinds = set(r.choices(column.kinds, k=r.choice([1, 1, 2])))
        for kind in sorted(kinds):
            index(dataset, column, kind, builder)
            dataset = lance.dataset(path)
    for _ in range(r.choice([0, 1, 2, 4])):
        if builder is not None and r.random() < 0.4:
            LanceDataset(builder, path).optimize.optimize_indices(num_indices_to_merge=r.choice([None, 1, 5]))
        else:
            change(dataset, columns, r)
        dataset = lance.dataset(path)
    return Indexed(path, seed, columns)


def change(dataset: lance.LanceDataset, columns: list[Column], r: random.Random) -> None:
    size = r.choice([5, 60])
    # pylance cannot optimize indices on fields of structs.
    step = r.randrange(3 if any(column.path for column in columns) else 6)
    null_structs = dataset.data_storage_version != "2.0"

    def more(first: int) -> pa.Table:
        return table(columns, r, size, first, null_structs)

    if step == 0:
        first = dataset.count_rows() + 10000 + r.randrange(1 << 20)
        lance.write_dataset(more(first), dataset.uri, mode="append", max_rows_per_file=40)
    elif step == 1:
        dataset.delete(f"id % {r.choice([3, 7, 11])} = {r.randrange(3)}")
    elif step == 2:
        flat = [c for c in columns if c.path is None and c.kinds != ("LABEL_LIST",)]
        column = r.choice(flat) if flat else columns[0]
        if flat and (value := r.choice([None, column.value(r)])):
            dataset.update({column.name: column.literal(value)}, where=f"id % {r.choice([3, 9])} = 0")
    elif step == 3:
        dataset.optimize.optimize_indices(num_indices_to_merge=r.choice([0, 1, 5]))
    elif step == 4:
        dataset.optimize.compact_files(target_rows_per_fragment=r.choice([40, 1000]))
    else:
        first = dataset.count_rows() + 20000 + r.randrange(1 << 20)
        lance.write_dataset(more(first), dataset.uri, mode="append")
        lance.dataset(dataset.uri).optimize.optimize_indices(num_indices_to_merge=0)


def of_spark(spark: SparkSession, path: str, predicates: list[str], use: bool) -> tuple[list[list[int]], int]:
    """Ids of the rows of each predicate, by one query for all, and the number of scans that used an index."""
    reader = spark.read.format("lance").option("useScalarIndex", use)
    reader.load(path).createOrReplaceTempView("indexed")
    parts = (f"SELECT {i} AS k, id FROM indexed WHERE {p}" for i, p in enumerate(predicates))
    found: list[list[int]] = [[] for _ in predicates]
    query = spark.sql(" UNION ALL ".join(parts))
    for row in query.collect():
        found[row["k"]].append(row["id"])
    return [sorted(ids) for ids in found], physical(query).count("indices [")


def of_pylance(path: str, condition: str) -> list[int]:
    found = lance.dataset(path).to_table(columns=["id"], filter=condition, use_scalar_index=False)
    assert isinstance(found, pa.Table)
    return sorted(found["id"].to_pylist())


def is_like_in_pylance(condition: str) -> bool:
    """Whether scans of pylance find the same rows.

    They do not take -0 and 0 for equal, and have other functions of lists. They find nulls for NOT (s IN ('a') AND
    s IN ('b')), because they simplify the operand to false.
    """
    others = any(name in condition for name in ("f32", "f64", "nums", "tags"))
    return not others and not ("NOT" in condition and condition.count(" IN (") > 1)


def compare(spark: SparkSession, indexed: Indexed, count: int) -> int:
    """Asks random predicates; returns how many of their scans used an index."""
    r = random.Random(indexed.seed)
    predicates = [predicate(indexed.columns, r) for _ in range(count)]
    found, uses = of_spark(spark, indexed.path, predicates, use=True)
    scanned, none = of_spark(spark, indexed.path, predicates, use=False)
    assert none == 0
    for condition, with_index, without in zip(predicates, found, scanned, strict=True):
        told = f"seed {indexed.seed}: {condition}"
        assert with_index == without, told
        if is_like_in_pylance(condition):
            assert with_index == of_pylance(indexed.path, condition), told
    return uses
