"""Random queries on the table {t} and its neighbour {u}, whose answer depends on nothing but their rows."""

import random
from dataclasses import dataclass

from tests.soak.queries.expressions import COMPARABLE, Expressions, root

WHOLE = ["st", "arr", "items", "m"]


@dataclass(frozen=True)
class Query:
    """sql: with `{t}` and `{u}` for the tables"""

    sql: str

    def on(self, suffix: str) -> str:
        return self.sql.replace("{t}", f"t{suffix}").replace("{u}", f"u{suffix}")


class Queries:
    def __init__(self, dice: random.Random, names: list[str]) -> None:
        self.dice, self.names = dice, set(names)
        self.expressions = Expressions(dice, self.names)

    def next(self) -> Query:
        shapes = [self.rows] * 5 + [self.top] * 2 + [self.grouped] * 2 + [self.total] * 2
        shapes += [self.joined] * 3 + [self.within] * 2 + [self.counted, self.distinct, self.combined, self.windowed]
        return self.dice.choice(shapes)()

    def value(self, depth: int = 1) -> str:
        whole = [name for name in WHOLE if name in self.names]
        if whole and self.dice.random() < 0.12:
            return self.dice.choice(whole)
        return self.expressions.of(self.dice.choice(COMPARABLE), depth if self.dice.random() < 0.4 else 0)

    def values(self) -> str:
        return ", ".join(f"{self.value()} AS c{i}" for i in range(self.dice.randint(1, 4)))

    def where(self, chance: float = 0.85) -> str:
        if self.dice.random() > chance:
            return ""
        return f" WHERE {self.expressions.condition(self.dice.choice([0, 1, 1, 2, 3]))}"

    def rows(self) -> Query:
        return Query(f"SELECT id, {self.values()} FROM {{t}}{self.where()}")

    def top(self) -> Query:
        """In an order that ends with the id, or of the key alone, so that there is one answer."""
        dice = self.dice
        kind = dice.choice(["int", "long", "double", "decimal", "text", "day", "instant", "local", "bool", "bytes"])
        key = self.expressions.column(kind) if dice.random() < 0.85 else self.expressions.of(kind, 1)
        order = f"{key} {dice.choice(['', 'ASC', 'DESC'])} {dice.choice(['', 'NULLS FIRST', 'NULLS LAST'])}"
        limit = f"LIMIT {dice.choice([0, 1, 3, 10, 50, 1000])}" + dice.choice(["", "", " OFFSET 2", " OFFSET 60"])
        where = self.where(0.4)
        if dice.random() < 0.4:
            # -0.0 and 0.0 are equal, so that either may be among the first.
            shown = f"{key} + 0" if kind == "double" else key
            return Query(f"SELECT {shown} AS c0 FROM {{t}}{where} ORDER BY {order} {limit}")
        return Query(f"SELECT id, {self.values()} FROM {{t}}{where} ORDER BY {order}, id {limit}")

    def aggregate(self, simple: bool) -> str:
        """simple: whether it is one of those that the scan may compute"""
        dice = self.dice
        kind = dice.choice(["int", "long", "double", "decimal", "text", "day", "instant", "local", "bool"])
        column = self.expressions.column(kind) if simple or dice.random() < 0.4 else self.expressions.of(kind, 1)
        match dice.choice([0, 1, 2, 2]) if simple else dice.randrange(5):
            case 0:
                if simple and kind == "text":
                    return "count(*)"
                # Of -0.0 and 0.0, either is the least and the greatest.
                column = f"{column} + 0" if kind == "double" else column
                return f"{dice.choice(['min', 'max'])}({column})"
            case 1:
                return f"count({column})"
            case 2:
                return f"{dice.choice(['sum', 'sum', 'avg', 'try_sum', 'try_avg'])}({self.term()})"
            case 3:
                return f"{dice.choice(['sum', 'avg'])}({self.expressions.column('int')})"
            case _:
                return f"count(DISTINCT {column})"

    def term(self) -> str:
        """Returns a column of numbers, or arithmetic of them. Sums of its doubles are exact in any order."""
        dice = self.dice
        decimals = ["dec9", "dec18", "dec38", "CAST(dec18 AS DECIMAL(38, 4))", "CAST(i AS DECIMAL(12, 1))", "1.25"]
        operands, most = dice.choice([(decimals, 3), (decimals, 3), (["real", "-0.5D"], 2), (["i", "small", "grp"], 2)])
        known = [operand for operand in operands if "." in operand or root(operand) in self.names]
        text = dice.choice(known or ["id"])
        for _ in range(dice.randint(0, most) if known else 0):
            a, b = dice.sample([text, dice.choice(known)], 2)
            text = f"({a} {dice.choice('+-**')} {b})"
        return text

    def aggregates(self, simple: bool) -> str:
        parts = [self.aggregate(simple) for _ in range(self.dice.randint(1, 3))]
        return ", ".join(f"{text} AS a{i}" for i, text in enumerate([*parts, "count(*)"]))

    def grouped(self) -> Query:
        simple = self.dice.random() < 0.6
        keys = [self.key(simple) for _ in range(self.dice.choice([1, 1, 2, 3]))]
        shown = ", ".join(f"{key} AS k{i}" for i, key in enumerate(keys))
        by = ", ".join(str(i + 1) for i in range(len(keys)))
        having = self.dice.choice(["", "", " HAVING count(*) > 2"])
        aggregates = self.aggregates(simple)
        return Query(f"SELECT {shown}, {aggregates} FROM {{t}}{self.where(0.5)} GROUP BY {by}{having}")

    def key(self, simple: bool) -> str:
        kind = self.dice.choice(COMPARABLE)
        column = self.expressions.column(kind)
        return self.dice.choice(["grp", column, column, column if simple else self.expressions.of(kind, 1)])

    def total(self) -> Query:
        return Query(f"SELECT {self.aggregates(self.dice.random() < 0.6)} FROM {{t}}{self.where(0.4)}")

    def counted(self) -> Query:
        limited = f"(SELECT * FROM {{t}}{self.where(0.5)} LIMIT {self.dice.choice([0, 1, 7, 100])})"
        return Query(f"SELECT count(*) AS n FROM {self.dice.choice(['{t}' + self.where(0.7), limited])}")

    def distinct(self) -> Query:
        kind = self.dice.choice(["int", "text", "day", "bool", "instant"])
        return Query(f"SELECT DISTINCT {self.expressions.of(kind, 1)} AS c FROM {{t}}{self.where(0.5)}")

    def combined(self) -> Query:
        kind = self.dice.choice(["int", "text", "day", "decimal"])
        one, other = (f"SELECT id, {self.expressions.of(kind, 1)} AS c FROM {{t}}{self.where()}" for _ in range(2))
        return Query(f"({one}) {self.dice.choice(['UNION ALL', 'EXCEPT ALL', 'INTERSECT', 'UNION'])} ({other})")

    def windowed(self) -> Query:
        ranked = f"row_number() OVER (PARTITION BY grp ORDER BY {self.expressions.column('int')}, id)"
        return Query(f"SELECT id, n FROM (SELECT id, {ranked} AS n FROM {{t}}{self.where(0.5)}) WHERE n < 4")

    def joined(self) -> Query:
        """Joins whose smaller side is filtered, so that Spark passes its keys to the other one."""
        dice = self.dice
        join = dice.choice(["JOIN", "JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN", "LEFT SEMI JOIN", "LEFT ANTI JOIN"])
        on = dice.choice(
            ["id = u.k", "grp = u.g", "s = u.label", "day = u.since", "id = u.k AND grp < u.g", "i <=> u.g"]
        )
        of_u = dice.choice(["label = 'a'", "g < 3", "k % 2 = 0", "since > DATE'1900-01-01'", "true"])
        inner = f"(SELECT * FROM {{t}}{self.where(0.4)})"
        shown = "" if "SEMI" in join or "ANTI" in join else ", u.k, u.label"
        return Query(
            f"SELECT {dice.choice(['', '/*+ BROADCAST(u) */ ', '/*+ MERGE(u) */ '])}t.id, t.s, t.st.x{shown} "
            f"FROM {inner} t {join} (SELECT * FROM {{u}} WHERE {of_u}) u ON t.{on}"
        )

    def within(self) -> Query:
        dice = self.dice
        of_u = dice.choice(["g < 4", "label = 'no'", "k > 100"])
        test = dice.choice(
            [
                f"id IN (SELECT k FROM {{u}} WHERE {of_u})",
                f"id NOT IN (SELECT k FROM {{u}} WHERE {of_u} AND k IS NOT NULL)",
                f"EXISTS (SELECT 1 FROM {{u}} WHERE k = id AND {of_u})",
                f"id > (SELECT min(k) FROM {{u}} WHERE {of_u})",
                f"grp = (SELECT max(g) FROM {{u}} WHERE {of_u})",
            ]
        )
        return Query(f"SELECT id, {self.value()} AS c FROM {{t}} WHERE {test} AND {self.expressions.condition(1)}")
