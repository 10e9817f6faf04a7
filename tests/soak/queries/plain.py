"""Conditions of which a model knows the truth, and which pylance understands as Spark does."""

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Truth = bool | None
Row = dict[str, Any]


@dataclass(frozen=True)
class Plain:
    """holds: of a row as pylance reads it: true, false or unknown"""

    sql: str
    holds: Callable[[Row], Truth]


OPERATORS: dict[str, Callable[[Any, Any], bool]] = {
    "=": lambda a, b: a == b,
    "<>": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}
NUMBERS = ["id", "grp", "i", "small", "big"]
TEXTS = ["", "a", "ab", "abc", "no", "Zürich", "x y"]


def both(a: Truth, b: Truth) -> Truth:
    if a is False or b is False:
        return False
    return None if a is None or b is None else True


def negated(a: Truth) -> Truth:
    return None if a is None else not a


def plain(dice: random.Random, depth: int) -> Plain:
    if depth == 0:
        return leaf(dice)
    one, other = plain(dice, depth - 1), plain(dice, depth - 1)
    match dice.randrange(3):
        case 0:
            return Plain(f"({one.sql} AND {other.sql})", lambda row: both(one.holds(row), other.holds(row)))
        case 1:
            return Plain(
                f"({one.sql} OR {other.sql})",
                lambda row: negated(both(negated(one.holds(row)), negated(other.holds(row)))),
            )
        case _:
            return Plain(f"(NOT {one.sql})", lambda row: negated(one.holds(row)))


def leaf(dice: random.Random) -> Plain:
    column, number = dice.choice(NUMBERS), dice.choice([0, 1, -1, 3, 40, 1005, -100])
    match dice.randrange(6):
        case 0 | 1:
            return comparison(column, dice.choice(list(OPERATORS)), str(number), number)
        case 2:
            text = dice.choice(TEXTS)
            return comparison("s", dice.choice(list(OPERATORS)), f"'{text}'", text)
        case 3:
            name = dice.choice([*NUMBERS, "s", "flag"])
            return Plain(f"({name} IS NULL)", lambda row: row[name] is None)
        case 4:
            numbers = sorted({dice.randint(-3, 60) for _ in range(4)})
            inside = ", ".join(map(str, numbers))
            return Plain(
                f"({column} IN ({inside}))", lambda row: None if row[column] is None else row[column] in numbers
            )
        case _:
            return Plain("flag", lambda row: row["flag"])


def comparison(column: str, operator: str, literal: str, value: Any) -> Plain:
    """Texts are compared by their bytes."""

    def key(of: Any) -> Any:
        return of.encode() if isinstance(of, str) else of

    def holds(row: Row) -> Truth:
        return None if row[column] is None else OPERATORS[operator](key(row[column]), key(value))

    return Plain(f"({column} {operator} {literal})", holds)
