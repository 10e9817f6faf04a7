"""Random rows of all the types that queries are about."""

import datetime
import decimal
import random
from typing import Any

import pyarrow as pa

Row = dict[str, Any]

WORDS = ["", "a", "ab", "abc", "true", "no", "12", "-7", "1.5", "1850-03-04", "Zürich", "naïve", "x y", "abc%", "_"]
DAYS = ["0001-01-01", "1582-10-04", "1582-10-15", "1883-11-18", "1899-12-31", "1900-01-01", "1969-12-31", "1970-01-01"]
INSTANTS = [
    "0001-01-02T00:00:00",
    "1582-10-05T12:30:00.000001",
    "1883-11-18T12:03:57.999999",
    "1899-12-31T23:59:59.999999",
    "1969-12-31T23:59:59.999999",
    "1970-01-01T00:00:00",
    "2021-03-28T01:30:00",
    "2021-10-31T01:30:00",
    "2262-04-12T00:00:00",
]
EDGES = {
    "tiny": [-128, 127, 0],
    "small": [-(2**15), 2**15 - 1, 0],
    "i": [0, 1, -1],
    "big": [-(2**63), 2**63 - 1, 0, 2**53 + 1],
}
REALS = [float("nan"), -0.0, 0.0, float("inf"), float("-inf"), 5e-324, 1.7e308, 0.1]

POINT = pa.struct([("x", pa.int32()), ("y", pa.string()), ("z", pa.struct([("k", pa.float64())]))])

COLUMNS: dict[str, pa.DataType] = {
    "id": pa.int64(),
    "grp": pa.int32(),
    "tiny": pa.int8(),
    "small": pa.int16(),
    "i": pa.int32(),
    "big": pa.int64(),
    "f": pa.float32(),
    "d": pa.float64(),
    "real": pa.float64(),
    "dec9": pa.decimal128(9, 2),
    "dec18": pa.decimal128(18, 4),
    "dec38": pa.decimal128(38, 10),
    "flag": pa.bool_(),
    "s": pa.string(),
    "ch": pa.string(),
    "bin": pa.binary(),
    "day": pa.date32(),
    "ts": pa.timestamp("us", "UTC"),
    "ntz": pa.timestamp("us"),
    "st": POINT,
    "arr": pa.list_(pa.int32()),
    "items": pa.list_(pa.struct([("q", pa.int32()), ("w", pa.string())])),
    "m": pa.map_(pa.string(), pa.int32()),
}

#: The types of the columns when Spark makes the table.
DDL = {
    "id": "BIGINT",
    "grp": "INT",
    "tiny": "TINYINT",
    "small": "SMALLINT",
    "i": "INT",
    "big": "BIGINT",
    "f": "FLOAT",
    "d": "DOUBLE",
    "real": "DOUBLE",
    "dec9": "DECIMAL(9, 2)",
    "dec18": "DECIMAL(18, 4)",
    "dec38": "DECIMAL(38, 10)",
    "flag": "BOOLEAN",
    "s": "STRING",
    "ch": "CHAR(5)",
    "bin": "BINARY",
    "day": "DATE",
    "ts": "TIMESTAMP",
    "ntz": "TIMESTAMP_NTZ",
    "st": "STRUCT<x: INT, y: STRING, z: STRUCT<k: DOUBLE>>",
    "arr": "ARRAY<INT>",
    "items": "ARRAY<STRUCT<q: INT, w: STRING>>",
    "m": "MAP<STRING, INT>",
    "late": "INT",
}


class Values:
    """Rows of one table.

    nulls: how often a value is null
    null_structs: whether structs may be null
    """

    def __init__(self, dice: random.Random, nulls: float, null_structs: bool) -> None:
        self.dice, self.nulls, self.null_structs = dice, nulls, null_structs

    def row(self, number: int, names: list[str]) -> Row:
        return {name: number if name == "id" else self.maybe(name) for name in names}

    def maybe(self, name: str) -> Any:
        if self.dice.random() < self.nulls and (name not in ("st", "m") or self.null_structs):
            return None
        return self.of(name)

    def of(self, name: str) -> Any:
        dice = self.dice
        match name:
            case "grp":
                return dice.randint(0, 6)
            case "tiny" | "small" | "i" | "big":
                return dice.choice(EDGES[name]) if dice.random() < 0.2 else dice.randint(-100, 100)
            case "f" | "d":
                return dice.choice(REALS) if dice.random() < 0.3 else dice.randint(-40, 40) / 8
            case "real":
                return dice.randint(-4000, 4000) / 16
            case "dec9" | "dec18" | "dec38":
                scale = {"dec9": 2, "dec18": 4, "dec38": 10}[name]
                edge = 10 ** (int(name[3:]) - 1) + 7
                digits = dice.choice([edge, -edge, 0]) if dice.random() < 0.1 else dice.randint(-5000, 5000)
                return decimal.Context(prec=60).scaleb(decimal.Decimal(digits), -scale)
            case "flag":
                return dice.random() < 0.5
            case "ch":
                return dice.choice(["", "a", "ab", "ab ", "abcde", "no"])
            case "s":
                return dice.choice(WORDS)
            case "bin":
                return bytes(dice.choices([0, 1, 127, 255], k=dice.randint(0, 4)))
            case "day":
                old = datetime.date.fromisoformat(dice.choice(DAYS))
                return (
                    old if dice.random() < 0.4 else datetime.date(2020, 1, 1) + datetime.timedelta(dice.randint(0, 90))
                )
            case "ts" | "ntz":
                zone = datetime.UTC if name == "ts" else None
                old = datetime.datetime.fromisoformat(dice.choice(INSTANTS))
                recent = datetime.datetime(2021, 3, 27) + datetime.timedelta(minutes=dice.randint(0, 4000))
                return (old if dice.random() < 0.4 else recent).replace(tzinfo=zone)
            case "st":
                return {"x": self.maybe("i"), "y": self.maybe("s"), "z": {"k": self.maybe("d")}}
            case "arr":
                return [self.maybe("i") for _ in range(dice.randint(0, 4))]
            case "items":
                return [{"q": self.maybe("i"), "w": self.maybe("s")} for _ in range(dice.randint(0, 3))]
            case "m":
                return [(key, self.maybe("i")) for key in dice.sample(["a", "b", "c"], dice.randint(0, 3))]
        raise ValueError(name)


def arrow(rows: list[Row], names: list[str]) -> pa.Table:
    return pa.Table.from_pylist(rows, pa.schema([(name, COLUMNS[name]) for name in names]))
