"""Spark's plan of a query, in a classic or a Connect session."""

import re
from contextlib import redirect_stdout
from io import StringIO

from pyspark.sql import DataFrame


def physical(frame: DataFrame) -> str:
    with redirect_stdout(StringIO()) as printed:
        frame.explain()
    return printed.getvalue()


def scans(frame: DataFrame) -> list[str]:
    """The line of each scan in the plan."""
    return [line for line in physical(frame).splitlines() if "BatchScan" in line]


def leaves_filters_to_spark(frame: DataFrame) -> bool:
    return re.search(r"\bFilter\b", physical(frame)) is not None


def splits(frame: DataFrame) -> int:
    """The plan of a table's scan."""
    (found,) = re.findall(r"(\d+) splits\b", physical(frame))
    return int(found)
