"""Results as lines of text, as a table and a commit in the records, and as a plot for docs/performance.md."""

import math
from pathlib import Path

from benchmarks.cases import CASES, Case
from dev_tools import ROOT

PLOT = ROOT / "docs" / "performance.svg"
RECORDS = ROOT / "records" / "performance.md"
BLOCK = "<!-- {}: written by ./dev bench --record -->\n", "<!-- end of {} -->\n"

Results = dict[str, dict[str, float]]


def lines(case: Case, seconds: dict[str, float]) -> list[str]:
    """A head, then a line for each contender: its time, and ours of the newest version as a part of it."""
    ours = seconds[case.ours]
    head = [f"{case.name}: {case.title}"]
    return head + [f"  {name:16} {time:8.3f} s   {verdict(case, ours, name, time)}" for name, time in seconds.items()]


def verdict(case: Case, ours: float, name: str, time: float) -> str:
    if name not in case.targets:
        return ""
    if math.isnan(time):
        return "cannot do it"
    met = "met" if ours <= case.targets[name] * time else "missed"
    return f"{ours / time:5.2f} x   target {case.targets[name]:.2f}: {met}"


def record(results: Results, commit: str) -> None:
    """Replaces the results and the commit in the records, and the plot."""
    replace(RECORDS, "commit", f"\nCommit {commit}.\n\n")
    replace(RECORDS, "results", table(results))
    plot(results, PLOT)


def replace(page: Path, name: str, text: str) -> None:
    """Replaces what the page has between the two comments that name the block."""
    start, end = (mark.format(name) for mark in BLOCK)
    before, _, rest = page.read_text().partition(start)
    _, _, after = rest.partition(end)
    page.write_text(before + start + text + end + after)


def table(results: Results) -> str:
    rows = [
        f"| {case.title} | {name} | {time:.3f} | {verdict(case, ours, name, time) or '—'} |"
        for case in CASES
        if case.name in results
        for ours in [results[case.name][case.ours]]
        for name, time in results[case.name].items()
    ]
    return "\n| case | contender | seconds | ours / theirs |\n|---|---|---|---|\n" + "\n".join(rows) + "\n\n"


def plot(results: Results, to: Path) -> None:
    """Draws for each case the time of every contender, as a multiple of ours."""
    from matplotlib import pyplot

    cases = [case for case in CASES if case.name in results and len(results[case.name]) > 1]
    figure, axes = pyplot.subplots(figsize=(9, 0.5 * len(cases) + 1.5), layout="constrained")
    peers = ["parquet", "lance-spark 2.2", "pylance 2.2"]
    for at, peer in enumerate(peers):
        places, ratios = [], []
        for row, case in enumerate(cases):
            times = results[case.name]
            if peer in times and not math.isnan(times[peer]):
                places.append(row + 0.25 * (at - 1))
                ratios.append(times[peer] / times[case.ours])
        axes.barh(places, ratios, height=0.24, label=peer)
    axes.axvline(1, color="black", linewidth=1)
    axes.set_yticks(range(len(cases)), [case.title for case in cases])
    axes.invert_yaxis()
    axes.set_xlabel("time, as a multiple of ours (file version 2.2)")
    axes.legend()
    figure.savefig(to, metadata={"Date": None})
