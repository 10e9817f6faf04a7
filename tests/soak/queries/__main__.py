"""Random queries: `python -m tests.soak.queries <count> <seed> [<number of a query>]`, which `./dev soak` starts.

The exit code says whether an answer was wrong.
"""

import sys
import tempfile

import sparklance
from tests.conftest import classic
from tests.soak.queries.running import run

if __name__ == "__main__":
    count, seed, *only = map(int, sys.argv[1:])
    with tempfile.TemporaryDirectory() as warehouse:
        spark = sparklance.configure(classic(warehouse)).getOrCreate()
        spark.sparkContext.setLogLevel("OFF")
        report = run(spark, seed, count, *only)
        spark.stop()
    print(*report.lines(), sep="\n", flush=True)
    sys.exit(bool(report.differences))
