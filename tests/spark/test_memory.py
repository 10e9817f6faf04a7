"""Reads and writes that fit a heap of 1 GB with default options."""

import subprocess
import sys
from pathlib import Path

import lance
import numpy as np
import pyarrow as pa
import pytest
from lance.query import MatchQuery, PhraseQuery

pytestmark = pytest.mark.process


def written(case: str, path: str) -> lance.LanceDataset:
    command = [sys.executable, str(Path(__file__).parent / "memory.py"), case, path]
    subprocess.run(command, check=True, timeout=600)
    found = lance.dataset(path)
    found.validate()
    return found


def test_large_values(tmp: str) -> None:
    values = written("large values", tmp).to_table()["value"].to_pylist()
    assert values == [b"0", b"b" * 100_000_000, b"2"]


@pytest.mark.cross
def test_one_large_value(tmp: str) -> None:
    assert written("one value", tmp).to_table()["value"].to_pylist() == [b"b" * 100_000_000]


@pytest.mark.long
def test_the_full_text_index_of_a_large_text(tmp: str) -> None:
    """`TextBuildSuite` builds an index of a smaller text."""
    found = written("large text", tmp)
    rows = found.to_table(columns=["id"], full_text_query=PhraseQuery("alpha beta", "body"))
    assert rows["id"].to_pylist() == [1]
    assert len(found.to_table(columns=["id"], full_text_query=MatchQuery("beta", "body"))) == 3


@pytest.mark.long
def test_ten_thousand_columns(tmp: str) -> None:
    found = written("many columns", tmp)
    assert len(found.schema) == 10_000
    assert found.count_rows() == 4000
    # Each row has the same number in all of its columns, in one way or another.
    first = found.to_table(columns=[f"c{i}" for i in (0, 1, 2, 3, 9996, 9997, 9998, 9999)])
    ids = np.arange(4000)
    assert sorted(first["c0"].to_pylist()) == ids.tolist()
    for start in ("c0", "c9996"):
        number, small, rest, text = (first[f"c{int(start[1:]) + i}"] for i in range(4))
        assert number == first["c0"]
        assert small.cast(pa.int64()) == number
        assert np.array_equal(rest.to_numpy(), number.to_numpy() % 7)
        assert text == number.cast(pa.string())


@pytest.mark.long
def test_vectors_of_thousands_of_floats(tmp: str) -> None:
    found = written("vectors", tmp)
    assert found.schema.field("v").type == pa.list_(pa.float32(), 4096)
    assert found.count_rows() == 12_000
    rows = found.take([0, 1, 5_999, 6_000, 11_999])
    for number, fixed, free in zip(*(rows[name].to_pylist() for name in ("id", "v", "w")), strict=True):
        assert fixed == (number * 4096 + np.arange(4096)).astype(np.float32).tolist()
        assert free == (fixed if number % 2 == 0 else None)
