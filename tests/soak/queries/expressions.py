"""Random expressions of Spark's SQL, by the kind of their values."""

import random
import re
from collections.abc import Callable

from tests.soak.queries.content import DAYS, DDL, INSTANTS, WORDS

#: Columns, and parts of them, of each kind. A table has some of them.
STORED = {
    "int": ["tiny", "small", "i", "st.x", "get(arr, 0)", "size(arr)", "m['a']", "get(items, 0).q", "late", "grp"],
    "long": ["id", "big", "CAST(i AS BIGINT)"],
    "double": ["f", "d", "real", "st.z.k"],
    "decimal": ["dec9", "dec18", "dec38"],
    "bool": ["flag"],
    "text": ["s", "ch", "st.y", "get(items, 0).w"],
    "bytes": ["bin"],
    "day": ["day"],
    "instant": ["ts"],
    "local": ["ntz"],
}
COMPARABLE = list(STORED)


class Expressions:
    """names: the top-level columns of the table"""

    def __init__(self, dice: random.Random, names: set[str]) -> None:
        self.dice = dice
        self.stored = {kind: [e for e in all_ if root(e) in names] for kind, all_ in STORED.items()}

    def column(self, kind: str) -> str:
        return self.dice.choice(self.stored[kind] or ["id"]) if self.stored[kind] else self.literal(kind)

    def literal(self, kind: str) -> str:
        dice = self.dice
        if dice.random() < 0.06:
            return "NULL"
        match kind:
            case "int":
                return str(dice.choice([0, 1, -1, 7, 42, 127, -128, 100000]))
            case "long":
                return f"{dice.choice([0, 5, 100, 300, -3, 2**53 + 1, 2**63 - 1])}L"
            case "double":
                return dice.choice(
                    ["0.0D", "-0.0D", "double('NaN')", "1.5D", "-2.25D", "double('Infinity')", "float(0.1)"]
                )
            case "decimal":
                return dice.choice(["0.00", "12.34", "-5.0000", "1.005", "99999999999.9999", "0.0000000001"])
            case "bool":
                return dice.choice(["true", "false"])
            case "text":
                return "'" + dice.choice(WORDS) + "'"
            case "bytes":
                return dice.choice(["X''", "X'00'", "X'7F'", "X'FF01'"])
            case "day":
                return f"DATE'{dice.choice([*DAYS, '2020-02-29'])}'"
            case "instant":
                return f"TIMESTAMP'{dice.choice(INSTANTS)}{dice.choice(['', 'Z', '+05:30'])}'"
            case "local":
                return f"TIMESTAMP_NTZ'{dice.choice(INSTANTS)}'"
        raise ValueError(kind)

    def of(self, kind: str, depth: int) -> str:
        if kind == "bool":
            return self.condition(depth)
        if depth <= 0:
            return self.column(kind) if self.dice.random() < 0.8 else self.literal(kind)
        if self.dice.random() < 0.3:
            return self.generic(kind, depth - 1)
        made = MAKERS.get(kind)
        return self.dice.choice(made)(self, depth - 1) if made else self.of(kind, 0)

    def generic(self, kind: str, depth: int) -> str:
        a, b = self.of(kind, depth), self.of(kind, depth)
        return self.dice.choice(
            [
                f"coalesce({a}, {b})",
                f"nullif({a}, {b})",
                f"if({self.condition(depth)}, {a}, {b})",
                f"CASE WHEN {self.condition(depth)} THEN {a} END",
                f"greatest({a}, {b})",
                f"least({a}, {b})",
            ]
        )

    def condition(self, depth: int) -> str:
        """Returns a condition of up to `depth` levels, at least a comparison."""
        dice = self.dice
        if depth <= 0:
            return self.column("bool") if dice.random() < 0.15 else self.comparison(0)
        match dice.randrange(10):
            case 0 | 1 | 2:
                return f"({self.condition(depth - 1)} AND {self.condition(depth - 1)})"
            case 3 | 4:
                return f"({self.condition(depth - 1)} OR {self.condition(depth - 1)})"
            case 5:
                return f"(NOT {self.condition(depth - 1)})"
            case 6:
                a, b = self.condition(depth - 1), dice.choice([self.condition(depth - 1), "NULL", "true", "false"])
                return dice.choice([f"({a} <=> {b})", f"coalesce({a} AND {b}, {self.condition(0)})", f"({a} = {b})"])
            case 7:
                return f"(({self.condition(depth - 1)} {dice.choice(['AND', 'OR'])} CAST(NULL AS BOOLEAN)) IS NULL)"
            case _:
                return self.comparison(depth - 1)

    def comparison(self, depth: int) -> str:
        dice = self.dice
        kind = dice.choice(COMPARABLE)
        if kind == "bool":
            return f"({self.column('bool')} {dice.choice(['=', '<=>', '<>'])} {self.literal('bool')})"
        left = self.of(kind, depth if dice.random() < 0.4 else 0)
        right = self.literal(kind) if dice.random() < 0.75 else self.of(kind, depth)
        match dice.randrange(9):
            case 0 | 1 | 2 | 3:
                operator = dice.choice(["=", "<", "<=", ">", ">=", "<>", "<=>"])
                return f"({left} {operator} {right})" if dice.random() < 0.85 else f"({right} {operator} {left})"
            case 4:
                return f"({left} IS {dice.choice(['', 'NOT '])}NULL)"
            case 5:
                many = ", ".join(self.literal(kind) for _ in range(dice.choice([1, 2, 3, 12])))
                return f"({left} {dice.choice(['', 'NOT '])}IN ({many}))"
            case 6:
                return f"({left} BETWEEN {self.literal(kind)} AND {right})"
            case 7:
                pattern = dice.choice(["a%", "%b", "%b%", "abc\\\\%", "_b", "", "%", "a_c"])
                return f"({self.of('text', 0)} {dice.choice(['', 'NOT '])}LIKE '{pattern}')"
            case _:
                return f"({left} = {self.of(kind, 0)})"


def root(expression: str) -> str:
    """Returns the top-level column that an entry of STORED reads."""
    words = re.findall(r"[a-z]\w*", expression)
    return next(word for word in words if word in DDL)


MAKERS: dict[str, list[Callable[[Expressions, int], str]]] = {
    "int": [
        lambda e, n: f"try_add({e.of('int', n)}, {e.of('int', n)})",
        lambda e, n: f"pmod({e.column('int')}, 7)",
        lambda e, n: f"length({e.of('text', n)})",
        lambda e, n: f"try_cast({e.of('text', n)} AS INT)",
        lambda e, n: f"year({e.of('day', n)})",
        lambda e, n: f"CAST({e.of('bool', n)} AS INT)",
        lambda e, n: f"CAST({e.of('long', n)} AS INT)",
        lambda e, n: f"hour({e.of('instant', n)})",
    ],
    "long": [
        lambda e, n: f"CAST({e.of('int', n)} AS BIGINT)",
        lambda e, n: f"try_multiply({e.of('long', n)}, {e.of('int', n)})",
        lambda e, n: f"CAST({e.of('double', n)} AS BIGINT)",
        lambda e, n: f"unix_micros({e.of('instant', n)})",
    ],
    "double": [
        lambda e, n: f"CAST({e.of('int', n)} AS DOUBLE)",
        lambda e, n: f"CAST({e.of('decimal', n)} AS DOUBLE)",
        lambda e, n: f"(- {e.of('double', n)})",
        lambda e, n: f"CAST({e.of('double', n)} AS FLOAT)",
        lambda e, n: f"({e.of('double', n)} * 2)",
        lambda e, n: f"try_cast({e.of('text', n)} AS DOUBLE)",
    ],
    "decimal": [
        lambda e, n: f"CAST({e.of('int', n)} AS DECIMAL(10, 0))",
        lambda e, n: f"try_cast({e.of('text', n)} AS DECIMAL(12, 3))",
        lambda e, n: f"CAST({e.of('decimal', n)} AS DECIMAL(38, 2))",
        lambda e, n: f"abs({e.of('decimal', n)})",
        lambda e, n: f"CAST({e.of('decimal', n)} AS DECIMAL(6, 1))",
    ],
    "text": [
        lambda e, n: f"upper({e.of('text', n)})",
        lambda e, n: f"trim({e.of('text', n)})",
        lambda e, n: f"CAST({e.of('int', n)} AS STRING)",
        lambda e, n: f"CAST({e.of('day', n)} AS STRING)",
        lambda e, n: f"CAST({e.of('instant', n)} AS STRING)",
        lambda e, n: f"substring({e.of('text', n)}, 1, 2)",
        lambda e, n: f"concat({e.of('text', n)}, {e.of('text', n)})",
    ],
    "day": [
        lambda e, n: f"CAST({e.of('instant', n)} AS DATE)",
        lambda e, n: f"CAST({e.of('local', n)} AS DATE)",
        lambda e, n: f"date_add({e.of('day', n)}, 1)",
        lambda e, n: f"try_cast({e.of('text', n)} AS DATE)",
        lambda e, n: f"last_day({e.of('day', n)})",
    ],
    "instant": [
        lambda e, n: f"CAST({e.of('day', n)} AS TIMESTAMP)",
        lambda e, n: f"CAST({e.of('local', n)} AS TIMESTAMP)",
        lambda e, n: f"date_trunc('MONTH', {e.of('instant', n)})",
    ],
    "local": [
        lambda e, n: f"CAST({e.of('day', n)} AS TIMESTAMP_NTZ)",
        lambda e, n: f"CAST({e.of('instant', n)} AS TIMESTAMP_NTZ)",
    ],
    "bytes": [lambda e, n: f"CAST({e.of('text', n)} AS BINARY)"],
}
