"""Random queries on the table {t} and its neighbour {u}, whose answer depends on nothing but their rows."""

import random
from dataclasses import dataclass

from tests.soak.queries.expressions import COMPARABLE, Expressions

WHOLE = ["st", "arr", "items", "m"]


@dataclass(frozen=True)
class Query:
    """sql: with `{t}` and `{u}` for the tables
    rounded: whether floating-point results may differ in their last digits
    """

    sql: str
    rounded: bool = False

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

    def aggregate(self) -> tuple[str, bool]:
        dice = self.dice
        kind = dice.choice(["int", "long", "double", "decimal", "text", "day", "instant", "local", "bool"])
        column = self.expressions.column(kind) if dice.random() < 0.7 else self.expressions.of(kind, 1)
        match dice.randrange(7):
            case 0 | 1:
                # Of -0.0 and 0.0, either is the least and the greatest.
                column = f"{column} + 0" if kind == "double" else column
                return f"{dice.choice(['min', 'max'])}({column})", False
            case 2:
                return f"count({column})", False
            case 3:
                return f"count(DISTINCT {column})", False
            case 4:
                return f"sum({self.expressions.column('int')})", False
            case 5:
                return f"avg({self.expressions.column('int')})", True
            case _:
                return f"sum({dice.choice(['real', 'dec9', 'CAST(dec18 AS DECIMAL(38, 4))'])})", True

    def aggregates(self) -> tuple[str, bool]:
        parts = [self.aggregate() for _ in range(self.dice.randint(1, 3))]
        words = ", ".join(f"{text} AS a{i}" for i, (text, _) in enumerate([*parts, ("count(*)", False)]))
        return words, any(rounded for _, rounded in parts)

    def grouped(self) -> Query:
        words, rounded = self.aggregates()
        kind = self.dice.choice(["int", "text", "day", "bool", "decimal", "local"])
        key = self.dice.choice(["grp", self.expressions.column(kind), self.expressions.of(kind, 1)])
        having = self.dice.choice(["", "", " HAVING count(*) > 2"])
        return Query(f"SELECT {key} AS k, {words} FROM {{t}}{self.where(0.6)} GROUP BY 1{having}", rounded)

    def total(self) -> Query:
        words, rounded = self.aggregates()
        return Query(f"SELECT {words} FROM {{t}}{self.where(0.4)}", rounded)

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
