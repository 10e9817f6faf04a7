"""Times commits of pylance and opening with it, as io.sparklance.benchmarks.CommitTimes does ours."""

import json
import sys
import time
from collections.abc import Callable

import lance

COMMAND = [sys.executable, "-m", "benchmarks.workers.commits"]
WARM_UP, MEASURED, BEHIND = 3.0, 1.0, 100


def append(path: str, behind: int, fragment: lance.FragmentMetadata) -> None:
    version = max(1, lance.dataset(path).version - behind)
    lance.LanceDataset.commit(path, lance.LanceOperation.Append([fragment]), read_version=version)


def repeated(work: Callable[[], object], seconds: float) -> float:
    """Seconds of one time."""
    start, times = time.perf_counter(), 0
    while times == 0 or time.perf_counter() - start < seconds:
        work()
        times += 1
    return (time.perf_counter() - start) / times


def job(case: str, path: str) -> Callable[[], object]:
    if case in ("append", "behind"):
        fragment = next(iter(lance.dataset(path).get_fragments())).metadata
        return lambda: append(path, BEHIND if case == "behind" else 0, fragment)
    return {"open": lambda: lance.dataset(path), "history": lambda: lance.dataset(path).versions()}[case]


if __name__ == "__main__":
    warm = set[str]()
    for line in sys.stdin:
        request = json.loads(line)
        case, path = request["case"], request["contender"].split(" ", 1)[1]
        work = job(case, path)
        if line not in warm:
            repeated(work, WARM_UP)
        warm.add(line)
        print(f"@ {json.dumps({'seconds': repeated(work, MEASURED)})}", flush=True)
