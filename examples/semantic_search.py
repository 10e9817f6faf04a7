"""Search by meaning: what Python's standard library says of itself, as vectors in a Lance table.

The texts are the docstrings of some modules. Each becomes a vector by latent semantic analysis: the weights of its
words, projected to the 64 directions in which the texts differ most. So texts can be near to each other without a
common word. An embedding model would make better vectors; all else stays the same.

Run it with `python examples/semantic_search.py`, where sparklance and numpy are installed.
"""

import importlib
import inspect
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyspark.sql import SparkSession

import sparklance
from sparklance import LanceDataset

MODULES = """
    argparse bisect calendar collections configparser csv datetime decimal difflib email.message fnmatch fractions
    functools glob gzip hashlib heapq hmac http.client inspect io itertools json logging math ntpath os pathlib pickle
    posixpath queue random re secrets shutil socket sqlite3 statistics string struct subprocess tarfile tempfile
    textwrap threading time unicodedata urllib.parse urllib.request uuid zipfile
""".split()
DIMENSION = 64


def docstrings() -> pa.Table:
    """The texts: module, name and docstring of each public function, class and method."""
    rows = [(module, name, text) for module in MODULES for name, text in _documented(module)]
    modules, names, texts = zip(*rows, strict=True)
    return pa.table({"id": range(len(rows)), "module": modules, "name": names, "text": texts})


def _documented(module: str) -> Iterator[tuple[str, str]]:
    for name, value in inspect.getmembers(importlib.import_module(module)):
        if inspect.isclass(value) and value.__module__.lstrip("_") != module:
            continue
        members = inspect.getmembers(value) if inspect.isclass(value) else []
        for full, each in [(name, value), *((f"{name}.{part}", member) for part, member in members)]:
            text = " ".join((inspect.getdoc(each) or "").split())[:600]
            own = getattr(each, "__module__", None) in (module, None)
            if own and "_" not in {full[0], full.rpartition(".")[2][0]} and callable(each) and len(text) > 40:
                yield f"{module}.{full}", text


@dataclass(frozen=True)
class Embedding:
    """A model that turns texts into vectors of length 1, made of the texts that it is to compare."""

    words: dict[str, int]
    weights: np.ndarray
    directions: np.ndarray

    @staticmethod
    def of(texts: list[str]) -> "Embedding":
        counts = Counter(word for text in texts for word in set(_words(text)))
        known = sorted(word for word, count in counts.items() if 1 < count < len(texts) / 12)
        words = {word: i for i, word in enumerate(known)}
        weights = np.array([np.log(len(texts) / counts[word]) for word in words], dtype=np.float32)
        matrix = _frequencies(texts, words) * weights
        # Two rounds of a block power iteration find the main directions.
        basis = np.random.default_rng(7).standard_normal((len(words), 2 * DIMENSION), dtype=np.float32)
        for _ in range(2):
            basis, _r = np.linalg.qr(matrix.T @ (matrix @ basis))
        _u, _s, inner = np.linalg.svd(matrix @ basis, full_matrices=False)
        return Embedding(words, weights, basis @ inner[:DIMENSION].T)

    def vectors(self, texts: list[str]) -> np.ndarray:
        """Vectors of shape (texts, 64)."""
        found = (_frequencies(texts, self.words) * self.weights) @ self.directions
        return np.asarray(found / np.maximum(np.linalg.norm(found, axis=1, keepdims=True), 1e-6))


def _words(text: str) -> list[str]:
    return [word.removesuffix("s") for word in re.findall(r"[a-z]{3,}", text.lower())]


def _frequencies(texts: list[str], words: dict[str, int]) -> np.ndarray:
    matrix = np.zeros((len(texts), len(words)), dtype=np.float32)
    for row, text in enumerate(texts):
        for word, count in Counter(_words(text)).items():
            if word in words:
                matrix[row, words[word]] = np.sqrt(count)
    return matrix


@dataclass(frozen=True)
class Picture:
    """All vectors in the two directions in which they differ most, and those that a search found. Jupyter shows it."""

    svg: str

    def _repr_svg_(self) -> str:
        return self.svg


def picture(vectors: np.ndarray, query: np.ndarray, found: dict[int, str]) -> Picture:
    """A picture of the vectors, of shape (n, 64), a query, of shape (64,), and rows that it found, with their names."""
    centre = vectors.mean(axis=0)
    _u, _s, axes = np.linalg.svd(vectors - centre, full_matrices=False)
    every = (np.vstack([vectors, query]) - centre) @ axes[:2].T
    low, high = every.min(axis=0), every.max(axis=0)
    points = 20 + (every - low) / (high - low) * np.array([560, 360])
    dots = [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="1.5" fill="#b0b8c4"/>' for x, y in points[:-1]]
    for row, name in found.items():
        x, y = points[row]
        dots.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="#c2410c"/>')
        dots.append(f'<text x="{x + 6:.1f}" y="{y + 4:.1f}" font-size="10" font-family="sans-serif">{name}</text>')
    x, y = points[-1]
    dots.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="6" fill="none" stroke="#1d4ed8" stroke-width="2"/>')
    return Picture(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 720 400">{"".join(dots)}</svg>')


def create(spark: SparkSession, path: str) -> tuple[LanceDataset, Embedding]:
    """The table of the texts and their vectors, with an index, and the model."""
    texts = docstrings()
    model = Embedding.of(texts["text"].to_pylist())
    vectors = model.vectors(texts["text"].to_pylist())
    lists = pa.FixedSizeListArray.from_arrays(pa.array(vectors.ravel()), DIMENSION)
    # Spark's arrays have no fixed size, so an option names it.
    fixed = {"v.arrow.fixed-size-list.size": str(DIMENSION)}
    ds = LanceDataset.create(spark, texts.append_column("v", lists), path, **fixed)
    ds.create_index("v", "IVF_PQ", metric="cosine", num_partitions=16, num_sub_vectors=16)
    return ds, model


def main(spark: SparkSession, folder: Path) -> None:
    ds, model = create(spark, str(folder / "docstrings.lance"))
    print(f"{ds.count_rows():,} texts, with the index {ds.describe_indices()[0].name}")

    question = "create a temporary directory that is removed afterwards"
    query = model.vectors([question])[0]
    print(f"\n-- {question}")
    search = ds.search(query).nprobes(8).refine_factor(10).limit(5)
    found = search.select(["id", "name", "text"]).to_pandas()
    print(found[["name", "_distance"]].to_string(index=False))

    print("\n-- the same, in the modules os and shutil only")
    print(search.where("module IN ('os', 'shutil')").select(["name"]).to_pandas().to_string(index=False))

    print("\n-- texts of different modules that say the same: a join of the table with itself")
    left = ds.to_df(["id", "module", "name", "v"])
    pairs = ds.nearest_join(left, k=4, metric="cosine", upper_bound=0.05, use_index=False)
    twins = pairs.where("id < id_right AND module != module_right")
    twins.select("name", "name_right", "_distance").orderBy("_distance", "id", "id_right").show(5, truncate=False)

    shown = picture(
        np.stack(ds.to_pandas(["v"])["v"].to_list()), query, dict(zip(found["id"], found["name"], strict=True))
    )
    to = folder / "semantic_search.svg"
    to.write_text(shown.svg)
    print(f"-- a picture: {to}")


if __name__ == "__main__":
    builder = SparkSession.builder.appName("semantic search").config("spark.ui.showConsoleProgress", "false")
    session = sparklance.configure(builder).getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    main(session, Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp()))
