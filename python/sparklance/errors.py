"""The errors of the connector, one Python class for each error condition: docs/errors.md lists them.

Importing this module, as `import sparklance` does, teaches PySpark these classes: statements raise them in a classic
session and over Spark Connect::

    try:
        df = spark.read.format("lance").load(path)
    except LanceTableNotFoundException:
        ...

Each class is also the PySpark exception that is raised where this module was not imported. This module does not import
PySpark: tools that need no Spark use it, too.
"""

import importlib
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from typing import Any, ClassVar, Self, cast

from sparklance import _jvm

__all__ = [
    "CatalogErrorException",
    "CatalogForbiddenException",
    "CatalogServerException",
    "CatalogThrottledException",
    "CatalogUnauthenticatedException",
    "CatalogUnavailableException",
    "CommitConflictException",
    "CommitStateUnknownException",
    "ErasureIncompleteException",
    "IncompatibleCommitConflictException",
    "IndicesMissingException",
    "LanceException",
    "LanceFileSystemNotFoundException",
    "LanceFormatException",
    "LanceStorageException",
    "LanceTableNotFoundException",
    "LanceUsageException",
    "RetryableCommitConflictException",
    "UnsupportedLanceFeatureException",
    "as_lance_exception",
    "lance_errors",
]


class LanceException(Exception):
    """Any error of the connector. Its message says the problem, the cause and the cure.

    `original` is the exception that PySpark would have raised, with the Java stack; None if the error arose in Python.
    """

    #: The error condition, its SQLSTATE, and the class in `pyspark.errors`.
    CONDITION: ClassVar[str | None] = None
    SQLSTATE: ClassVar[str | None] = None
    PYSPARK: ClassVar[str] = "PySparkException"

    def __new__(cls, *arguments: Any, **options: Any) -> Self:
        whole: Any = _with_pyspark(cast(Any, cls)) if "pyspark" in sys.modules else cls
        return cast(Self, super().__new__(whole, *arguments))

    def __init__(
        self,
        message: str,
        *,
        parameters: Mapping[str, str] | None = None,
        original: BaseException | None = None,
    ) -> None:
        # As the jar says it, which has said it already in what PySpark raises.
        is_whole = self.CONDITION is None or message.startswith(f"[{self.CONDITION}]")
        self._text = message if is_whole else f"[{self.CONDITION}] {message} SQLSTATE: {self.SQLSTATE}"
        super().__init__(self._text)
        self.original = original
        self._parameters = dict(parameters or {"message": message})

    def __str__(self) -> str:
        return self._text

    def __reduce__(self) -> Any:
        return _unpickled, (type(self).__name__, self._text, self._parameters)

    def getMessage(self) -> str:
        return self._text

    def getMessageParameters(self) -> dict[str, str]:
        """The message without condition and SQLSTATE, and the place in a file, as far as it is known."""
        return dict(self._parameters)

    def getCondition(self) -> str | None:
        return self.CONDITION

    def getSqlState(self) -> str | None:
        return self.SQLSTATE


@cache
def _with_pyspark(plain: type[LanceException]) -> type[LanceException]:
    """The class that is raised: the plain one and PySpark's."""
    pyspark = getattr(importlib.import_module("pyspark.errors"), plain.PYSPARK)
    if issubclass(plain, pyspark):
        return plain
    details = {"__module__": plain.__module__, "__qualname__": plain.__qualname__, "__doc__": plain.__doc__}
    return type(plain.__name__, (plain, pyspark), details)


def _unpickled(name: str, message: str, parameters: Mapping[str, str]) -> LanceException:
    plain: type[LanceException] = globals()[name]
    return plain(message, parameters=parameters)


class LanceTableNotFoundException(LanceException):
    """There is no Lance table at this path, or not in this version."""

    CONDITION, SQLSTATE, PYSPARK = "LANCE_TABLE_NOT_FOUND", "42P01", "AnalysisException"


class LanceFormatException(LanceException):
    """The bytes of a table contradict the Lance format."""

    CONDITION, SQLSTATE, PYSPARK = "LANCE_CORRUPT_DATA", "XX001", "AnalysisException"


class UnsupportedLanceFeatureException(LanceException):
    """The table or the statement uses a feature that this version does not support."""

    CONDITION, SQLSTATE, PYSPARK = "LANCE_UNSUPPORTED_FEATURE", "0A000", "UnsupportedOperationException"


class LanceUsageException(LanceException):
    """An option, a schema, a value or another part of a request is not valid."""

    CONDITION, SQLSTATE, PYSPARK = "LANCE_INVALID_USAGE", "22023", "IllegalArgumentException"


class LanceFileSystemNotFoundException(LanceException):
    """The jar with the file system of a path is not on Spark's class path, such as `hadoop-aws`."""

    CONDITION, SQLSTATE, PYSPARK = "LANCE_FILE_SYSTEM_NOT_FOUND", "58000", "AnalysisException"


class LanceStorageException(LanceException):
    """The store of a table failed: it is full, read-only or away, or denies access."""

    CONDITION, SQLSTATE, PYSPARK = "LANCE_STORAGE_FAULT", "58030", "AnalysisException"


class CommitConflictException(LanceException):
    """Another writer has changed the table in a way that this change cannot follow. Nothing was committed."""

    PYSPARK = "AnalysisException"


class RetryableCommitConflictException(CommitConflictException):
    """Run again on the latest version, the statement may succeed."""

    CONDITION, SQLSTATE = "LANCE_RETRYABLE_COMMIT_CONFLICT", "40001"


class IncompatibleCommitConflictException(CommitConflictException):
    """The two changes exclude each other: running the statement again does not help."""

    CONDITION, SQLSTATE = "LANCE_INCOMPATIBLE_COMMIT_CONFLICT", "40000"


class CommitStateUnknownException(LanceException):
    """A commit failed, and it is unknown whether it took effect. Its data files were left in place."""

    CONDITION, SQLSTATE, PYSPARK = "LANCE_COMMIT_STATE_UNKNOWN", "40003", "AnalysisException"


class IndicesMissingException(LanceException):
    """All rows were replaced and committed, but indices that were to be built again are missing."""

    CONDITION, SQLSTATE, PYSPARK = "LANCE_INDICES_MISSING", "55000", "AnalysisException"


class ErasureIncompleteException(LanceException):
    """Rows were deleted to erase them, and files or versions still hold them. The message names these."""

    CONDITION, SQLSTATE, PYSPARK = "LANCE_ERASURE_INCOMPLETE", "55000", "AnalysisException"


class CatalogServerException(LanceException):
    """The server of a catalog refused a call, could not be reached, or gave an answer that cannot be used."""

    PYSPARK = "AnalysisException"


class CatalogForbiddenException(CatalogServerException):
    """The server does not let this account do what was asked."""

    CONDITION, SQLSTATE = "LANCE_CATALOG_FORBIDDEN", "42501"


class CatalogUnauthenticatedException(CatalogServerException):
    """The server does not accept the credentials: they are missing, wrong or expired."""

    CONDITION, SQLSTATE = "LANCE_CATALOG_UNAUTHENTICATED", "28000"


class CatalogThrottledException(CatalogServerException):
    """The server limits the number of requests, and still did after several attempts."""

    CONDITION, SQLSTATE = "LANCE_CATALOG_THROTTLED", "53000"


class CatalogUnavailableException(CatalogServerException):
    """The server does not answer, or not for now."""

    CONDITION, SQLSTATE = "LANCE_CATALOG_UNAVAILABLE", "08001"


class CatalogErrorException(CatalogServerException):
    """The server of a catalog failed in another way, or lacks a call."""

    CONDITION, SQLSTATE = "LANCE_CATALOG_ERROR", "HV000"


_CLASSES: tuple[type[LanceException], ...] = (
    LanceTableNotFoundException,
    LanceFormatException,
    UnsupportedLanceFeatureException,
    LanceUsageException,
    LanceFileSystemNotFoundException,
    LanceStorageException,
    RetryableCommitConflictException,
    IncompatibleCommitConflictException,
    CommitStateUnknownException,
    IndicesMissingException,
    ErasureIncompleteException,
    CatalogForbiddenException,
    CatalogUnauthenticatedException,
    CatalogThrottledException,
    CatalogUnavailableException,
    CatalogErrorException,
)
_BY_CONDITION = {each.CONDITION: each for each in _CLASSES}
_BY_NAME = {each.__name__: each for each in _CLASSES}

# In a text: a translated error; or an exception of the core as Java prints it, before its stack or the next cause.
_TRANSLATED = re.compile(r"\[(LANCE_\w+)\] (.*?) SQLSTATE: \w{5}", re.DOTALL)
_THROWN = re.compile(
    r"\bio\.sparklance\.(\w+): (.*?)(?=\s*\n\s*(?:at |\.\.\. \d|Caused by: |Driver stack|JVM stacktrace)|\s*\Z)",
    re.DOTALL,
)


def as_lance_exception(error: BaseException) -> LanceException | None:
    """Finds the connector's error in an exception of PySpark: in itself, its causes or its text; None if there is none.

    For errors that Spark wraps in its own, such as the `StreamingQueryException` of a query::

        try:
            query.awaitTermination()
        except StreamingQueryException as e:
            raise as_lance_exception(e) or e
    """
    if isinstance(error, LanceException):
        return error
    text = _jvm.text_of(error)
    for condition, message in _TRANSLATED.findall(text):
        if found := _BY_CONDITION.get(condition):
            whole = f"[{condition}] {message} SQLSTATE: {found.SQLSTATE}"
            return found(whole, parameters={"message": message}, original=error)
    for name, message in _THROWN.findall(text):
        if found := _BY_NAME.get(name):
            return found(message, original=error)
    return None


@contextmanager
def lance_errors() -> Iterator[None]:
    """Raises errors of the connector in a block as such, also those that Spark wraps, and others as PySpark does."""
    try:
        yield
    except LanceException:
        raise
    except Exception as e:
        found = as_lance_exception(e)
        if found is None:
            raise
        raise found from e


def _converted(condition: str, message: str, parameters: Mapping[str, str], original: Any) -> LanceException | None:
    found = _BY_CONDITION.get(condition)
    return None if found is None else found(message, parameters=parameters, original=original)


_jvm.convert_errors(_converted)
