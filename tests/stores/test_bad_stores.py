"""Stores that answer late, not at all, or wrongly: bounded retries, then one error; and no request is left."""

import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import lance
import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from benchmarks.store import BUCKET, SlowStore

ROWS = 30_000
TEXT = "repeat(string(id), 20)"
BUSY = b"<Error><Code>SlowDown</Code><Message>Reduce your request rate.</Message></Error>"


class Faulty:
    """Answers the first requests of data files in its own way.

    Args:
        answer: how; a method of this class.
        times: number of these requests; all if negative.
        folder: that of the files, in the table's folder.
    """

    def __init__(self, answer: str, times: int, folder: str = "data") -> None:
        self.answer = getattr(self, answer)
        self.left = times
        self.folder = folder
        self.asked = 0

    def __call__(self, request: Any, file: Path) -> bool:
        if self.folder not in file.parts or self.left == 0:
            return False
        self.left -= 1
        self.asked += 1
        self.answer(request, file)
        return True

    def busy(self, request: Any, _: Path) -> None:
        request.answer(503, BUSY)

    def cut(self, request: Any, file: Path) -> None:
        """Sends half of what it promises."""
        start, _, end = request.headers["Range"].removeprefix("bytes=").partition("-")
        size = file.stat().st_size
        first, last = int(start), min(int(end or size - 1), size - 1)
        request.send_response(206)
        request.send_header("Content-Range", f"bytes {first}-{last}/{size}")
        request.send_header("Content-Length", str(last - first + 1))
        request.end_headers()
        request.wfile.write(file.read_bytes()[first : (first + last) // 2])
        request.close_connection = True

    def stall(self, request: Any, _: Path) -> None:
        time.sleep(6)
        request.close_connection = True

    def whole(self, request: Any, file: Path) -> None:
        """Forgets that a part was asked for."""
        request.answer(200, file.read_bytes())


@pytest.fixture(scope="module")
def store(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SlowStore]:
    """A store with a table; the session reads its bucket. One for all tests: Hadoop keeps a client of a bucket."""
    folder = tmp_path_factory.mktemp("bad")
    spark.range(0, ROWS, 1, 1).selectExpr("id", f"{TEXT} AS s").write.format("lance").save(str(folder / "table"))
    with SlowStore(folder, 0) as store:
        settings = {
            "endpoint": store.url,
            "attempts.maximum": "1",
            "retry.limit": "1",
            "retry.interval": "50ms",
            "retry.throttle.limit": "1",
            "retry.throttle.interval": "50ms",
            "connection.request.timeout": "2s",
            "connection.timeout": "2s",
        }
        for name, value in settings.items():
            spark.conf.set(f"fs.s3a.bucket.{BUCKET}.{name}", value)
        yield store
        for name in settings:
            spark.conf.unset(f"fs.s3a.bucket.{BUCKET}.{name}")


@pytest.fixture
def table(store: SlowStore) -> Iterator[Path]:
    """A table that no test has read: S3A and we keep what was read."""
    path = store.folder / f"t{time.monotonic_ns()}"
    shutil.copytree(store.folder / "table", path)
    yield path
    store.fault = None


def total(spark: SparkSession, table: Path) -> tuple[int, int]:
    rows = spark.read.format("lance").load(f"s3a://{BUCKET}/{table.name}")
    found = rows.selectExpr("sum(id)", "sum(length(s))").head()
    return found[0], found[1]


RIGHT = (ROWS * (ROWS - 1) // 2, 20 * sum(len(str(i)) for i in range(ROWS)))


@pytest.mark.parametrize("answer", ["busy", "cut", "stall"])
def test_a_store_that_fails_once_is_asked_again(
    spark: SparkSession, store: SlowStore, table: Path, answer: str
) -> None:
    store.fault = Faulty(answer, 1)
    assert total(spark, table) == RIGHT
    assert store.fault.asked == 1


@pytest.mark.parametrize("answer", ["busy", "cut", "stall"])
def test_a_store_that_keeps_failing_is_one_error(
    spark: SparkSession, store: SlowStore, table: Path, answer: str
) -> None:
    store.fault = Faulty(answer, -1)
    with pytest.raises(Exception, match=r"/data/[^ ]*\.lance"):
        total(spark, table)
    asked = store.fault.asked
    assert asked <= 100
    time.sleep(3)
    assert store.fault.asked == asked, "requests go on after the error"
    store.fault = None
    assert total(spark, table) == RIGHT


@pytest.fixture(scope="module")
def indexed(store: SlowStore) -> Path:
    """A table with an index of keys, of words and of vectors."""
    vectors = pa.FixedSizeListArray.from_arrays(pa.array([float(i % 97) for i in range(4 * 2000)], pa.float32()), 4)
    rows = pa.table({"id": range(2000), "s": [f"word{i % 50}" for i in range(2000)], "v": vectors})
    dataset = lance.write_dataset(rows, store.folder / "indexed")
    dataset.create_scalar_index("id", "BTREE")
    dataset.create_scalar_index("s", "INVERTED")
    dataset.create_index("v", "IVF_FLAT", num_partitions=4)
    return store.folder / "indexed"


#: Index → a search of a table by it, and the number of its rows.
SEARCHES = {
    "id_idx": ("SELECT id FROM lance.`{}` WHERE id = 77", 1),
    "s_idx": ("SELECT id FROM lance_fts('{}', 's', 'word7', k => 100)", 40),
    "v_idx": ("SELECT id FROM lance_vector_search('{}', 'v', array(1, 2, 3, 4), k => 5)", 5),
}


@pytest.mark.parametrize("answer", ["busy", "cut"])
def test_a_search_asks_again_or_names_the_file_of_its_index(
    spark: SparkSession, store: SlowStore, indexed: Path, answer: str
) -> None:
    for times in (1, -1):
        copy = store.folder / f"t{time.monotonic_ns()}"
        shutil.copytree(indexed, copy)
        for query, count in SEARCHES.values():

            def found(query: str = query, copy: Path = copy) -> int:
                return len(spark.sql(query.format(f"s3a://{BUCKET}/{copy.name}")).collect())

            store.fault = Faulty(answer, times, "_indices")
            if times == 1:
                assert found() == count
            else:
                with pytest.raises(Exception, match="_indices"):
                    found()
            assert 0 < store.fault.asked <= 100
            store.fault = None
            assert found() == count


def test_a_store_that_forgets_ranges_gives_no_wrong_rows(spark: SparkSession, store: SlowStore, table: Path) -> None:
    """A client that asked for the whole file, or skips what it did not ask for, gives the right ones."""
    store.fault = Faulty("whole", -1)
    assert outcome(lambda: total(spark, table)) in (RIGHT, "error")


def test_a_file_that_changes_under_a_reader_gives_no_wrong_rows(spark: SparkSession, table: Path) -> None:
    """A client that has kept the file's bytes may still give the old rows."""
    rows = spark.read.format("lance").load(f"s3a://{BUCKET}/{table.name}")
    assert rows.selectExpr("sum(id)").head()[0] == RIGHT[0]
    file = next(table.glob("data/*.lance"))
    content = bytearray(file.read_bytes())
    content[: len(content) // 2] = bytes(len(content) // 2)
    file.write_bytes(content)
    assert outcome(lambda: tuple(rows.selectExpr("sum(id)", "sum(length(s))").head())) in (RIGHT, "error")


def outcome(read: Callable[[], tuple[int, int]]) -> tuple[int, int] | str:
    """The result of a read, or "error" if it fails with the name of a file."""
    try:
        return read()
    except Exception as error:
        return "error" if ".lance" in str(error) else str(error)
