"""Random access, ours against pylance's on the local disk: `./dev bench take`.

Also behind a delay of each request. There the time in round trips says how many requests wait for one another.
"""

import sys
from pathlib import Path

from benchmarks import running

DELAY = 0.02
CASES = (("lineitem", 1), ("lineitem", 100), ("embeddings", 1), ("embeddings", 100))
# Of pylance's time on the local disk, and in round trips.
MOST, MOST_TRIPS = 1.0, 4.0
SYSTEMS = {
    "pylance": ("python", 0),
    "core": ("core", 0),
    "core, 20 ms": ("core", 1000 * DELAY),
    "ds.take": ("python", 0),
    "_rowid IN": ("python", 0),
    "ds.take, 20 ms": ("python", 1000 * DELAY),
    "_rowid IN, 20 ms": ("python", 1000 * DELAY),
}


def take(data: Path, logs: Path, rounds: int) -> list[str]:
    """The best round of each; one before the first fills the caches and is not counted."""
    java = running.java_worker("io.sparklance.benchmarks.TakeTimes")
    commands = {
        "core": [*java, str(data)],
        "python": [sys.executable, "-m", "benchmarks.workers.take", str(data), str(DELAY)],
    }
    workers = {name: running.Worker(command, {}, logs / f"take-{name}.log") for name, command in commands.items()}
    lines = ["take: random rows, all columns: seconds, requests"]
    try:
        for table, rows in CASES:
            best: dict[str, dict[str, float]] = {}
            for turn in range(rounds + 1):
                for contender, (system, millis) in SYSTEMS.items():
                    answer = workers[system].ask(f"{table} {rows} {millis:.0f}", contender)
                    if turn > 0 and answer["seconds"] <= best.get(contender, answer)["seconds"]:
                        best[contender] = answer
            lines += [f"  {rows} of {table}", *shown(best)]
    finally:
        for worker in workers.values():
            worker.close()
    return lines


def shown(best: dict[str, dict[str, float]]) -> list[str]:
    lines = []
    for contender, answer in best.items():
        requests = f"{answer['requests']:7.1f}" if "requests" in answer else ""
        line = f"    {contender:18} {answer['seconds']:8.4f} s {requests:7}"
        ratio = answer["seconds"] / best["pylance"]["seconds"]
        if contender != "pylance":
            line += f"   {ratio:6.2f} x pylance"
        if SYSTEMS[contender][1]:
            line += f"   {answer['seconds'] / DELAY:6.1f} round trips"
        if contender.startswith("core"):
            trips = answer["seconds"] / DELAY
            is_met = trips <= MOST_TRIPS if SYSTEMS[contender][1] else ratio <= MOST
            target = f"{MOST_TRIPS} round trips" if SYSTEMS[contender][1] else f"{MOST} x"
            line += f"   target {target}: {'met' if is_met else 'missed'}"
        lines.append(line)
    return lines
