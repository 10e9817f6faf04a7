"""Times builds of full-text indices and searches, by Spark or by pylance: `workers/text.py <system> <data>`.

Each works on a copy of the texts, of hard links, with an index of its own. Texts are paragraphs of the installed
Python packages.
"""

import random
import re
import site
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from benchmarks.workers import linked, serve, session

ROWS, BATCH, K = 200_000, 10_000, 10
LEAST, MOST = 60, 2_000
#: Case → settings of the index. The last one is searched.
BUILDS: dict[str, dict[str, Any]] = {"build": {}, "build with positions": {"with_position": True}}
#: Case → words, and whether they are a phrase.
QUERIES = {
    "rare word": ("zipimporter", False),
    "common word": ("return", False),
    "two words": ("default value", False),
    "two common words": ("self return", False),
    "phrase": ("default value", True),
}


def paragraphs() -> Iterator[str]:
    """Paragraphs of sources: code, comments and docstrings."""
    for root in site.getsitepackages():
        for file in sorted(Path(root).rglob("*.py")):
            for part in re.split(r"\n\s*\n", file.read_text(encoding="utf8", errors="replace")):
                if LEAST <= len(part) <= MOST:
                    yield part


def prepare(data: Path) -> None:
    """The table of texts, unless it is there."""
    import lance
    import pyarrow as pa

    path = data / "texts.lance"
    if not path.exists():
        found = list(dict.fromkeys(paragraphs()))
        random.Random(1).shuffle(found)
        chosen = (found * (ROWS // len(found) + 1))[:ROWS]
        lance.write_dataset(pa.table({"id": range(ROWS), "body": chosen}), path, max_rows_per_file=ROWS // 4)


def queries(data: Path) -> list[str]:
    """Queries of one to three words of the texts."""
    import lance

    rng = random.Random(2)
    texts = lance.dataset(data / "texts.lance").to_table(["body"], limit=20_000)["body"].to_pylist()
    words = [re.findall(r"\w+", text) for text in texts]
    known = [word for own in words for word in own if len(word) > 2]
    return [" ".join(rng.choices(known, k=rng.randint(1, 3))) for _ in range(BATCH)]


def copied(data: Path, system: str) -> str:
    return linked(data / "texts.lance", data / f"searched-texts-{system}.lance")


def size(path: str) -> dict[str, float]:
    """Bytes of the index that was built last."""
    newest = max((Path(path) / "_indices").iterdir(), key=lambda folder: folder.stat().st_mtime)
    return {"bytes": float(sum(file.stat().st_size for file in newest.iterdir()))}


def of_pylance(data: Path) -> Callable[[str, str], Callable[[], object]]:
    import lance
    from lance.query import MatchQuery, PhraseQuery

    path, asked = copied(data, "pylance"), queries(data)

    def job(case: str, _: str) -> Callable[[], object]:
        dataset = lance.dataset(path)

        def found(query: Any) -> object:
            # Without this flag each search prints a warning.
            options = {"limit": K, "disable_scoring_autoprojection": True}
            return dataset.scanner(columns=["id", "_score"], full_text_query=query, **options).to_table()

        if case in BUILDS:
            return lambda: dataset.create_scalar_index("body", "INVERTED", replace=True, **BUILDS[case])
        if case == "size":
            return lambda: size(path)
        if case == "batch":
            return lambda: [found(MatchQuery(words, "body")) for words in asked]
        words, is_phrase = QUERIES[case]
        return lambda: found((PhraseQuery if is_phrase else MatchQuery)(words, "body"))

    return job


def of_spark(data: Path) -> Callable[[str, str], Callable[[], object]]:
    from sparklance import LanceDataset
    from sparklance.query import MatchQuery, PhraseQuery

    spark = session("4g")
    path, asked = copied(data, "sparklance"), queries(data)

    def job(case: str, _: str) -> Callable[[], object]:
        if case == "empty":
            return lambda: spark.range(1).selectExpr("id").collect()
        dataset = LanceDataset(spark, path)

        def found(query: Any) -> object:
            return dataset.to_df(["id"], full_text_query=query, limit=K).toArrow()

        if case in BUILDS:
            return lambda: dataset.create_scalar_index("body", "INVERTED", replace=True, **BUILDS[case])
        if case == "size":
            return lambda: size(path)
        if case == "batch":
            return lambda: found([MatchQuery(words, "body") for words in asked])
        words, is_phrase = QUERIES[case]
        return lambda: found((PhraseQuery if is_phrase else MatchQuery)(words, "body"))

    return job


if __name__ == "__main__":
    folder = Path(sys.argv[2])
    serve(of_spark(folder) if sys.argv[1] == "sparklance" else of_pylance(folder))
