"""Hybrid search on real texts: the documentation of Python's standard library, as it is in its source files.

Run it with `python examples/hybrid_search.py` where sparklance, pylance and numpy are installed.
"""

import ast
import sys
import sysconfig
import tempfile
import zlib
from collections.abc import Iterator
from pathlib import Path

import lance
import numpy as np
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import sparklance
from sparklance import LanceDataset

WIDTH, DIMENSION = 1024, 48
MODULES = (
    "argparse bz2 codecs configparser csv datetime fileinput fractions functools gzip heapq inspect io ipaddress lzma "
    "mailbox os pathlib pickle random shutil smtplib socket sqlite3 statistics tarfile tempfile threading zipfile"
).split()


def documented(folder: Path) -> Iterator[tuple[str, str, str]]:
    """Module, name and documentation of functions and classes."""
    for path in sorted(p for p in folder.glob("*.py") if p.stem in MODULES):
        for node in ast.walk(ast.parse(path.read_bytes())):
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and (text := ast.get_docstring(node)):
                yield path.stem, node.name, text


def embedded(texts: list[str]) -> np.ndarray:
    """Vectors of shape (texts, DIMENSION): words that occur in the same texts are near to each other."""
    counts = np.zeros((len(texts), WIDTH), np.float32)
    for row, text in enumerate(texts):
        for word in text.lower().split():
            counts[row, zlib.crc32(word.encode()) % WIDTH] += 1
    weighted = np.log1p(counts) * np.log(len(texts) / (1 + (counts > 0).sum(axis=0)))
    _, vectors = np.linalg.eigh(weighted.T @ weighted)
    reduced = weighted @ vectors[:, -DIMENSION:]
    return reduced / np.maximum(np.linalg.norm(reduced, axis=1, keepdims=True), 1e-9)


def show(title: str, rows: DataFrame) -> None:
    print(f"\n-- {title}", flush=True)
    rows.show(5, truncate=70)


def main(folder: Path) -> None:
    builder = SparkSession.builder.appName("hybrid search").config("spark.ui.showConsoleProgress", "false")
    spark = sparklance.configure(builder).getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    path = str(folder / "library.lance")

    entries = list(documented(Path(sysconfig.get_path("stdlib"))))
    vectors = embedded([text for _, _, text in entries])
    rows = [(*entry, vector.tolist()) for entry, vector in zip(entries, vectors, strict=True)]
    table = spark.createDataFrame(rows, "module STRING, name STRING, body STRING, embedding ARRAY<FLOAT>")
    ds = LanceDataset.create(spark, table, path, **{"embedding.arrow.fixed-size-list.size": str(DIMENSION)})
    print(f"{ds.count_rows():,} texts")

    # The two sides share the table: pylance builds the index, Spark searches it.
    lance.dataset(path).create_scalar_index("body", "INVERTED", with_position=True)
    ds = LanceDataset(spark, path)

    words = "compress file"
    texts = ds.to_df(["module", "name", "body"], full_text_query=words, limit=5)
    marked = F.expr(f"lance_highlight(split_part(body, '\\n', 1), '{words}', '*', '*')").alias("first_line")
    show(f"Texts with the words '{words}'", texts.select("module", "name", marked, "_score"))

    query = next(vector for (module, name, _), vector in zip(entries, vectors, strict=True) if name == "GzipFile")
    near = {"column": "embedding", "q": query, "k": 5, "metric": "cosine"}
    show("Texts that are alike the one of GzipFile", ds.to_df(["module", "name"], nearest=near))

    chosen = "module NOT IN ('gzip', 'zipfile')"
    best = ds.hybrid_search(query, words, k=5, columns=["module", "name"], metric="cosine", filter=chosen)
    show(f"Both, among texts with {chosen}", best)

    spark.sql(
        f"SELECT module, count(*) AS texts FROM lance.`{path}` WHERE lance_match_phrase(body, 'file object') "
        "GROUP BY module ORDER BY texts DESC, module LIMIT 5"
    ).show()
    spark.stop()


if __name__ == "__main__":
    if len(sys.argv) > 1:
        main(Path(sys.argv[1]))
    else:
        with tempfile.TemporaryDirectory() as temporary:
            main(Path(temporary))
