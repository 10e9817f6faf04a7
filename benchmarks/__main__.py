"""`./dev bench`: makes the data, runs the cases, prints ratios, and writes them down when asked to."""

import argparse
import json
import subprocess
import sys
from functools import partial
from pathlib import Path

from benchmarks import data, peer, report, running
from benchmarks.alone import ALONE
from benchmarks.cases import CASES
from dev_tools import CACHE, ROOT

FOLDER = CACHE / "bench"
NAMES = [*(case.name for case in CASES), *ALONE]


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="./dev bench")
    parser.add_argument("cases", nargs="*", metavar="case", help=f"those of the table, if none: {', '.join(NAMES)}")
    parser.add_argument("--rounds", type=int, default=5, help="the best of so many counts (default: %(default)s)")
    parser.add_argument("--no-peer", action="store_true", help="without the reference's connector and its Spark")
    parser.add_argument("--data", type=Path, default=FOLDER / "data", help="where the data sets are, or are made")
    parser.add_argument("--scale", type=float, default=1.0, help="of the data sets of `sizes` (default: %(default)s)")
    parser.add_argument("--record", action="store_true", help="write the results to records/performance.md")
    options = parser.parse_args(arguments)
    chosen = [c for c in CASES if not options.cases or c.name in options.cases]
    if unknown := set(options.cases) - set(NAMES):
        parser.error(f"no such case: {', '.join(sorted(unknown))}")
    if set(options.cases) != {"sizes"}:
        data.prepare(options.data)
    FOLDER.mkdir(parents=True, exist_ok=True)
    results = measure(chosen, options) if chosen else {}
    alone = ALONE | {"sizes": partial(ALONE["sizes"], scale=options.scale)}
    for name in [n for n in ALONE if n in options.cases]:
        print("\n".join(alone[name](options.data, FOLDER, options.rounds)), flush=True)
    if options.record and results:
        report.record(results, commit())
    return 0


def measure(chosen: list, options: argparse.Namespace) -> dict[str, dict[str, float]]:
    systems = {contender.split()[0] for case in chosen for contender in case.contenders()}
    systems |= {"core" for case in chosen if case.name.startswith("core_")}
    jvm = None if options.no_peer or "lance-spark" not in systems else peer.prepare(FOLDER)
    workers = running.start(systems, options.data, jvm, FOLDER)
    results: dict[str, dict[str, float]] = {}
    try:
        for case in chosen:
            contenders = [c for c in case.contenders() if jvm or not c.startswith("lance-spark")]
            results[case.name] = running.alternate(case, contenders, workers, options.data, options.rounds)
            print("\n".join(report.lines(case, results[case.name])), flush=True)
    finally:
        for worker in workers.values():
            worker.close()
    (FOLDER / "results.json").write_text(json.dumps(results, indent=2))
    return results


def commit() -> str:
    described = subprocess.run(["git", "describe", "--always", "--dirty"], cwd=ROOT, capture_output=True, text=True)
    return described.stdout.strip()


sys.exit(main(sys.argv[1:]))
