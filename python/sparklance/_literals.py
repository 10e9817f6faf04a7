"""Values of Python as literals of SQL, which mean the same under any setting of Spark's parser.

Spark 4.0 takes no parameters (`args`) in a CALL, so the statement has to say its values itself.
"""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from numbers import Integral, Real
from typing import Any

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
# In quotes these end the text, are an escape or not as settings say, or name a variable.
_SPECIAL = frozenset("'\\$")


def literal(value: Any) -> str:
    """The value as an expression that is constant. A datetime without a zone is one of the local zone."""
    match value:
        case None:
            return "NULL"
        case bool():
            return str(value).lower()
        case Integral():
            return _integer(int(value))
        case Real():
            return f"CAST('{float(value)}' AS DOUBLE)"
        case str():
            return _text(value)
        case bytes():
            return f"X'{value.hex()}'"
        case datetime():
            return f"timestamp_micros({_micros(value)})"
        case Mapping():
            return f"map({', '.join(literal(part) for entry in value.items() for part in entry)})"
        case Sequence():
            return f"array({', '.join(map(literal, value))})"
    raise TypeError(
        f"{value!r} has no literal in SQL. Give a number, text, bytes, datetime, or lists or maps of these."
    )


def _integer(value: int) -> str:
    # The lowest BIGINT cannot be written as minus a number.
    return str(value) if value > -(1 << 63) else f"({value + 1}L - 1L)"


def _text(value: str) -> str:
    if _SPECIAL.isdisjoint(value) and value.isprintable():
        return f"'{value}'"
    return f"CAST(X'{value.encode().hex()}' AS STRING)"


def _micros(value: datetime) -> str:
    since = value.astimezone(UTC) - _EPOCH
    return str((since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds)
