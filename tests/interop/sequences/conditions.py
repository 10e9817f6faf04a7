"""Conditions and assignments in words that Spark and pylance take alike, and what they mean."""

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.interop.sequences.content import WORDS, Content, Row


@dataclass(frozen=True)
class Condition:
    sql: str
    holds: Callable[[Row], bool]


@dataclass(frozen=True)
class Assignment:
    column: str
    sql: str
    value: Callable[[Row], Any]


def below(limit: int) -> Condition:
    return Condition(f"value < {limit}", lambda row: row["value"] is not None and row["value"] < limit)


def among(ids: list[int]) -> Condition:
    return Condition(f"id IN ({', '.join(map(str, ids or [-1]))})", lambda row: row["id"] in ids)


def condition(dice: random.Random, content: Content) -> Condition:
    word, part = dice.choice(WORDS), dice.randint(0, 6)
    ids = dice.sample(sorted(content.rows), min(len(content.rows), dice.randint(0, 30)))
    first = dice.choice(sorted(content.rows) or [0])
    return dice.choice(
        [
            below(dice.randint(-120, 400)),
            among(ids),
            Condition(f"id % 7 = {part}", lambda row: row["id"] % 7 == part),
            Condition(
                f"id >= {first} AND id < {first + 60}",
                lambda row: first <= row["id"] < first + 60,
            ),
            Condition(f"word = '{word}'", lambda row: row["word"] == word),
            Condition(f"value IS NULL OR word = '{word}'", lambda row: row["value"] is None or row["word"] == word),
            Condition(
                f"NOT (value > 100) AND id % 2 = {part % 2}",
                lambda row: row["value"] is not None and row["value"] <= 100 and row["id"] % 2 == part % 2,
            ),
        ]
    )


def plus(value: int | None, n: int) -> int | None:
    return None if value is None else value + n


def assignment(dice: random.Random) -> Assignment:
    word = dice.choice(WORDS)
    return dice.choice(
        [
            Assignment("value", "value + 7", lambda row: plus(row["value"], 7)),
            Assignment("value", "id", lambda row: row["id"]),
            Assignment("value", "NULL", lambda _: None),
            Assignment("word", f"'{word}'", lambda _: word),
            Assignment(
                "text",
                f"text || ' {word}'",
                lambda row: (row["text"] and f"{row['text']} {word}") or (f" {word}" if row["text"] == "" else None),
            ),
        ]
    )
