"""Puts the connector's jar on the class path of a session that is about to start."""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from sparklance import _jvm, _launch, _resources

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def configure(builder: "SparkSession.Builder") -> "SparkSession.Builder":
    """Adds the packaged jar to `spark.jars`, beside the jars you have set, and sets nothing else.

    The jar does the rest: it installs the format `lance` and its catalogs. Call it last, as a later
    `.config("spark.jars", …)` would replace what it has set::

        spark = sparklance.configure(SparkSession.builder.appName("mine")).getOrCreate()

    Jars set in the builder, in `spark-defaults.conf` and in PYSPARK_SUBMIT_ARGS are kept. Of these
    the last would win over the builder, so where it names jars ours is added there as well.

    Where a Spark is running already (`spark-submit`, a notebook service) the jar must have come with it: then nothing
    is left to do, or else this is an error. With Spark Connect the server brings the jar, and nothing is done here.
    """
    _check_version()
    options = _jvm.builder_options(builder)
    if _launch.is_remote(options, os.environ):
        return builder
    if _jvm.is_running():
        if not _jvm.has_connector():
            raise RuntimeError(_TOO_LATE)
        return builder
    set_by_user = [
        *_launch.split(options.get("spark.jars")),
        *_launch.jars_of_arguments(os.environ),
        *_launch.jars_of_defaults(os.environ),
    ]
    jars = _with_ours(set_by_user)
    _launch.replace_jars_in_arguments(os.environ, jars)
    return builder.config("spark.jars", ",".join(jars))


def jar_path() -> Path:
    """Returns the path of the packaged jar, for `spark-submit --jars` and for clusters that need a copy.

    Where the package is imported from an archive, this is a copy, which goes when the process ends.
    """
    jars = _resources.jars()
    if not jars:
        raise FileNotFoundError(
            f"The jar of sparklance is missing from {_resources.folder('jars')}, as in a checkout that was never "
            "built. Run './dev build' there, or install the package with 'pip install .'."
        )
    return _resources.file_of(jars[-1])


def _check_version() -> None:
    """Refuses a Spark with which the jar would fail by a NoSuchMethodError."""
    import pyspark

    if int(pyspark.__version__.partition(".")[0]) < 4:
        raise RuntimeError(
            f"This is PySpark {pyspark.__version__}, and sparklance needs Spark 4.0 or later, with Scala 2.13. Install "
            "it in this environment: pip install 'pyspark>=4.0'."
        )


def _with_ours(jars: Iterable[str]) -> list[str]:
    """Returns these jars without repetitions, and ours, unless a sparklance jar is among them: two would clash."""
    distinct = list(dict.fromkeys(jars))
    if any(jar.rsplit("/", 1)[-1].startswith(_resources.JAR) for jar in distinct):
        return distinct
    return [*distinct, str(jar_path())]


_TOO_LATE = (
    "sparklance.configure() comes too late: Spark is already running in this process without the sparklance jar, and "
    "takes no new jars for its data sources. Call configure() before the first SparkSession of a fresh Python process "
    "(in a notebook: restart the kernel). Under spark-submit pass the jar with --jars; sparklance.session.jar_path() "
    "tells where it is."
)
