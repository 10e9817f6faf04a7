"""Random predicates on indexed columns, in SQL that Spark and pylance both read."""

import random

from tests.interop.indices.content import WORDS, Column


def of_list(column: Column, r: random.Random) -> str:
    value = [v for v in column.value(r) if v is not None]
    if r.random() < 0.3 or not value:
        return f"{column.name} IS {r.choice(['', 'NOT '])}NULL"
    if r.random() < 0.3:
        return f"arrays_overlap({column.name}, {column.literal([*value, *r.choice([[], [None]])])})"
    return f"array_contains({column.name}, {column.literal(value[:1])[6:-1]})"


def leaf(column: Column, r: random.Random) -> str:
    if column.kinds == ("LABEL_LIST",):
        return of_list(column, r)
    name = column.expression

    def literal() -> str:
        return column.literal(column.value(r))

    shape = r.randrange(16 if column.name in ("s", "ls") else 12)
    if column.name == "flag" and shape > 3:
        return r.choice([name, f"NOT {name}", f"{name} IS NULL"])
    if shape < 3:
        return f"{name} = {literal()}"
    if shape == 3:
        return f"{name} {r.choice(['IS NULL', 'IS NOT NULL'])}"
    if shape < 6:
        return f"{name} {r.choice(['<', '<=', '>', '>=', '<>'])} {literal()}"
    if shape < 8:
        few = ", ".join(literal() for _ in range(r.choice([1, 2, 5, 15])))
        return f"{name} {r.choice(['IN', 'IN', 'NOT IN'])} ({few})"
    if shape == 8:
        return f"{name} BETWEEN {literal()} AND {literal()}"
    if shape == 9:
        return f"{name} >= {literal()} AND {name} < {literal()}"
    if column.name in ("s", "ls"):
        word = r.choice(WORDS)[r.choice([0, 0, 2]) :][: r.choice([1, 3, 4, 9])]
        return f"{name} LIKE '{r.choice(['', '%', '%'])}{word}{r.choice(['', '%', '%'])}'"
    return f"NOT ({name} = {literal()})"


def predicate(columns: list[Column], r: random.Random, depth: int = 2) -> str:
    if depth == 0 or r.random() < 0.4:
        return leaf(r.choice(columns), r)
    operands = [predicate(columns, r, depth - 1) for _ in range(r.choice([1, 2, 2, 3]))]
    if len(operands) == 1:
        return f"NOT ({operands[0]})"
    return "(" + f" {r.choice(['AND', 'AND', 'OR'])} ".join(f"({o})" for o in operands) + ")"
