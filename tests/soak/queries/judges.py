"""Answers of Spark, made comparable.

Rows are compared as multisets, and NaN equals NaN. Doubles are added only where sums are exact. A plan that meets an
overflow or an invalid cast counts as an error of values, because plans may evaluate different rows.
"""

from collections import Counter
from dataclasses import dataclass

from pyspark.sql import SparkSession

#: Errors of values: which of them are met depends on which rows a plan looks at.
OF_VALUES = {
    "ARITHMETIC_OVERFLOW",
    "BINARY_ARITHMETIC_OVERFLOW",
    "CAST_INVALID_INPUT",
    "CAST_OVERFLOW",
    "DATETIME_OVERFLOW",
    "DIVIDE_BY_ZERO",
    "INVALID_ARRAY_INDEX",
    "NUMERIC_VALUE_OUT_OF_RANGE",
}


@dataclass(frozen=True)
class Answer:
    """Rows as JSON, or an error's class and text."""

    rows: list[str] | None
    error: str | None = None
    text: str = ""


def answer(spark: SparkSession, sql: str) -> Answer:
    options = "map('ignoreNullFields', 'false')"
    try:
        rows = spark.sql(f"SELECT to_json(struct(*), {options}) AS row FROM ({sql})").collect()
        return Answer([row.row for row in rows])
    except Exception as e:
        return Answer(None, error_class(str(e)), str(e)[:1000])


def error_class(text: str) -> str:
    start = text.find("[")
    return text[start + 1 : text.find("]", start)].split(".")[0] if start >= 0 else text.split("\n")[0]


def difference(ours: Answer, theirs: Answer) -> str | None:
    """Returns how our answer differs, if it does. Errors of values are no difference."""
    if ours.rows is None or theirs.rows is None:
        errors = {ours.error, theirs.error} - {None}
        if errors <= OF_VALUES:
            return None
        return f"{ours.text or 'rows'}\n  instead of {theirs.text or 'rows'}"
    return of_counts(Counter(ours.rows), Counter(theirs.rows))


def of_counts(ours: Counter[str], theirs: Counter[str]) -> str | None:
    if ours == theirs:
        return None
    more, fewer = list((ours - theirs).elements()), list((theirs - ours).elements())
    return f"{len(more)} rows too many, such as {more[:2]}; {len(fewer)} missing, such as {fewer[:2]}"
