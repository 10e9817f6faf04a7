"""Statements of the tables in docs/sql.md as steps, each with what it must come to, and what carries them out."""

import re
from dataclasses import dataclass

import pytest
from pyspark.sql import SparkSession

from dev_tools import ROOT

MADE = "CREATE TABLE {t} (id INT, name STRING) USING lance"
FILLED = "INSERT INTO {t} VALUES (1, 'a'), (2, 'b')"
EXTERNAL = "CREATE TABLE {t} (id INT, name STRING) USING lance LOCATION '{tmp}/t'"


@dataclass(frozen=True)
class Refused:
    """A statement that fails, with one of these texts in its message."""

    sql: str
    why: str
    or_else: str = ""


@dataclass(frozen=True)
class Shows:
    """A statement with its rows, in any order."""

    sql: str
    rows: list[tuple[object, ...]]


@dataclass(frozen=True)
class Mentions:
    """A statement with a text that is somewhere in its rows."""

    sql: str
    text: str


Step = str | Refused | Shows | Mentions
ROWS = Shows("SELECT * FROM {t}", [(1, "a"), (2, "b")])
# What an error that somebody has thought of does not mention.
SLIPS = re.compile("INTERNAL_ERROR|NullPointer|MatchError|ClassCast|NoSuchElement|NoSuchMethod|IndexOutOfBounds")
EMPTY = Shows("SELECT * FROM {t}", [])


def documented(page: str, heading: str) -> dict[str, str]:
    """The rows of the table under a heading of a page: statements without backquotes, and their outcomes."""
    section = (ROOT / "docs" / page).read_text().split(f"\n## {heading}\n")[1]
    rows = re.findall(r"^\| (`.*?) \| (.*) \|$", re.split(r"\n##+ ", section)[0], flags=re.MULTILINE)
    return {statement.replace("`", "").strip(): outcome for statement, outcome in rows}


def run(spark: SparkSession, step: Step, names: dict[str, str]) -> None:
    text = fill(step if isinstance(step, str) else step.sql, names)
    match step:
        case Refused(why=why, or_else=other):
            reasons = (why, other)
            with pytest.raises(Exception, match="|".join(re.escape(reason) for reason in reasons if reason)) as caught:
                spark.sql(text).collect()
            assert not SLIPS.search(str(caught.value)), text
        case Shows(rows=rows):
            found = [tuple(row) for row in spark.sql(text).collect()]
            expected = [tuple(fill(v, names) if isinstance(v, str) else v for v in row) for row in rows]
            assert sorted(found, key=repr) == sorted(expected, key=repr), text
        case Mentions(text=words):
            shown = "\n".join(str(row) for row in spark.sql(text).collect())
            assert fill(words, names) in shown, (text, shown)
        case str():
            spark.sql(text).collect()


def fill(text: str, names: dict[str, str]) -> str:
    for key, value in names.items():
        text = text.replace(f"{{{key}}}", value)
    return text
