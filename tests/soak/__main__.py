"""The soak: `python -m tests.soak <directory> <commits> <java and its class path…>`, which `./dev soak` starts.

Four processes of pylance, a JVM without Spark and one with, of two threads each, make `commits` commits in all: once
to a table without stable row ids, once to one with them. Then a table is dropped and recreated, once for ten commits,
while threads of the core and of Spark write to it. pylance does not compare tables, so it takes no part.
"""

import subprocess
import sys
import time
from pathlib import Path

from tests.soak.running import Outcome, check_ours, create, finished, java_process, outcome, python_process

PYLANCE, CORE, SPARK = [0, 1, 2, 3], [4, 5], [6, 7]
WORKERS = len([*PYLANCE, *CORE, *SPARK])


def soak(directory: Path, commits: int, java: list[str], stable: bool) -> Outcome:
    path, logs = str(directory / "table.lance"), directory / "logs"
    logs.mkdir(parents=True)
    create(path, stable)
    started, each = time.monotonic(), -(-commits // WORKERS)
    finished(
        [
            *(python_process("by_pylance", path, logs, each, WORKERS, number) for number in PYLANCE),
            java_process(java, path, logs, each, WORKERS, *CORE),
            python_process("by_spark", path, logs, each, WORKERS, *SPARK),
        ],
        logs,
    )
    done = outcome(path, logs, started)
    check_ours(java, path, done.rows)
    return done


def recreate(directory: Path, tables: int, java: list[str], writers: int = 3) -> None:
    """Lets Spark and the core write to tables that the core drops, after it has checked each of them."""
    directory.mkdir(parents=True)
    path = str(directory / "table.lance")
    core = [*java, "io.sparklance.soak.SoakMain", "recreate", path, str(tables), str(writers)]
    subprocess.run([sys.executable, "-m", "tests.soak.recreated", path, *core], check=True)


def lines(done: Outcome) -> list[str]:
    text = [f"{done.versions} versions in {done.seconds:.0f} s, all of them right"]
    for name, numbers in (("pylance", PYLANCE), ("core", CORE), ("Spark", SPARK)):
        commits, lost = (sum(counts[n] for n in numbers) for counts in (done.commits, done.lost))
        text.append(f"  {name:8} {commits:5} commits, {lost:5} attempts were told that others came first")
    return text


if __name__ == "__main__":
    place, count, *command = sys.argv[1:]
    for kind in ("addresses", "stable"):
        result = soak(Path(place) / kind, int(count), command, kind == "stable")
        print(f"row ids: {kind}", *lines(result), sep="\n", flush=True)
    print("a table that is dropped and recreated", flush=True)
    recreate(Path(place) / "recreated", max(1, int(count) // 10), command)
