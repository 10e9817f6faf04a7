"""The connector's errors come back under their own names, however Spark has wrapped them."""

import re

import pytest

from dev_tools import ROOT
from sparklance import errors

DIRECT = """An error occurred while calling o45.load.
: io.sparklance.LanceTableNotFoundException: /tmp/t: no Lance table here. Nothing was ever written to it.
Check the path.
	at io.sparklance.Errors$.notFound(Errors.scala:10)
"""
IN_A_TASK = """An error occurred while calling o45.collectToPython.
: org.apache.spark.SparkException: Job aborted due to stage failure: Task 0 in stage 0.0 failed 1 times, \
most recent failure: Lost task 0.0 in stage 0.0 (TID 0): \
io.sparklance.LanceFormatException: page 3 is cut short: offset=17
	at io.sparklance.encoding.Flat$.decode(Flat.scala:10)

Driver stacktrace:
	at org.apache.spark.scheduler.DAGScheduler.abortStage(DAGScheduler.scala:10)
"""
AS_A_CAUSE = """[INTERNAL_ERROR] The write failed.
	at org.apache.spark.Some.thing(Some.scala:1)
Caused by: io.sparklance.RetryableCommitConflictException: version 5 was written meanwhile
	... 20 more
"""
OVER_CONNECT = """(io.sparklance.LanceUsageException) There is no row 14: they count from 0.

JVM stacktrace:
io.sparklance.LanceUsageException
	at io.sparklance.dataset.RowPositions$.outside(RowPositions.scala:10)
"""


@pytest.mark.parametrize(
    ("text", "expected", "message"),
    [
        (DIRECT, errors.LanceTableNotFoundException, "here. Nothing was ever written to it.\nCheck the path."),
        (IN_A_TASK, errors.LanceFormatException, "page 3 is cut short: offset=17"),
        (OVER_CONNECT, errors.LanceUsageException, "There is no row 14: they count from 0."),
        (AS_A_CAUSE, errors.RetryableCommitConflictException, "version 5 was written meanwhile"),
    ],
)
def test_finds_the_connectors_error(text, expected, message):
    found = errors.as_lance_exception(Exception(text))
    assert type(found) is expected
    assert str(found).endswith(message)


def test_conflicts_tell_whether_to_try_again():
    for kind in (errors.RetryableCommitConflictException, errors.IncompatibleCommitConflictException):
        assert issubclass(kind, errors.CommitConflictException)


def test_other_errors_are_not_ours():
    assert errors.as_lance_exception(ValueError("io.sparklance.Dataset: not an exception of ours")) is None


def test_finds_it_in_an_exception_that_the_jvm_has_thrown(spark):
    thrown = spark._jvm.io.sparklance.LanceUsageException("this is the problem", None)
    with pytest.raises(Exception, match="LanceUsageException") as caught:
        spark._jvm.scala.util.Failure(thrown).get()
    found = errors.as_lance_exception(caught.value)
    assert type(found) is errors.LanceUsageException
    assert str(found) == "this is the problem"


def test_has_the_same_classes_as_the_jar():
    scala = (ROOT / "jvm/core/src/main/scala/io/sparklance/LanceException.scala").read_text()
    assert set(re.findall(r"class (\w+Exception)\b", scala)) == {name for name in errors.__all__ if name[0].isupper()}
