"""Outcome of each cell: written by a release, read back by it and by the current one, and read through Spark."""

import re
from dataclasses import dataclass
from enum import Enum

import pyarrow as pa
from pyspark.sql import Column, SparkSession
from pyspark.sql.functions import expr

from sparklance.errors import as_lance_exception
from tests.interop.compare import column_difference
from tests.interop.matrix.by_release import piecemeal, read, side_by_side
from tests.interop.matrix.tables import type_of


class Verdict(Enum):
    """The good ends of a cell, best first."""

    SAME = "✅"
    AS_PYLANCE = "◐"
    REFUSED = "❌"
    UNREAD = "⊘"
    UNWRITTEN = "-"


@dataclass(frozen=True)
class Outcome:
    verdict: Verdict
    said: str = ""


class Wrong(Exception):
    """A cell that Spark reads otherwise than pylance, or fails on with anything but our own words."""


#: A message without its condition, its place and its SQLSTATE.
REASON = re.compile(r"^(?:\[\w+\] )?(.*?)(?: \(file |;|\n| SQLSTATE: |$)")


def through_spark(spark: SparkSession, path: str, columns: list[str]) -> tuple[pa.Table, dict[str, str]]:
    try:
        frame = spark.read.format("lance").load(path)
    except Exception as error:
        return pa.table({}), dict.fromkeys(columns, ours(error))

    def attempt(names: list[str]) -> pa.Table:
        return frame.select(*map(shown_as, names)).toArrow()

    # A job takes its time, so types that are refused are not told apart any further.
    parts, errors = piecemeal(columns, attempt, ours, lambda names: len({type_of(name) for name in names}) == 1)
    unclear = [name for name, error in errors.items() if not error.startswith("Unsupported")]
    more, clear = piecemeal(unclear, attempt, ours)
    parts, errors = parts + more, {name: e for name, e in errors.items() if name not in unclear} | clear
    return side_by_side(parts), errors


def shown_as(name: str) -> str | Column:
    """Spark's toArrow cannot hand out lists of nulls, not even its own."""
    return expr(f"transform({name}, x -> CAST(x AS INT))").alias(name) if name.startswith("list_of_null_") else name


def ours(error: BaseException) -> str:
    found = as_lance_exception(error)
    if found is None:
        return f"foreign: {error}"[:500]
    return f"{type(found).__name__}: {REASON.search(str(found))[1]}"


@dataclass(frozen=True)
class Case:
    """A table as it was made, where a release wrote it, the columns that it could not write, and what it reads back.

    Of the current release, `back` is empty: what it reads is what all are compared with.
    """

    made: pa.Table
    path: str
    unwritten: dict[str, str]
    back: pa.Table


def judge(spark: SparkSession, case: Case) -> dict[str, Outcome]:
    """By column. Fails with all that is wrong."""
    names = [name for name in case.made.column_names if name not in case.unwritten]
    reference, unread = read(case.path, names)
    shown, errors = through_spark(spark, case.path, names)
    outcomes, wrong = {}, []
    for name in case.made.column_names:
        try:
            outcomes[name] = (
                Outcome(Verdict.UNWRITTEN, case.unwritten[name])
                if name in case.unwritten
                else outcome(name, case, (reference, unread), (shown, errors))
            )
        except Wrong as e:
            wrong.append(str(e))
    assert not wrong, f"{len(wrong)} columns of {case.path}, among them\n" + "\n".join(wrong[:20])
    return outcomes


def outcome(name: str, case: Case, reference: tuple, spark: tuple) -> Outcome:
    (table, unread), (shown, errors) = reference, spark
    if errors.get(name, "").startswith("foreign"):
        raise Wrong(f"{name}: {errors[name]}")
    if name in unread:
        return Outcome(Verdict.UNREAD, f"{instead(name, case, spark)}; pylance says {unread[name]}")
    if name in errors:
        if not errors[name].startswith("Unsupported"):
            raise Wrong(f"{name}: {errors[name]}")
        return Outcome(Verdict.REFUSED, errors[name])
    found = column_difference(table, shown, name)
    if found is not None:
        raise Wrong(f"{found}; {lost(name, case, table)}")
    by_pylance = lost(name, case, table)
    return Outcome(Verdict.AS_PYLANCE if by_pylance else Verdict.SAME, by_pylance)


def instead(name: str, case: Case, spark: tuple[pa.Table, dict[str, str]]) -> str:
    """Describes what Spark reads from a column that pylance cannot read."""
    shown, errors = spark
    if name in errors:
        return f"Spark says {errors[name]}"
    other = column_difference(case.made, shown, name)
    return "Spark reads other values than were written" if other else "Spark reads what was written"


def lost(name: str, case: Case, table: pa.Table) -> str:
    """Describes what pylance reads from a column that differs from what was written."""
    found = column_difference(case.made, table, name)
    if found is None:
        return ""
    kept = name in case.back.column_names and column_difference(case.made, case.back, name) is None
    return f"pylance reads: {found.split(': ', 1)[1]}" + (", unlike the release that wrote it" if kept else "")
