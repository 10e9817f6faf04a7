"""The only place that touches PySpark's private parts and py4j."""

import os
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from sparklance._imports import after_import

if TYPE_CHECKING:
    from pyspark import SparkContext
    from pyspark.sql import SparkSession


def builder_options(builder: "SparkSession.Builder") -> dict[str, Any]:
    """Returns the settings of a builder, for which PySpark has no public method."""
    options: dict[str, Any] = builder._options
    return options


def spark_home() -> str:
    """The Spark that PySpark would start."""
    from pyspark.find_spark_home import _find_spark_home

    return _find_spark_home()


def is_running() -> bool:
    """Whether this process has a JVM already: one it started (a stopped session leaves it), or one that started it."""
    from pyspark import SparkContext

    return SparkContext._gateway is not None or "PYSPARK_GATEWAY_PORT" in os.environ


def has_connector() -> bool:
    """Whether the running JVM finds our classes."""
    from py4j.java_gateway import JavaClass
    from pyspark import SparkContext

    SparkContext._ensure_initialized()
    jvm = cast(Any, SparkContext._jvm)
    return isinstance(jvm.io.sparklance.LanceException, JavaClass)


def classic_context(spark: "SparkSession") -> "SparkContext | None":
    """Returns the context of a classic session; None over Spark Connect, and if the session was stopped."""
    context = getattr(spark, "_sc", None)
    return None if context is None or context._jsc is None else context


_called = threading.local()


@contextmanager
def called_from(context: "SparkContext", site: str) -> Iterator[None]:
    """Has Spark's UI show this call site for the block's statements and jobs, unless an outer block has set one.

    PySpark has no public method for it. Its own call sites would name a line of the package; they yield to outer ones,
    which it counts.
    """
    from pyspark.traceback_utils import SCCallSiteSync

    if getattr(_called, "already", False):
        yield
        return
    jvm: Any = context._jsc
    # In a function of foreachBatch, that of the streaming query.
    before = jvm.getLocalProperty("callSite.short")
    jvm.setCallSite(site)
    SCCallSiteSync._spark_stack_depth += 1
    _called.already = True
    try:
        yield
    finally:
        _called.already = False
        SCCallSiteSync._spark_stack_depth -= 1
        jvm.setCallSite(before)


def let_interrupts_cancel() -> None:
    """Lets PySpark's handler of Ctrl-C cancel the jobs of any statement, also of plain SQL.

    It calls `cancelAllJobs` while the connection of the thread is in use: that fails, and the jobs go on and commit.
    Another thread has another connection.
    """
    after_import("pyspark.core.context", _cancel_on_another_thread)


def _cancel_on_another_thread(module: Any) -> None:
    original: Callable[[SparkContext], None] = module.SparkContext.cancelAllJobs

    @wraps(original)
    def cancelled(context: "SparkContext") -> None:
        failures: list[Exception] = []

        def run() -> None:
            try:
                original(context)
            except Exception as e:
                failures.append(e)

        thread = threading.Thread(target=run)
        thread.start()
        thread.join()
        for failure in failures:
            raise failure

    module.SparkContext.cancelAllJobs = cancelled


def text_of(error: BaseException) -> str:
    """All that an exception of PySpark tells, the JVM's stack included (which `str` may leave out)."""
    stack = getattr(error, "getStackTrace", None) or getattr(error, "_stackTrace", None)
    return f"{error}\n{stack() if callable(stack) else stack or ''}"


#: Makes an exception of a condition, a message, its parameters, and PySpark's own exception; or does not know it.
Convert: TypeAlias = Callable[[str, str, Mapping[str, str], Exception], Exception | None]

_TRANSLATED = "io.sparklance.spark.errors.Lance"
_KINDS = ("Analysis", "IllegalArgument", "UnsupportedOperation")
_MOST_CAUSES = 20


def convert_errors(convert: Convert) -> None:
    """Has PySpark raise what `convert` makes of the errors of our jar. What ends a stream stays PySpark's exception.

    PySpark has no public way to add exceptions. Where one of the parts that this relies on is missing, errors stay
    PySpark's own, which `sparklance.errors.as_lance_exception` understands.
    """
    after_import("pyspark.errors.exceptions.captured", lambda module: _convert_classic(module, convert))
    after_import("pyspark.errors.exceptions.connect", lambda module: _convert_connect(module, convert))


def _convert_classic(captured: Any, convert: Convert) -> None:
    original = getattr(captured, "convert_exception", None)
    if original is None:
        return

    def converted(error: Any) -> Exception:
        pyspark = cast(Exception, original(error))
        thrown = None if isinstance(pyspark, captured.StreamingQueryException) else _our_throwable(error)
        if thrown is None:
            return pyspark
        parameters = dict(thrown.getMessageParameters())
        return convert(thrown.getCondition(), thrown.getMessage(), parameters, pyspark) or pyspark

    captured.convert_exception = converted


def _our_throwable(error: Any) -> Any:
    """Finds the first of a Java exception and its causes that our jar made."""
    for _ in range(_MOST_CAUSES):
        if error is None or error.getClass().getName().startswith(_TRANSLATED):
            return error
        error = error.getCause()
    return None


def _convert_connect(connect: Any, convert: Convert) -> None:
    classes: dict[str, Any] = getattr(connect, "EXCEPTION_CLASS_MAPPING", {})
    for kind in _KINDS:
        pyspark_class = getattr(connect, f"{kind}Exception", None)
        if pyspark_class is not None:
            classes[f"{_TRANSLATED}{kind}Exception"] = _connect_factory(convert, pyspark_class)


def _connect_factory(convert: Convert, pyspark_class: Callable[..., Exception]) -> Callable[..., Exception]:
    """Stands where Spark Connect's client expects the class of an exception."""

    def made(message: str, **details: Any) -> Exception:
        pyspark = pyspark_class(message, **details)
        condition = details.get("errorClass") or ""
        return convert(condition, message, details.get("messageParameters") or {}, pyspark) or pyspark

    return made
