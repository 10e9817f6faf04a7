"""The errors of the connector: the same names as in the jar.

Spark wraps what the connector throws, and differently in a query, in a task and over Spark Connect:
`as_lance_exception` finds it again.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager

from sparklance import _jvm

__all__ = [
    "CommitConflictException",
    "CommitStateUnknownException",
    "IncompatibleCommitConflictException",
    "LanceException",
    "LanceFormatException",
    "LanceTableNotFoundException",
    "LanceUsageException",
    "RetryableCommitConflictException",
    "UnsupportedLanceFeatureException",
    "as_lance_exception",
    "lance_errors",
]


class LanceException(Exception):
    """Any error of the connector. Its message says the problem, the cause and the cure."""


class LanceFormatException(LanceException):
    """The bytes of a table are not what the Lance format says."""


class UnsupportedLanceFeatureException(LanceException):
    """The table uses a part of the format that this version does not know, or does not support yet."""


class LanceTableNotFoundException(LanceException):
    """There is no Lance table at this path, or not in this version."""


class CommitConflictException(LanceException):
    """Another writer has changed the table in a way that this change cannot follow. Nothing was committed."""


class RetryableCommitConflictException(CommitConflictException):
    """The same, done again on the table as it is by now, may stand."""


class IncompatibleCommitConflictException(CommitConflictException):
    """The two do not go together: what was to be done has lost its meaning."""


class CommitStateUnknownException(LanceException):
    """A commit failed so that nobody can tell whether it took effect. Its data files were left in place."""


class LanceUsageException(LanceException):
    """What was asked for cannot be done as asked: an option, a schema, a value."""


_CLASSES = {
    each.__name__: each
    for each in (
        LanceException,
        LanceFormatException,
        UnsupportedLanceFeatureException,
        LanceTableNotFoundException,
        CommitConflictException,
        RetryableCommitConflictException,
        IncompatibleCommitConflictException,
        CommitStateUnknownException,
        LanceUsageException,
    )
}
# As Java prints a throwable: its class, its message (which may have several lines), then the stack or the next cause.
# Spark Connect has the class in brackets.
_THROWN = re.compile(
    r"(?:\bio\.sparklance\.(\w+):|\(io\.sparklance\.(\w+)\)) "
    r"(.*?)(?=\s*\n\s*(?:at |\.\.\. \d|Caused by: |Driver stack|JVM stacktrace)|\s*\Z)",
    re.DOTALL,
)


def as_lance_exception(error: BaseException) -> LanceException | None:
    """The connector's error behind an exception of PySpark, or None if another one is behind it::

    try:
        spark.read.format("lance").load(path)
    except Exception as e:
        raise as_lance_exception(e) or e
    """
    for plain, bracketed, message in _THROWN.findall(_jvm.text_of(error)):
        if (name := plain or bracketed) in _CLASSES:
            return _CLASSES[name](message)
    return None


@contextmanager
def lance_errors() -> Iterator[None]:
    """Raises the connector's errors in a block as what they are, and others as PySpark does."""
    try:
        yield
    except Exception as e:
        found = as_lance_exception(e)
        if found is None:
            raise
        raise found from e
