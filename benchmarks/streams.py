"""Streams and change feeds: ours and Delta's, on a Spark that both run on, in turns."""

import math
import shutil
from pathlib import Path

import lance
import pyarrow as pa

from benchmarks import peer
from benchmarks.changes import JARS, SPARK
from benchmarks.running import Worker
from benchmarks.workers.streams import COMMITS
from dev_tools import ROOT, SetupError, artifacts

VERSIONS = 10_000
# Case → contenders and the most that our time may be of theirs.
CASES = {
    "backlog": (f"a stream over {COMMITS:,} commits of a row, available now", {"delta": 1.0}),
    "feed": ("the change feed of 1 % of lineitem, updated", {"delta": 1.0, "sparklance join": 0.2}),
}
MOST_IDLE_MILLIS = 30


def streams(data: Path, logs: Path, rounds: int) -> list[str]:
    """Best of the rounds, in turns, and the CPU seconds of that round. One round before the first warms up."""
    folder = data / "streams"
    folder.mkdir(exist_ok=True)
    workers = start(data, folder, logs)
    try:
        for case in CASES:
            for system, process in workers.items():
                if math.isnan(process.seconds(f"make_{case}", system)):
                    raise SetupError(f"{system} did not make the table for {case}: {process.log.name} says why.")
        lines = [line for case in CASES for line in timed(case, workers, rounds)]
        return [*lines, *idle(folder, workers["sparklance"])]
    finally:
        for one in workers.values():
            one.close()


def timed(case: str, workers: dict[str, Worker], rounds: int) -> list[str]:
    title, targets = CASES[case]
    best: dict[str, tuple[float, float]] = {}
    for turn in range(rounds + 1):
        for contender in ("sparklance", *targets):
            answer = workers[contender.split()[0]].ask(case, contender)
            if math.isnan(answer["seconds"]):
                raise SetupError(f"{contender} did not do {case}: the worker's log says why.")
            took = (answer["seconds"], answer["cpu"])
            if turn > 0:
                best[contender] = min(best.get(contender, took), took)
    seconds, cpu = best["sparklance"]
    lines = [f"{case}: {title}", f"  sparklance        {seconds:8.3f} s {cpu:8.3f} s of CPU"]
    for name, most in targets.items():
        ratio = seconds / best[name][0]
        theirs, theirs_cpu = best[name]
        verdict = f"{ratio:6.3f} x   target {most:.2f}: {'met' if ratio <= most else 'missed'}"
        verdict += f", {cpu / theirs_cpu:.3f} x of CPU"
        lines.append(f"  {name:16}  {theirs:8.3f} s {theirs_cpu:8.3f} s of CPU   {verdict}")
    return lines


def idle(folder: Path, worker: Worker) -> list[str]:
    """The worker measures triggers without new rows, over a table of many versions."""
    path = folder / "versions.lance"
    if not path.exists() or lance.dataset(path).version < VERSIONS:
        shutil.rmtree(path, ignore_errors=True)
        dataset = lance.write_dataset(pa.table({"id": [1]}), path)
        while dataset.version < VERSIONS:
            dataset.update_config({"count": str(dataset.version)})
    millis = worker.ask("idle", "sparklance")["millis"]
    verdict = "met" if millis <= MOST_IDLE_MILLIS else "missed"
    return [
        f"idle: a trigger with nothing new, over a table of {VERSIONS:,} versions",
        f"  sparklance        {millis:8.1f} ms   target {MOST_IDLE_MILLIS}: {verdict}",
    ]


def start(data: Path, folder: Path, logs: Path) -> dict[str, Worker]:
    python = peer.with_sparklance(peer.spark(logs, SPARK, "protobuf"))
    script = str(ROOT / "benchmarks" / "workers" / "streams.py")
    started = {}
    for system in ("sparklance", "delta"):
        jars = peer.jars(logs, JARS[system]) or [artifacts.jar()]
        environment = {"BENCH_JARS": ",".join(map(str, jars)), "PYSPARK_PYTHON": str(python)}
        command = [str(python), script, system, str(data / "lineitem.parquet"), str(folder)]
        started[system] = Worker(command, environment, logs / f"streams-{system}.log")
    return started
