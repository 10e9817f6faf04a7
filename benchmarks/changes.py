"""Time and bytes of changes of rows and columns: ours, Delta's and Iceberg's ways, on a Spark that all run on."""

import math
from pathlib import Path

from benchmarks import peer
from benchmarks.running import Worker
from dev_tools import ROOT, SetupError, artifacts

SPARK = "4.0.1"
JARS = {
    "sparklance": [],
    "delta": ["io.delta:delta-spark_2.13:4.0.0", "io.delta:delta-storage:4.0.0"],
    "iceberg": ["org.apache.iceberg:iceberg-spark-runtime-4.0_2.13:1.10.0"],
}
CASES = {
    "delete": ["sparklance", "delta", "iceberg", "delta vectors", "iceberg merge"],
    "add": ["sparklance", "delta", "iceberg", "iceberg merge"],
}
TITLES = {"delete": "1 % random rows of lineitem deleted", "add": "a float column of values added to lineitem"}
# Contender → the most that our time may be of its time. The other styles are shown without a target.
TARGETS = {"delete": {"delta": 0.2, "iceberg": 0.2}, "add": {"delta": 0.2, "iceberg": 0.2}}


def changes(data: Path, logs: Path, rounds: int) -> list[str]:
    """Best of the rounds, in turns. Before each change the table is restored to its first version."""
    folder = data / "changes"
    folder.mkdir(exist_ok=True)
    workers = start(data, folder, logs)
    try:
        for contender in dict.fromkeys(name for names in CASES.values() for name in names):
            worker(workers, contender).seconds("make", contender)
        return [line for case in CASES for line in timed(case, workers, folder, rounds)]
    finally:
        for one in workers.values():
            one.close()


def timed(case: str, workers: dict[str, Worker], folder: Path, rounds: int) -> list[str]:
    best = dict.fromkeys(CASES[case], math.inf)
    written: dict[str, int] = {}
    for turn in range(rounds + 1):
        for contender in best:
            process = worker(workers, contender)
            restored = process.seconds("restore", contender)
            before = sizes(folder)
            seconds = process.seconds(case, contender)
            if math.isnan(restored) or math.isnan(seconds):
                raise SetupError(f"{contender} did not {case}: {process.log.name} says why.")
            written[contender] = sum(size for file, size in sizes(folder).items() if file not in before)
            best[contender] = min(best[contender], seconds) if turn > 0 else math.inf
    ours = best["sparklance"]
    return [f"{case}: {TITLES[case]}"] + [
        f"  {name:16} {seconds:8.3f} s {written[name]:12,} bytes   {verdict(case, name, ours / seconds)}"
        for name, seconds in best.items()
    ]


def verdict(case: str, name: str, ratio: float) -> str:
    if name == "sparklance":
        return ""
    most = TARGETS[case].get(name)
    return f"{ratio:6.3f} x" + (f"   target {most:.2f}: {'met' if ratio <= most else 'missed'}" if most else "")


def sizes(folder: Path) -> dict[Path, int]:
    return {file: file.stat().st_size for file in folder.rglob("*") if file.is_file()}


def worker(workers: dict[str, Worker], contender: str) -> Worker:
    return workers[contender.split()[0]]


def start(data: Path, folder: Path, logs: Path) -> dict[str, Worker]:
    python = peer.with_sparklance(peer.spark(logs, SPARK, "protobuf"))
    script = str(ROOT / "benchmarks" / "workers" / "changes.py")
    started = {}
    for system, coordinates in JARS.items():
        jars = peer.jars(logs, coordinates) or [artifacts.jar()]
        environment = {
            "BENCH_JARS": ",".join(map(str, jars)),
            "PYSPARK_PYTHON": str(python),
        }
        command = [str(python), script, system, str(data / "lineitem.parquet"), str(folder)]
        started[system] = Worker(command, environment, logs / f"changes-{system}.log")
    return started
