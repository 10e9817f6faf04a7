"""Vectors of Arrow, numpy and pandas stay vectors, and lists become vectors in place."""

from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

import lance
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from sparklance import LanceDataset, LanceOperation, write_fragments
from sparklance.errors import LanceUsageException

VECTORS = [[0.0, 1.0], [0.5, 2.0], [4.0, 4.0]]


def types_of(path: str) -> dict[str, str]:
    return {field.name: str(field.type) for field in lance.dataset(path).schema}


def test_types_of_arrow_are_kept(spark: SparkSession, tmp: str) -> None:
    vector = pa.list_(pa.float32(), 2)
    rows = pa.table(
        {
            "id": [0, 1, 2],
            "v": pa.array([VECTORS[0], None, VECTORS[2]], vector),
            "half": pa.array(VECTORS, pa.list_(pa.float16(), 2)),
            "short": pa.array([1.0, None, 2.0], pa.float16()),
            "wide": pa.array(VECTORS, pa.list_(pa.float64(), 2)),
            "multi": pa.array([[VECTORS[0]], None, VECTORS[1:]], pa.list_(vector)),
            "matrix": pa.array([VECTORS] * 3, pa.list_(vector, 3)),
            "s": pa.array(
                [{"e": VECTORS[0], "n": 1}, None, {"e": None, "n": 2}], pa.struct({"e": vector, "n": pa.int32()})
            ),
            "texts": pa.array([["a"]] * 3, pa.list_(pa.string(), 1)),
        }
    )
    empty = LanceDataset.create(spark, rows.slice(0, 0), f"{tmp}/empty")
    assert (empty.count_rows(), types_of(f"{tmp}/empty")["v"]) == (0, "fixed_size_list<item: float>[2]")
    ours = LanceDataset.create(spark, rows, f"{tmp}/t")
    lance.write_dataset(rows.drop_columns(["texts"]), f"{tmp}/theirs")
    expected = types_of(f"{tmp}/theirs")
    found = types_of(f"{tmp}/t")
    assert {name: found[name].replace("element", "item") for name in expected} == expected
    assert found["texts"] == "list<item: string>"
    some = ["v", "half", "s"]
    assert lance.dataset(f"{tmp}/t").to_table(some).to_pylist() == rows.select(some).to_pylist()
    assert ours.to_df(nearest={"column": "v", "q": [4.0, 4.0], "k": 1}).toArrow()["id"].to_pylist() == [2]
    ours.insert(rows.slice(1).to_batches()[0])
    ours.insert(pa.RecordBatchReader.from_batches(rows.schema, rows.to_batches()))
    ours = LanceDataset.commit(
        spark, f"{tmp}/t", LanceOperation.Append(write_fragments(rows, f"{tmp}/t")), read_version=ours.version
    )
    ours.add_columns(pa.schema([pa.field("later", vector)]))
    assert ours.count_rows() == 11
    assert types_of(f"{tmp}/t")["later"] == "fixed_size_list<item: float>[2]"


@pytest.mark.parametrize(
    "data",
    [
        {"id": [0, 1, 2], "v": np.array(VECTORS, np.float32)},
        {"id": [0, 1, 2], "v": pd.Series(list(np.array(VECTORS, np.float32))).to_numpy()},
        pd.DataFrame({"id": [0, 1, 2, 3], "v": [*np.array(VECTORS, np.float32), float("nan")]}),
        pd.DataFrame({"id": [0, 1, 2], "v": pd.Series(VECTORS, dtype=pd.ArrowDtype(pa.list_(pa.float32(), 2)))}),
    ],
    ids=["numpy", "arrays", "pandas", "pandas with types of Arrow"],
)
def test_columns_of_numpy_and_pandas_are_vectors(spark: SparkSession, tmp: str, data: Any) -> None:
    ours = LanceDataset.create(spark, data, f"{tmp}/t")
    assert types_of(f"{tmp}/t")["v"] == "fixed_size_list<item: float>[2]"
    assert ours.search([4.0, 3.0]).limit(1).to_arrow()["id"].to_pylist() == [2]
    upsert = ours.merge_insert("id").when_matched_update_all().when_not_matched_insert_all()
    counts = upsert.execute(pa.table({"id": [2, 9], "v": pa.array([[9.0, 9.0]] * 2, pa.list_(pa.float32(), 2))}))
    assert (counts["num_updated_rows"], counts["num_inserted_rows"]) == (1, 1)


def test_lists_stay_lists_until_they_are_made_vectors(spark: SparkSession, tmp: str) -> None:
    ragged = [np.array([1.0]), np.array([1.0, 2.0]), None]
    ours = LanceDataset.create(spark, pd.DataFrame({"id": [0, 1, 2], "v": VECTORS, "w": ragged}), f"{tmp}/t")
    assert set(types_of(f"{tmp}/t").values()) == {"int64", "list<item: double>"}
    with pytest.raises(LanceUsageException, match="fixed_size_list:double:<length>") as told:
        ours.search([4.0, 4.0])
    assert "'v' has lists of double" in str(told.value)
    ours.insert(pa.table({"id": [3], "v": pa.array([VECTORS[0]], pa.list_(pa.float64(), 2)), "w": [[1.0, 2.0]]}))
    with pytest.raises(LanceUsageException, match="a list of 1 item, in row 0 of fragment 0"):
        ours.alter_columns({"path": "w", "data_type": pa.list_(pa.float64(), 2)})
    ours.alter_columns({"path": "v", "data_type": pa.list_(pa.float32(), 2)})
    assert types_of(f"{tmp}/t")["v"] == "fixed_size_list<item: float>[2]"
    assert ours.search([4.0, 4.0]).limit(1).to_arrow()["id"].to_pylist() == [2]
    assert lance.dataset(f"{tmp}/t").to_table(nearest={"column": "v", "q": [4.0, 4.0], "k": 1})["id"].to_pylist() == [2]
    declared = {"v.arrow.fixed-size-list.size": 2}
    other = LanceDataset.create(spark, pd.DataFrame({"id": [0, 1, 2], "v": VECTORS}), f"{tmp}/other", **declared)
    assert other.search([4.0, 4.0]).limit(1).to_arrow()["id"].to_pylist() == [2]


@pytest.mark.parametrize("version", ["2.0", "2.1", "2.2"])
def test_pylance_reads_lists_that_became_vectors(spark: SparkSession, tmp: str, version: str) -> None:
    path = f"{tmp}/t"
    lists = [None if i % 7 == 3 else [float(i), i / 2] for i in range(50)]
    rows = pa.table({"id": range(50), "v": pa.array(lists, pa.large_list(pa.float64())), "n": ["x"] * 50})
    lance.write_dataset(rows, path, max_rows_per_file=20, data_storage_version=version)
    lance.dataset(path).delete("id = 4")
    spark.sql(f"ALTER TABLE lance.`{path}` SET TBLPROPERTIES ('v.arrow.fixed-size-list.size' = '2')")
    theirs = lance.dataset(path)
    assert theirs.schema.field("v").type == pa.list_(pa.float64(), 2)
    assert theirs.to_table().to_pylist() == [row for row in rows.to_pylist() if row["id"] != 4]
    theirs.validate()
    theirs.optimize.compact_files()
    assert lance.dataset(path).to_table()["v"].to_pylist() == [v for i, v in enumerate(lists) if i != 4]
    lance.write_dataset(rows, f"{tmp}/legacy", data_storage_version="legacy")
    with pytest.raises(LanceUsageException, match="raise_file_version"):
        LanceDataset(spark, f"{tmp}/legacy").alter_columns({"path": "id", "data_type": "int32"})


def test_types_of_arrow_that_spark_lacks_are_kept(spark: SparkSession, tmp: str) -> None:
    day, moment = date(2020, 1, 2), datetime(2020, 1, 2, 3)
    tensors = pa.FixedShapeTensorArray.from_numpy_ndarray(np.array(VECTORS, np.float32))
    rows = pa.table(
        {
            "bits": pa.array([[255, 0], None, [1, 2]], pa.list_(pa.uint8(), 2)),
            **{f"u{n}": pa.array([2**n - 1, None, 0], f"uint{n}") for n in (8, 16, 32, 64)},
            "numbers": pa.array([[1], None, [2**32 - 1]], pa.list_(pa.uint32())),
            "within": pa.array([{"u": 200}, None, {"u": None}], pa.struct({"u": pa.uint8()})),
            "day": pa.array([day, None, day], pa.date64()),
            "seconds": pa.array([moment, None, moment], pa.timestamp("s")),
            "zone": pa.array([moment, None, moment], pa.timestamp("ms", "Europe/Rome")),
            "lasting": pa.array([timedelta(1), None, timedelta(seconds=-1)], pa.duration("s")),
            "hash": pa.array([b"abc", None, b"xyz"], pa.binary(3)),
            "big": pa.array([Decimal(10**36), None, Decimal(-1)], pa.decimal256(50, 0)),
            "text": pa.array(["a", None, "b"], pa.large_string()),
            "uuid": pa.array([b"0" * 16, None, b"1" * 16], pa.uuid()),
            "tensor": tensors,
        }
    )
    ours = LanceDataset.create(spark, rows, f"{tmp}/t")
    lance.write_dataset(rows, f"{tmp}/theirs")
    assert types_of(f"{tmp}/t") == types_of(f"{tmp}/theirs")
    ours.insert(rows.slice(1))
    theirs = lance.dataset(f"{tmp}/t").to_table()
    assert theirs.to_pylist() == [*rows.to_pylist(), *rows.slice(1).to_pylist()]
    found = ours.to_df(nearest={"column": "bits", "q": [255, 1], "k": 1, "metric": "hamming"}).select("u8", "_distance")
    assert [tuple(row) for row in found.collect()] == [(255, 1.0)]


def test_encodings_of_arrow_are_read_as_their_values(spark: SparkSession, tmp: str) -> None:
    words = ["a", None, "b"]
    view = pa.array(["b", "a"], pa.string_view())
    rows = pa.table(
        {
            "view": pa.array(words, pa.string_view()),
            "bytes": pa.array([b"a", None, b"b"], pa.binary_view()),
            "category": pa.DictionaryArray.from_arrays(pa.array([1, None, 0], pa.uint32()), view),
            "runs": pa.array(words, pa.run_end_encoded(pa.int32(), pa.string())),
            "views": pa.array([["a"], None, []], pa.list_(pa.string_view())),
        }
    )
    LanceDataset.create(spark, rows, f"{tmp}/t")
    assert lance.dataset(f"{tmp}/t").to_table().to_pylist() == rows.to_pylist()


class Subclass(pd.DataFrame):
    pass


def test_columns_of_pandas_and_lists_have_the_types_of_pylance(spark: SparkSession, tmp: str) -> None:
    items = [np.array([i, np.nan], np.float32) for i in range(2)]
    rows = Subclass(
        {
            "v": [items[0], pd.NA],
            "mixed": [items[0].astype("f2"), items[1].astype("f8")],
            "u": pd.array([200, None], dtype="UInt8"),
            "category": pd.Categorical(["x", None]),
            "day": pd.period_range("2020", periods=2, freq="D"),
            "moment": pd.to_datetime(["2020-01-01T01:02:03.000004", None]),
            "span": pd.to_timedelta([1, None], "s"),
            "maybe": pd.array([None, True], dtype="boolean"),
            "text": pd.array(["a", None], dtype="string"),
            "s": pd.Series([{"v": [1.0, 2.0]}, None], dtype=pd.ArrowDtype(pa.struct({"v": pa.list_(pa.float32(), 2)}))),
            "nan": [1.0, float("nan")],
        }
    )
    LanceDataset.create(spark, rows, f"{tmp}/t")
    found = lance.dataset(f"{tmp}/t").to_table()
    assert [str(found.schema.field(n).type) for n in ("v", "mixed")] == [
        "fixed_size_list<item: float>[2]",
        "fixed_size_list<item: double>[2]",
    ]
    others = pa.Table.from_pandas(rows.drop(columns=["v", "mixed"]), preserve_index=False)
    expected = {
        name: str(t.value_type if pa.types.is_dictionary(t) else t)
        for name, t in zip(others.column_names, others.schema.types, strict=True)
    }
    assert {name: str(found.schema.field(name).type) for name in expected} == expected
    assert found.select(others.column_names).to_pylist() == others.to_pylist()
    assert [None if v is None else np.nan_to_num(v, nan=7).tolist() for v in found["v"].to_pylist()] == [[0, 7], None]
    LanceDataset.create(spark, {1: items, "big": np.array([1, 2], ">i4")}, f"{tmp}/lists")
    assert types_of(f"{tmp}/lists") == {"1": "fixed_size_list<item: float>[2]", "big": "int32"}
    assert LanceDataset.create(spark, rows[:0], f"{tmp}/empty").count_rows() == 0


@pytest.mark.parametrize(
    ("values", "said"),
    [
        (pa.array([1001], pa.timestamp("ns")), "of type timestamp.ns. cannot be passed to Spark .* rounding times"),
        (pa.array([None], pa.month_day_nano_interval()), "has the type month_day_nano_interval of Arrow"),
        ("abc", "cannot be read: it is a single value of type str"),
        (np.array(1.0), "cannot be read: it is an array without a dimension"),
        ([1, "a"], "cannot be read: Could not convert 'a'"),
        ([time(1)], "has times of day, .* spark.sql.timeType.enabled"),
        ([1, 2], "the same number of values; these have {'id': 1, 'x': 2}"),
    ],
    ids=["nanoseconds", "interval", "text", "number", "mixed", "times", "lengths"],
)
def test_data_that_spark_cannot_take_are_refused_by_column(
    spark: SparkSession, tmp: str, values: Any, said: str
) -> None:
    with pytest.raises(LanceUsageException, match=f"(Column 'x'|Columns must have) {said}"):
        LanceDataset.create(spark, {"id": [1], "x": values}, f"{tmp}/t")
