"""Random changes: `python -m tests.soak.changes <count> <seed>`, which `./dev soak` starts.

Spark and pylance change tables in turns, in sequences of twenty; a model says what every version must hold, to both.
The exit code says whether one did not.
"""

import random
import sys
import tempfile

from pyspark.sql import SparkSession

import sparklance
from tests.conftest import classic
from tests.interop.sequences.running import TABLES, run
from tests.interop.sequences.table import Table

#: Changes of one table.
EACH = 20


def soak(spark: SparkSession, folder: str, count: int, seed: int) -> list[str]:
    """Returns what went wrong, with the command that does it again."""
    failures = []
    for part in range(-(-count // EACH)):
        length = min(EACH, count - part * EACH)
        version, stable = random.Random(seed + part).choice(TABLES)
        try:
            table = Table(spark, f"{folder}/{part}.lance", version, stable)
            run(table, seed + part, length, indexed=version != "2.0" and (seed + part) % 3 == 0)
        except Exception as e:
            notes = "\n".join(getattr(e, "__notes__", []))
            failures.append(f"./dev soak --changes {length} --seed {seed + part}\n{str(e)[:2000]}\n{notes}")
            print(failures[-1], flush=True)
    return failures


if __name__ == "__main__":
    count, seed = map(int, sys.argv[1:])
    with tempfile.TemporaryDirectory(prefix="sparklance-changes-") as folder:
        spark = sparklance.configure(classic(f"{folder}/warehouse")).getOrCreate()
        spark.sparkContext.setLogLevel("OFF")
        wrong = soak(spark, folder, count, seed)
        spark.stop()
    print(f"{count} changes, {len(wrong)} tables with an error")
    sys.exit(bool(wrong))
