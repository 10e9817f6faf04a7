"""Conditions in SQL, as users give them."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import Column

_EMPTY = "The condition is empty. It would choose no rows or all of them: give 'true' for all rows"


def checked(condition: "str | Column | None", or_else: str = "") -> None:
    """Refuses a blank condition, of which SQL would make a statement for all rows.

    :param or_else: what else to do for all rows
    """
    if isinstance(condition, str) and not condition.strip():
        raise ValueError(f"{_EMPTY}{or_else}.")


def enclosed(condition: str) -> str:
    """Returns a condition in parentheses: comments in it end before anything else, and it must not be only comments."""
    return f"({condition}\n)"
