"""Starts the workers, asks them in turns, and keeps the best time of each."""

import json
import math
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path

from benchmarks.cases import Case
from dev_tools import ROOT, SetupError, artifacts, java, sbt

MISSING = float("nan")
# The two sides of a benchmark of indices.
PAIR = ("sparklance", "pylance")


class Worker:
    """A process that times what it is asked for."""

    def __init__(self, command: list[str], environment: dict[str, str], log: Path) -> None:
        self.log = log.open("w")
        self.process = subprocess.Popen(
            command,
            cwd=ROOT,
            env=os.environ | environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.log,
            text=True,
        )

    def seconds(self, case: str, contender: str) -> float:
        """NaN where it cannot be done, with the reason in the log."""
        return self.ask(case, contender)["seconds"]

    def ask(self, case: str, contender: str) -> dict[str, float]:
        """The seconds, and other numbers that the worker knows."""
        assert self.process.stdin
        assert self.process.stdout
        if self.process.poll() is not None:
            return {"seconds": MISSING}
        self.process.stdin.write(json.dumps({"case": case, "contender": contender}) + "\n")
        self.process.stdin.flush()
        for line in self.process.stdout:
            if line.startswith("@ "):
                answer = json.loads(line[2:])
                if "error" in answer:
                    print(f"  {case}, {contender}: {answer['error']}", file=self.log, flush=True)
                    return {"seconds": MISSING}
                return {name: float(number) for name, number in answer.items()}
        return {"seconds": MISSING}

    def close(self) -> None:
        assert self.process.stdin
        if self.process.poll() is None:
            self.process.stdin.close()
        self.process.wait()
        self.log.close()


def alternate(
    case: Case, contenders: list[str], workers: dict[str, Worker], data: Path, rounds: int
) -> dict[str, float]:
    """The best of `rounds` times of each contender; one before the first warms up and is not counted."""
    best: dict[str, float] = {}
    for turn in range(rounds + 1):
        for contender in contenders:
            if contender.split()[0] in case.cold:
                evict(case.source(contender, data))
            seconds = worker(case, contender, workers).seconds(case.name, contender)
            if turn > 0:
                best[contender] = min(best.get(contender, seconds), seconds)
    return best


def pair(script: str, data: Path, logs: Path) -> dict[str, Worker]:
    """Two workers of a script, for ours and for pylance."""
    path = str(ROOT / "benchmarks" / "workers" / f"{script}.py")
    return {name: Worker([sys.executable, path, name, str(data)], {}, logs / f"{script}-{name}.log") for name in PAIR}


def best(
    seconds: Callable[[str], float], contenders: Sequence[str], rounds: int, *, warm: bool = True
) -> dict[str, float]:
    """The best time of each contender, in turns; NaN if one fails. With `warm` an uncounted round comes first."""
    found = dict.fromkeys(contenders, math.inf)
    for turn in range(rounds + warm):
        for name in contenders:
            took = seconds(name)
            found[name] = took if math.isnan(took) else min(found[name], took if turn >= warm else math.inf)
    return found


def worker(case: Case, contender: str, workers: dict[str, Worker]) -> Worker:
    """Parquet is read by the Spark that reads our tables."""
    system = contender.split()[0]
    if system == "sparklance" and case.name.startswith("core_"):
        return workers["core"]
    return workers["sparklance" if system == "parquet" else system]


def evict(path: Path) -> None:
    """Drops a file, or all files of a folder, from the page cache."""
    for file in [path, *path.rglob("*")]:
        if file.is_file():
            with file.open("rb") as opened:
                os.posix_fadvise(opened.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def start(systems: set[str], data: Path, peer: tuple[Path, str] | None, logs: Path) -> dict[str, Worker]:
    spark_worker = str(ROOT / "benchmarks" / "workers" / "spark.py")
    commands: dict[str, tuple[list[str], dict[str, str]]] = {
        "sparklance": ([sys.executable, spark_worker, "sparklance", str(data)], {}),
        "pylance": ([sys.executable, "-m", "benchmarks.workers.reference", str(data)], {}),
        "dd": ([sys.executable, "-m", "benchmarks.workers.disk", str(data)], {}),
    }
    if peer:
        python, class_path = peer
        # PySpark finds its own Spark, and its Python workers are of the same version as it.
        environment = {"BENCH_CLASS_PATH": class_path, "PYSPARK_PYTHON": str(python)}
        commands["lance-spark"] = ([str(python), spark_worker, "lance-spark", str(data)], environment)
    if "core" in systems:
        commands["core"] = (core_worker(data), {})
    return {s: Worker(*commands[s], logs / f"{s}.log") for s in systems if s in commands}


def spark_worker(data: Path, environment: dict[str, str], log: Path) -> Worker:
    """A fresh process with Spark, which reads our tables and Parquet."""
    script = str(ROOT / "benchmarks" / "workers" / "spark.py")
    return Worker([sys.executable, script, "sparklance", str(data)], environment, log)


def peak_memory(process: int) -> list[int]:
    """The most bytes that a process, and each of those that it started, ever had in memory."""
    status = Path(f"/proc/{process}/status").read_text().splitlines()
    own = [1024 * int(line.split()[1]) for line in status if line.startswith("VmHWM")]
    started = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    return own + [peak for child in started for peak in peak_memory(int(child))]


def core_worker(data: Path) -> list[str]:
    return [*java_worker("io.sparklance.benchmarks.CoreScan"), str(data)]


def java_worker(main: str) -> list[str]:
    """A JVM without Spark's engine; of PySpark's jars it takes what our core needs."""
    if code := sbt.run("benchmarks/package"):
        raise SetupError(f"The core reader's benchmark could not be built: sbt ended with exit code {code}.")
    built = next((ROOT / "jvm" / "benchmarks" / "target" / "scala-2.13").glob("sparklance-benchmarks_*.jar"))
    spark_jars = Path(str(find_spec("pyspark").submodule_search_locations[0]), "jars", "*")  # type: ignore[union-attr,index]
    class_path = os.pathsep.join(map(str, [built, artifacts.jar(), spark_jars]))
    return [str(java.required() / "bin" / "java"), "-Xmx2g", "-cp", class_path, main]
