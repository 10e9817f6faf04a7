"""One process for each system that is timed. It reads lines of JSON, does what they say, and answers with the seconds.

{"case": "q6", "contender": "lance-spark 2.2"}  →  @ {"seconds": 0.41}   or   @ {"error": "…"}

Work that returns a dict of other numbers adds them to the answer.
"""

import json
import os
import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any


def serve(job: Callable[[str, str], Callable[[], object]]) -> None:
    """Answers until the input ends. `job` makes what is timed of a case and a contender; making it is not timed.

    If it returns a dict of numbers, they are part of the answer.
    """
    for line in sys.stdin:
        request = json.loads(line)
        try:
            work = job(request["case"], request["contender"])
            start = time.perf_counter()
            found = work()
            answer: dict[str, object] = {"seconds": time.perf_counter() - start}
            if isinstance(found, dict):
                answer |= found
        except Exception as e:
            answer = {"error": f"{type(e).__name__}: {str(e)[:500]}"}
        # Spark writes to the same stream.
        print(f"\n@ {json.dumps(answer)}", flush=True)


def session(memory: str) -> Any:
    """Spark on two cores, with our jar."""
    from pyspark.sql import SparkSession

    import sparklance

    builder = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.driver.memory", memory)
    )
    spark = sparklance.configure(builder).getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    return spark


def linked(table: Path, to: Path) -> str:
    """A copy of a table, of hard links, in place of an earlier one."""
    shutil.rmtree(to, ignore_errors=True)
    shutil.copytree(table, to, copy_function=os.link)
    return str(to)


def cpu_seconds(spark: Any) -> float:
    """Seconds of CPU that the driver's JVM has used, on all cores."""
    process = spark.sparkContext._jvm.java.lang.ProcessHandle.current().pid()
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / 100
