"""Lance tables in Apache Spark: see `configure` for the first line of a program."""

from importlib.metadata import version

from sparklance.session import configure

__all__ = ["__version__", "configure"]

__version__ = version("sparklance")
