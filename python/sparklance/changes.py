"""DELETE, UPDATE and MERGE of a table's rows, with the names of pylance's methods.

Each becomes a statement of SQL, or of DataFrames if it is given `Column`s, so it works with Spark Connect, too. `_run`
repeats a statement that conflicts with a concurrent one, and looks up its row counts in the history.
"""

import re
import sys
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import timedelta
from typing import TYPE_CHECKING, cast

from sparklance._identifiers import column, parts_of, quoted
from sparklance._procedures import call
from sparklance._statements import running
from sparklance.conditions import checked, enclosed
from sparklance.errors import RetryableCommitConflictException, as_lance_exception
from sparklance.inputs import frame

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession
    from pyspark.sql.types import StructField, StructType

    from sparklance.inputs import Data

__all__ = ["MergeInsertBuilder", "delete", "update"]

#: The most repetitions of a statement after conflicts, and the time after which none begins.
RETRIES, TIMEOUT = 10, timedelta(seconds=30)

Counts = dict[str, int]

# Here `*` stands for the columns that both sides have.
_UPDATE_ALL, _INSERT_ALL = "UPDATE SET *", "INSERT *"
_DEFAULT = "CURRENT_DEFAULT"
_PRIMARY_KEY = "lance-schema:unenforced-primary-key"
_KEY_POSITION = f"{_PRIMARY_KEY}:position"

# A column that a clause names.
_SOURCE_COLUMN = re.compile(r"\bsource\.(?:`([^`]+)`|(\w+))", re.IGNORECASE)

# A property of the commit, by which it is found in the history.
_MARK = "sparklance-statement"
_MARK_OPTION = f"spark.datasource.lance.commit.{_MARK}"
# Spark 4.1 and later cannot plan a MERGE whose condition names a metadata column of the target, unless this is false.
_GROUP_FILTER = "spark.sql.optimizer.runtime.rowLevelOperationGroupFilter.enabled"
# With it, a path or a name with `${…}` would be another one.
_SUBSTITUTION = "spark.sql.variable.substitute"
_MODE = "spark.datasource.lance.updateMode"
# All threads share the session's settings, so one statement at a time may change them.
_settings = threading.Lock()


def delete(
    spark: "SparkSession",
    table: str,
    predicate: "str | Column",
    *,
    conflict_retries: int = RETRIES,
    retry_timeout: timedelta = TIMEOUT,
) -> Counts:
    """Deletes the rows for which the predicate is true, and returns their number: `num_deleted_rows`.

    :param table: as SQL names it, ``lance.`/data/flights` `` or `flights`
    """

    checked(predicate)

    def run() -> None:
        if isinstance(predicate, str):
            spark.sql(f"DELETE FROM {table} WHERE {enclosed(predicate)}").collect()
        else:
            _one(spark).mergeInto(table, predicate).whenMatched().delete().merge()

    counts = _run(spark, table, run, conflict_retries, retry_timeout)
    return {"num_deleted_rows": counts["num_deleted_rows"]}


def update(
    spark: "SparkSession",
    table: str,
    updates: Mapping[str, "str | Column"],
    where: "str | Column | None" = None,
    *,
    conflict_retries: int = RETRIES,
    retry_timeout: timedelta = TIMEOUT,
    chooses: bool = False,
) -> Counts:
    """Sets columns to expressions, in all rows or where a condition is true. Returns `num_rows_updated`.

    Names of columns are those of SQL: `s.a` is the field of a struct. If it `chooses`, each fragment goes the way that
    writes fewer bytes.
    """
    if not updates:
        raise ValueError("There is no column to update. Give expressions, for example update({'price': 'price * 2'}).")

    checked(where, " or leave it out")

    def run() -> None:
        if isinstance(where, str | None) and all(isinstance(value, str) for value in updates.values()):
            sets = ", ".join(f"{column(name)} = {value}" for name, value in updates.items())
            spark.sql(f"UPDATE {table} SET {sets} WHERE {enclosed(where or 'true')}").collect()
        else:
            values = {name: _column(value) for name, value in updates.items()}
            _one(spark).mergeInto(table, _column("true" if where is None else where)).whenMatched().update(
                values
            ).merge()

    more = {_MODE: "auto"} if chooses else {}
    counts = _run(spark, table, run, conflict_retries, retry_timeout, more)
    return {"num_rows_updated": counts["num_updated_rows"]}


class MergeInsertBuilder:
    """Clauses of a merge: for matched rows, for rows of the source only, and for rows of the table only.

    Conditions and values are SQL, and name columns as `target.price` and `source.price`.
    """

    def __init__(self, spark: "SparkSession", table: str, on: "str | Sequence[str] | None" = None) -> None:
        self._spark, self._table = spark, table
        self._on = [on] if isinstance(on, str) else list(on) if on else _primary_key(spark, table)
        # Clauses for matched rows, source rows and table rows, in the order that Spark requires.
        self._clauses: tuple[list[str], list[str], list[str]] = ([], [], [])
        self._retries, self._timeout = RETRIES, TIMEOUT

    def when_matched_update_all(self, condition: str | None = None) -> "MergeInsertBuilder":
        """Updates matched rows of the table with all columns of the source."""
        return self._with(0, f"WHEN MATCHED{_also(condition)} THEN {_UPDATE_ALL}")

    def when_matched_update(self, updates: Mapping[str, str], condition: str | None = None) -> "MergeInsertBuilder":
        """Updates some columns of matched rows with the values of expressions."""
        sets = ", ".join(f"{_target(name)} = {value}" for name, value in updates.items())
        return self._with(0, f"WHEN MATCHED{_also(condition)} THEN UPDATE SET {sets}")

    def when_matched_delete(self, condition: str | None = None) -> "MergeInsertBuilder":
        return self._with(0, f"WHEN MATCHED{_also(condition)} THEN DELETE")

    def when_matched_fail(self) -> "MergeInsertBuilder":
        """Fails the whole merge if a row of the source matches one of the table."""
        said = "'A row of the source is in the table already, and when_matched_fail() was asked for.'"
        return self._with(0, f"WHEN MATCHED THEN UPDATE SET {_target(self._on[0])} = raise_error({said})")

    def when_not_matched_insert_all(self, condition: str | None = None) -> "MergeInsertBuilder":
        """Inserts the rows of the source that match none of the table."""
        return self._with(1, f"WHEN NOT MATCHED{_also(condition)} THEN {_INSERT_ALL}")

    def when_not_matched_by_source_delete(self, condition: str | None = None) -> "MergeInsertBuilder":
        """Deletes the rows of the table that match none of the source."""
        return self._with(2, f"WHEN NOT MATCHED BY SOURCE{_also(condition)} THEN DELETE")

    def conflict_retries(self, max_retries: int) -> "MergeInsertBuilder":
        """Sets how often the merge is repeated when others have changed the same rows meanwhile."""
        self._retries = max_retries
        return self

    def retry_timeout(self, timeout: timedelta) -> "MergeInsertBuilder":
        """Sets the time after which the merge is not repeated."""
        self._timeout = timeout
        return self

    def execute(self, source: "Data") -> Counts:
        """Merges. Returns the numbers of inserted, updated and deleted rows, and of attempts.

        The source is a DataFrame, or what `LanceDataset.create` takes. Columns that it lacks keep their values in
        updated rows, and get their default or NULL in new ones.
        """
        if not any(self._clauses):
            raise ValueError("The merge has no clause. Call one of the when_…() methods before execute().")
        rows = frame(self._spark, source)
        clauses = self._spelled_out(rows)
        view = f"sparklance_source_{uuid.uuid4().hex}"
        keys = " AND ".join(f"{_target(name)} = {column(name, 'source')}" for name in self._on)
        statement = f"MERGE INTO {self._table} AS target USING {view} AS source ON {keys} {' '.join(clauses)}"

        def run() -> None:
            self._spark.sql(statement).collect()

        with running(self._spark):
            rows.createOrReplaceTempView(view)
        try:
            return _run(self._spark, self._table, run, self._retries, self._timeout)
        finally:
            self._spark.catalog.dropTempView(view)

    def _spelled_out(self, source: "DataFrame") -> list[str]:
        """Returns the clauses. Replaces `*` by the columns of the source if it lacks some of the table."""
        clauses = [clause for kind in self._clauses for clause in kind]
        shared, lacking = _compared(_schema(self._spark, self._table), source, self._spark)
        if missing := [name for name in self._on if parts_of(name)[0] in {field.name for field in lacking}]:
            raise ValueError(
                f"The source has no column {', '.join(missing)}, by which rows match. "
                f"It has {', '.join(source.columns)}."
            )
        self._refuse_unused(source, clauses)
        if not lacking:
            return clauses
        required = [f.name for f in lacking if not f.nullable and _DEFAULT not in f.metadata]
        if required and any(clause.endswith(_INSERT_ALL) for clause in clauses):
            raise ValueError(
                f"The source lacks columns that must not be NULL in new rows: {', '.join(required)}. Add them to it, "
                "or leave out when_not_matched_insert_all()."
            )
        sets = ", ".join(f"target.{name} = source.{name}" for name in shared)
        values = ", ".join(f"source.{name}" for name in shared)
        update, insert = f"UPDATE SET {sets}", f"INSERT ({', '.join(shared)}) VALUES ({values})"
        return [_ending(_ending(clause, _UPDATE_ALL, update), _INSERT_ALL, insert) for clause in clauses]

    def _refuse_unused(self, source: "DataFrame", clauses: list[str]) -> None:
        """Refuses columns of the source that the table lacks and no condition names, if a clause takes all columns."""
        known = {_folded(name, self._spark) for name in _schema(self._spark, self._table).names}
        named = {_folded(a or b, self._spark) for a, b in _SOURCE_COLUMN.findall(" ".join(clauses))}
        unused = [name for name in source.columns if _folded(name, self._spark) not in known | named]
        if unused and any(clause.endswith((_UPDATE_ALL, _INSERT_ALL)) for clause in clauses):
            raise ValueError(
                f"The table has no column {', '.join(unused)}, which the source has. Drop it from the source, add it "
                f"to the table, or name it in a condition: source.{unused[0]}."
            )

    def _with(self, kind: int, clause: str) -> "MergeInsertBuilder":
        self._clauses[kind].append(clause)
        return self


def _run(
    spark: "SparkSession",
    table: str,
    statement: Callable[[], None],
    retries: int,
    timeout: timedelta,
    more: Mapping[str, str] | None = None,
) -> Counts:
    """Runs a statement, repeats it after retryable conflicts, and returns the counts that its transaction records."""
    mark, began = uuid.uuid4().hex, time.monotonic()
    for attempt in range(1, retries + 2):
        try:
            settings = {_MARK_OPTION: mark, _GROUP_FILTER: "false", _SUBSTITUTION: "false", **(more or {})}
            with _set(spark, settings), running(spark):
                statement()
            return {**_counts(spark, table, mark), "num_attempts": attempt}
        except Exception as error:
            ours = as_lance_exception(error)
            late = time.monotonic() - began > timeout.total_seconds()
            if not isinstance(ours, RetryableCommitConflictException) or attempt > retries or late:
                raise ours or error from error
    raise AssertionError("an attempt either succeeds or raises")


def _counts(spark: "SparkSession", table: str, mark: str) -> Counts:
    history = (row.properties or {} for row in call(spark, "history", table=table, limit=1000))
    # A statement that changes nothing makes no version.
    properties: Mapping[str, str] = next((one for one in history if one.get(_MARK) == mark), {})
    kinds = ("inserted", "updated", "deleted")
    return {f"num_{kind}_rows": int(properties.get(f"sparklance.rows{kind.capitalize()}", 0)) for kind in kinds}


def _schema(spark: "SparkSession", table: str) -> "StructType":
    with _set(spark, {_SUBSTITUTION: "false"}):
        return spark.table(table).schema


@contextmanager
def _set(spark: "SparkSession", settings: Mapping[str, str]) -> Iterator[None]:
    with _settings:
        before = {key: spark.conf.get(key, None) for key in settings}
        for key, value in settings.items():
            spark.conf.set(key, value)
        try:
            yield
        finally:
            for key, old in before.items():
                if old is None:
                    spark.conf.unset(key)
                else:
                    spark.conf.set(key, old)


def _ending(clause: str, old: str, new: str) -> str:
    return clause.removesuffix(old) + new if clause.endswith(old) else clause


def _compared(table: "StructType", source: "DataFrame", spark: "SparkSession") -> "tuple[list[str], list[StructField]]":
    """Returns the table's columns that the source has, quoted for SQL, and those that it lacks."""
    given = {_folded(name, spark) for name in source.columns}
    has = [_folded(field.name, spark) in given for field in table.fields]
    shared = [quoted(field.name) for field, there in zip(table.fields, has, strict=True) if there]
    return shared, [field for field, there in zip(table.fields, has, strict=True) if not there]


def _folded(name: str, spark: "SparkSession") -> str:
    """Returns a column's name in the form in which the session compares names."""
    return name if spark.conf.get("spark.sql.caseSensitive") == "true" else name.lower()


def _primary_key(spark: "SparkSession", table: str) -> list[str]:
    found = _keyed(_schema(spark, table), ())
    # Columns without a position come last.
    names = [name for _, name in sorted(found, key=lambda key: key[0] or sys.maxsize)]
    if not names:
        raise ValueError(
            f"{table} has no primary key, so the columns by which rows match are unknown. Name them: merge_insert(on)."
        )
    return names


def _keyed(fields: "StructType", around: tuple[str, ...]) -> "Iterator[tuple[int, str]]":
    """Returns the columns of the primary key, with their positions, which are 0 for those that have none."""
    for field in fields.fields:
        path = (*around, field.name)
        position = str(field.metadata.get(_KEY_POSITION, ""))
        if position.isdecimal():
            yield int(position), quoted(*path)
        elif str(field.metadata.get(_PRIMARY_KEY, "")).lower() in ("true", "1", "yes"):
            yield 0, quoted(*path)
        if hasattr(field.dataType, "fields"):
            yield from _keyed(cast("StructType", field.dataType), path)


def _target(name: str) -> str:
    """The table's column, whether or not its name begins with the alias."""
    return column(name.removeprefix("target."), "target")


def _also(condition: str | None) -> str:
    checked(condition, " or leave it out")
    return "" if condition is None else f" AND {enclosed(condition)}"


def _one(spark: "SparkSession") -> "DataFrame":
    """Returns a source of one row for a merge whose condition is a `Column`. The table has no column of its name."""
    return spark.range(1).withColumnRenamed("id", "__sparklance_one")


def _column(expression: "str | Column") -> "Column":
    from pyspark.sql.functions import expr

    return expr(expression) if isinstance(expression, str) else expression
