"""The only place that touches PySpark's private parts and py4j."""

import os
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def builder_options(builder: "SparkSession.Builder") -> dict[str, Any]:
    """What has been set in a builder. PySpark has no public way to ask."""
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


def text_of(error: BaseException) -> str:
    """All that an exception of PySpark tells, the JVM's stack included (which `str` may leave out)."""
    stack = getattr(error, "getStackTrace", None) or getattr(error, "_stackTrace", None)
    return f"{error}\n{stack() if callable(stack) else stack or ''}"
