"""Writes tables with full-text indices, queries, and pylance's answers; run again only on purpose.

python tests/golden/text.py           # needs pylance 14.0.2
python tests/golden/text.py DIRECTORY SEED QUERIES ROWS     # more of them, for SPARKLANCE_TEXT_CASES
"""

import json
import random
import re
import shutil
import site
import sys
from pathlib import Path
from typing import Any

import lance
import pyarrow as pa
from lance.query import (
    BooleanQuery,
    BoostQuery,
    FullTextOperator,
    FullTextQuery,
    MatchQuery,
    Occur,
    PhraseQuery,
)

HERE = Path(__file__).parent / "text"
#: The settings of an index.
INDICES: list[dict[str, Any]] = [
    {},
    {"with_position": True},
    {"with_position": True, "block_size": 256},
    {"with_position": True, "format_version": 1},
    {"base_tokenizer": "whitespace", "stem": False, "remove_stop_words": False, "with_position": True},
    {"base_tokenizer": "raw"},
    {"base_tokenizer": "ngram", "min_ngram_length": 2, "max_ngram_length": 3},
    {"language": "German", "with_position": True},
    {"base_tokenizer": "code", "with_position": True},
]
#: What happens to the table, and the place of the settings in `INDICES`.
GOLDEN = [
    ("appended", 0),
    ("plain", 1),
    ("optimized", 1),
    ("stable", 1),
    ("deleted", 2),
    ("plain", 3),
    ("plain", 6),
    ("plain", 8),
    ("noindex", 7),
]
HISTORIES = ("plain", "deleted", "appended", "optimized", "compacted", "noindex", "stable")
FOREIGN = [
    "Café au lait naïve résumé",
    "北京 кот \uff21\uff22\uff23 ½ Straße İstanbul",
    "getUserName XMLHttpRequest != utf8_reader",
    "don't we'll you're",
    "",
    "   ",
    None,
    "dog dog dog cat",
]

#: A query as the format's JSON, and as pylance's class.
Query = tuple[dict[str, Any], FullTextQuery]


def main(to: Path, seed: int, queries: int, rows: int, cases: list[tuple[str, int]]) -> None:
    random.seed(seed)
    shutil.rmtree(to, ignore_errors=True)
    for history, place in cases:
        directory = to / f"{place}_{history}"
        directory.mkdir(parents=True)
        dataset, texts = written(str(directory / "t.lance"), history, INDICES[place], rows)
        maker = Queries(texts, has_places=history == "noindex" or INDICES[place].get("with_position", False))
        answers = [answer(dataset, *maker.any()) for _ in range(queries)]
        (directory / "queries.json").write_text(json.dumps(answers))


def paragraphs() -> list[str]:
    """Paragraphs of licences and documents of the installed packages."""
    files = [file for root in site.getsitepackages() for end in ("txt", "md") for file in Path(root).rglob(f"*.{end}")]
    texts = [file.read_text(encoding="utf8", errors="replace") for file in sorted(files)[:400]]
    return [part for text in texts for part in re.split(r"\n\s*\n", text) if part.strip()]


def corpus(rows: int) -> list[str | None]:
    chosen: list[str | None] = [part[: random.choice([60, 200])] for part in random.choices(paragraphs(), k=rows)]
    for place in range(0, rows, 37):
        chosen[place] = random.choice(FOREIGN)
    return chosen


def written(path: str, history: str, index: dict[str, Any], rows: int) -> tuple[lance.LanceDataset, list[str]]:
    texts = corpus(rows)
    options = {"max_rows_per_file": rows // 3 + 1, "enable_stable_row_ids": history == "stable"}
    dataset = lance.write_dataset(table(texts, 0), path, **options)
    if history != "noindex":
        dataset.create_scalar_index("t", "INVERTED", **index)
    if history != "plain":
        dataset.delete("id % 13 = 5")
    if history in ("appended", "optimized", "compacted", "stable"):
        more = corpus(rows // 4)
        dataset = lance.write_dataset(table(more, rows), path, mode="append")
        texts += more
    if history in ("optimized", "stable"):
        dataset.optimize.optimize_indices(num_indices_to_merge=random.choice([0, 1]))
    if history == "compacted":
        dataset.optimize.compact_files()
    return lance.dataset(path), [text for text in texts if text]


def table(texts: list[str | None], first: int) -> pa.Table:
    return pa.table({"id": range(first, first + len(texts)), "t": pa.array(texts, pa.string())})


class Queries:
    """Random queries of words that the texts have."""

    def __init__(self, texts: list[str], *, has_places: bool) -> None:
        self.texts = texts
        self.words = [word for text in random.sample(texts, len(texts) // 2) for word in re.findall(r"\w+", text)]
        self.has_places = has_places

    def any(self, depth: int = 0) -> Query:
        kinds = [self.match, self.match, self.all_words, self.fuzzy]
        kinds += [self.phrase, self.phrase] if self.has_places else []
        kinds += [lambda: self.boost(depth), lambda: self.boolean(depth)] if depth < 2 else []
        return random.choice(kinds)()

    def match(self) -> Query:
        return matching(self.some(random.choice([1, 2, 3, 5])))

    def all_words(self) -> Query:
        return matching(self.some(random.choice([2, 3])), operator="And", boost=random.choice([1.0, 2.5]))

    def fuzzy(self) -> Query:
        word = random.choice(self.words)
        changed = word[:1] + word[2:] if len(word) > 3 else word
        return matching(
            changed,
            fuzziness=random.choice([1, 2]),
            prefix_length=random.choice([0, 1, 3]),
            max_expansions=random.choice([3, 50]),
        )

    def phrase(self) -> Query:
        words = re.findall(r"\w+", random.choice(self.texts)) or ["a"]
        first = random.randrange(max(1, len(words) - 3))
        terms, slop = words[first : first + random.choice([2, 3, 4])], random.choice([0, 0, 0, 1, 2])
        if slop and len(terms) > 2:
            del terms[1]
        text = " ".join(terms)
        return {"phrase": {"column": "t", "terms": text, "slop": slop}}, PhraseQuery(text, "t", slop=slop)

    def boost(self, depth: int) -> Query:
        (good, good_query), (bad, bad_query) = self.any(depth + 1), self.any(depth + 1)
        weight = random.choice([0.1, 0.5, 1.0])
        message = {"boost": {"positive": good, "negative": bad, "negative_boost": weight}}
        return message, BoostQuery(good_query, bad_query, negative_boost=weight)

    def boolean(self, depth: int) -> Query:
        roles = ["should", *random.choices(["must", "should", "must_not"], k=random.choice([1, 2]))]
        parts = [(role, *self.any(depth + 1)) for role in roles]
        message = {role: [m for of, m, _ in parts if of == role] for role in ("must", "should", "must_not")}
        return {"boolean": message}, BooleanQuery([(Occur[role.upper()], query) for role, _, query in parts])

    def some(self, count: int) -> str:
        return " ".join(random.choices(self.words, k=count))


def matching(terms: str, *, operator: str = "Or", **more: Any) -> Query:
    message = {"column": "t", "terms": terms, **more} | ({} if operator == "Or" else {"operator": operator})
    return {"match": message}, MatchQuery(terms, "t", operator=FullTextOperator[operator.upper()], **more)


def answer(dataset: lance.LanceDataset, message: dict[str, Any], query: FullTextQuery) -> dict[str, Any]:
    """The query with its rows and scores, or with pylance's error."""
    asked = {"query": message, "limit": random.choice([None, None, 5, 50]), "fast": random.random() < 0.15}
    options = {"limit": asked["limit"], "fast_search": asked["fast"], "with_row_address": True}
    try:
        found = dataset.scanner(columns=["id"], full_text_query=query, **options).to_table()
    except (OSError, ValueError, RuntimeError) as error:
        return asked | {"error": str(error)[:200]}
    return asked | {"addresses": found["_rowaddr"].to_pylist(), "scores": found["_score"].to_pylist()}


if __name__ == "__main__":
    if len(sys.argv) > 1:
        every = [(history, place) for place in range(len(INDICES)) for history in HISTORIES]
        main(Path(sys.argv[1]), *map(int, sys.argv[2:5]), every)
    else:
        main(HERE, seed=1, queries=16, rows=300, cases=GOLDEN)
