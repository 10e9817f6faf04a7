"""Full-text indices that Spark builds: pylance finds the rows and scores of its own indices."""

import json
import random
import shutil
from typing import Any

import lance
import numpy as np
import pyarrow as pa
import pytest
from lance.file import LanceFileReader
from lance.query import FullTextQuery, MatchQuery, PhraseQuery
from pyspark.sql import SparkSession

from sparklance import LanceDataset
from sparklance.errors import LanceUsageException
from tests.golden.text import Queries, corpus, table

pytestmark = pytest.mark.slow

ROWS = 600
SETTINGS: list[dict[str, Any]] = [
    {},
    {"with_position": True, "num_workers": 3},
    {"with_position": True, "block_size": 256, "num_workers": 7},
    {"base_tokenizer": "whitespace", "stem": False, "remove_stop_words": False, "format_version": 3},
    {"base_tokenizer": "raw", "max_token_length": None},
    {"base_tokenizer": "ngram", "min_ngram_length": 2, "max_ngram_length": 3, "prefix_only": True},
    {"language": "German", "with_position": True, "ascii_folding": False},
    {"base_tokenizer": "code", "split_identifiers": True, "with_position": True},
    {"custom_stop_words": ["license", "a"], "lower_case": False},
]


def both(tmp: str, texts: list[str | None], **options: Any) -> tuple[str, str]:
    """Two tables of these texts."""
    ours, theirs = f"{tmp}/ours", f"{tmp}/theirs"
    lance.write_dataset(table(texts, 0), ours, max_rows_per_file=len(texts) // 3 + 1, **options)
    shutil.copytree(ours, theirs)
    return ours, theirs


def answers(path: str, queries: list[FullTextQuery], limit: int | None = None) -> list[dict[int, float]]:
    dataset = lance.dataset(path)
    found = []
    for query in queries:
        rows = dataset.scanner(columns=["id"], full_text_query=query, limit=limit).to_table()
        found.append(dict(zip(rows["id"].to_pylist(), rows["_score"].to_pylist(), strict=True)))
    return found


def compare(ours: str, theirs: str, texts: list[str], count: int, *, has_places: bool) -> None:
    """Compares pylance's answers with both indices."""
    maker = Queries(texts, has_places=has_places)
    queries = [maker.any()[1] for _ in range(count)]
    for limit in (None, 7):
        found = zip(queries, answers(ours, queries, limit), answers(theirs, queries, limit), strict=True)
        for query, own, other in found:
            assert sorted(own.values()) == pytest.approx(sorted(other.values()), rel=1e-5, abs=1e-6), str(query)
            if limit is None:
                assert own == pytest.approx(other, rel=1e-5, abs=1e-6), str(query)


def metadata(path: str) -> dict[str, str]:
    """Metadata of the files of the newest segment."""
    (index,) = lance.dataset(path).describe_indices()
    newest = index.segments[-1].uuid
    schema = LanceFileReader(f"{path}/_indices/{newest}/metadata.lance").metadata().schema
    return {key.decode(): value.decode() for key, value in schema.metadata.items()}


@pytest.mark.parametrize("place", range(len(SETTINGS)))
def test_indices_of_spark_answer_like_those_of_pylance(spark: SparkSession, tmp: str, place: int) -> None:
    random.seed(place)
    settings = SETTINGS[place]
    of_pylance = {key: value for key, value in settings.items() if key != "num_workers"}
    texts = corpus(ROWS)
    ours, theirs = both(tmp, texts, data_storage_version=("2.1", "2.2", "2.0")[place % 3])
    LanceDataset(spark, ours).create_scalar_index("t", "FTS" if place == 0 else "INVERTED", **settings)
    lance.dataset(theirs).create_scalar_index("t", "INVERTED", **of_pylance)
    own, other = metadata(ours), metadata(theirs)
    assert json.loads(own.pop("params")) == json.loads(other.pop("params"))
    assert {**own, "partitions": None} == {**other, "partitions": None}
    compare(ours, theirs, [t for t in texts if t], 25, has_places=settings.get("with_position", False))


@pytest.mark.parametrize("stable", [False, True])
def test_indices_follow_changes_by_both(spark: SparkSession, tmp: str, stable: bool) -> None:
    random.seed(int(stable))
    texts = corpus(ROWS)
    ours, theirs = both(tmp, texts, enable_stable_row_ids=stable)
    LanceDataset(spark, ours).create_scalar_index("t", "INVERTED", with_position=True, num_workers=6)
    lance.dataset(theirs).create_scalar_index("t", "INVERTED", with_position=True)
    known = [t for t in texts if t]
    for step in range(6):
        more = corpus(60)
        known += [t for t in more if t]
        for path in (ours, theirs):
            lance.dataset(path).delete(f"id % 29 = {step}")
            lance.write_dataset(table(more, ROWS * (step + 1)), path, mode="append")
            lance.dataset(path).update({"t": "'changed ' || t"}, where=f"id % 31 = {step}")
        for path in (ours, theirs):
            if step in (1, 4) and path == ours:
                LanceDataset(spark, path).optimize.optimize_indices(num_indices_to_merge=step // 4)
            elif step in (1, 2, 4):
                lance.dataset(path).optimize.optimize_indices(num_indices_to_merge=step // 4)
        # The deleted rows that an index counts depend on what was merged, so scores may differ: rows may not.
        maker = Queries(known, has_places=True)
        queries = [maker.any()[1] for _ in range(8)]
        for query, own, other in zip(queries, answers(ours, queries), answers(theirs, queries), strict=True):
            assert own.keys() == other.keys(), str(query)
    dataset = LanceDataset(spark, ours)
    dataset.optimize.compact_files()
    dataset.optimize.optimize_indices(retrain=True)
    lance.dataset(theirs).optimize.compact_files()
    lance.dataset(theirs).create_scalar_index("t", "INVERTED", with_position=True)
    compare(ours, theirs, known, 20, has_places=True)
    lance.dataset(ours).validate()
    assert lance.dataset(ours).stats.index_stats("t_idx")["num_unindexed_rows"] == 0


def test_lists_nulls_and_large_strings(spark: SparkSession, tmp: str) -> None:
    lists = [["quick fox", None, "lazy dog"], [], None, ["", "dog"], ["fox"]] * 50
    big = pa.array([None if row is None else " ".join(t or "" for t in row) for row in lists], pa.large_string())
    data = pa.table({"id": range(250), "l": pa.array(lists, pa.list_(pa.string())), "b": big})
    ours, theirs = f"{tmp}/ours", f"{tmp}/theirs"
    for path in (ours, theirs):
        lance.write_dataset(data, path, max_rows_per_file=100)
    for column in ("l", "b"):
        LanceDataset(spark, ours).create_scalar_index(column, "INVERTED", with_position=True)
        lance.dataset(theirs).create_scalar_index(column, "INVERTED", with_position=True)
        queries = [MatchQuery("fox", column), MatchQuery("lazy dogs", column), PhraseQuery("fox lazy", column)]
        assert answers(ours, queries) == answers(theirs, queries)
    assert [i.fields for i in lance.dataset(ours).describe_indices()] == [
        i.fields for i in lance.dataset(theirs).describe_indices()
    ]


def test_invalid_utf8_in_texts(spark: SparkSession, tmp: str) -> None:
    texts = [b"quick \xff fox", b"lazy\xc3dog", b"\xe2\x82", b"fox"]
    offsets = np.cumsum([0, *map(len, texts)], dtype=np.int32)
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(b"".join(texts))]
    data = pa.table({"id": range(4), "t": pa.Array.from_buffers(pa.string(), 4, buffers)})
    path = f"{tmp}/t.lance"
    lance.write_dataset(data, path)
    LanceDataset(spark, path).create_scalar_index("t", "INVERTED", with_position=True)
    queries = [MatchQuery("fox", "t"), MatchQuery("dogs lazy", "t"), PhraseQuery("quick fox", "t")]
    assert [set(found) for found in answers(path, queries)] == [{0, 3}, {1}, {0}]
    for query, expected in zip(("fox", "dogs lazy"), ({0, 3}, {1}), strict=True):
        rows = LanceDataset(spark, path).to_df(["id"], full_text_query=query).collect()
        assert {row.id for row in rows} == expected


def test_statements_and_empty_indices(spark: SparkSession, tmp: str) -> None:
    path = f"{tmp}/t.lance"
    lance.write_dataset(table(["a fox", "two foxes", None], 0), path)
    at = f"lance.`{path}`"
    spark.sql(f"CREATE INDEX words ON {at} USING inverted (t) OPTIONS (with_position = true, stem = false)")
    assert len(lance.dataset(path).scanner(full_text_query=MatchQuery("fox", "t")).to_table()) == 1
    LanceDataset(spark, path).create_scalar_index("t", "INVERTED", "words", train=False, base_tokenizer="whitespace")
    assert metadata(path)["partitions"] == "[]"
    assert len(lance.dataset(path).scanner(full_text_query=MatchQuery("fox", "t")).to_table()) == 2
    spark.sql(f"ALTER TABLE {at} OPTIMIZE INDEX words")
    assert json.loads(metadata(path)["params"])["base_tokenizer"] == "whitespace"
    assert lance.dataset(path).stats.index_stats("words")["num_unindexed_rows"] == 0
    assert len(lance.dataset(path).scanner(full_text_query=MatchQuery("foxes", "t")).to_table()) == 2


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"base_tokenizer": "jieba"}, "Choose one of simple, whitespace, raw, ngram, code"),
        ({"language": "Klingon"}, "Choose one of English, Arabic"),
        ({"language": "Tamil"}, "stem => false"),
        ({"format_version": 1}, "Leave it out, or choose 2 or 3"),
        ({"block_size": 256, "format_version": 2}, "choose 3, which this tokenizer or block_size needs"),
        ({"block_size": 64}, "Choose one of 128, 256"),
        ({"base_tokenizer": "ngram", "min_ngram_length": 4}, "Choose a greater one"),
        ({"split_identifiers": True}, "base_tokenizer => 'code'"),
        ({"document_granularity": "list_element"}, "only be whole rows"),
        ({"custom_stop_words": "a"}, "JSON array of texts"),
        ({"analyser": "x"}, "has no setting 'analyser'"),
    ],
)
def test_settings_that_are_refused(spark: SparkSession, tmp: str, settings: dict[str, Any], message: str) -> None:
    path = f"{tmp}/t.lance"
    lance.write_dataset(table(["a"], 0), path)
    with pytest.raises(LanceUsageException, match=message):
        LanceDataset(spark, path).create_scalar_index("t", "INVERTED", **settings)
    with pytest.raises(LanceUsageException, match="takes strings and arrays of strings"):
        LanceDataset(spark, path).create_scalar_index("id", "INVERTED")


def test_statistics_and_descriptions(spark: SparkSession, tmp: str) -> None:
    random.seed(5)
    ours, theirs = both(tmp, corpus(ROWS))
    for path in (ours, theirs):
        lance.dataset(path).create_scalar_index("t", "INVERTED", with_position=True)
        lance.write_dataset(table(corpus(90), ROWS), path, mode="append")
    LanceDataset(spark, ours).create_scalar_index("t", "INVERTED", with_position=True, num_workers=3, stem=False)
    LanceDataset(spark, ours).optimize.optimize_indices(num_indices_to_merge=0)
    for path, stems in ((ours, False), (theirs, True)):
        dataset, stats = LanceDataset(spark, path), lance.dataset(path).stats.index_stats("t_idx")
        counts = dataset.index_statistics("t_idx")
        for own, other in zip(counts["indices"], stats["indices"], strict=True):
            assert {key: own[key] for key in other} == other
            assert own["params"]["stem"] == stems
        assert counts["num_unindexed_rows"] == stats["num_unindexed_rows"]
        (described,) = dataset.describe_indices()
        (row,) = spark.sql(f"DESCRIBE INDEX t_idx ON lance.`{path}`").collect()
        (expected,) = lance.dataset(path).describe_indices()
        shared = described.details.keys() & expected.details.keys() - {"lance_tokenizer"}
        assert "language" in shared
        assert {key: described.details[key] for key in shared} == {key: expected.details[key] for key in shared}
        assert row.counts == {
            "partitions": sum(segment["num_partitions"] for segment in counts["indices"]),
            "documents": sum(segment["num_docs"] for segment in stats["indices"]),
            "tokens": sum(segment["num_tokens"] for segment in stats["indices"]),
        }
        assert row.used_segments == len(expected.segments)
        assert spark.sql(f"CALL lance.system.prewarm_index('{path}', 't_idx')").head().segments == row.used_segments
        dataset.prewarm_index("t_idx")
