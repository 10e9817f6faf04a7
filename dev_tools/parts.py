"""Times the parts of a run: what each took on the clock, and on the processors."""

import resource
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from dev_tools.aside import Aside
from dev_tools.results import Result

SLOWEST = 40


@dataclass(frozen=True)
class Part:
    """Seconds that a part took, and seconds of processor time of the processes that ended in it."""

    name: str
    seconds: float
    cpu: float


@dataclass
class Parts:
    """Parts of one run, in the order in which they ended."""

    parts: list[Part] = field(default_factory=list)

    def add(self, name: str, ended: Aside) -> None:
        self.parts.append(Part(name, ended.seconds, ended.cpu))

    @contextmanager
    def timed(self, name: str) -> Iterator[None]:
        started, cpu = time.monotonic(), processor_time()
        try:
            yield
        finally:
            self.parts.append(Part(name, time.monotonic() - started, processor_time() - cpu))

    def table(self) -> str:
        """A line for each part, in Markdown. Parts run beside each other: only their processor time adds up."""
        rows = [f"| {p.name} | {p.seconds / 60:.1f} | {p.cpu / 60:.1f} |" for p in self.parts]
        total = f"| all | | {sum(p.cpu for p in self.parts) / 60:.1f} |"
        return "\n".join(["| part | minutes | CPU-minutes |", "|---|---|---|", *rows, total])


def processor_time() -> float:
    """Seconds of this process and of all that it and its children have waited for."""
    usages = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def slowest(results: list[Result], count: int = SLOWEST) -> str:
    """The slowest tests, and the seconds of the homes that take the most."""
    homes: dict[str, tuple[int, float]] = {}
    for each in results:
        tests, seconds = homes.get(each.home, (0, 0.0))
        homes[each.home] = tests + 1, seconds + each.seconds
    lines = [f"The {count} slowest tests, in seconds:"]
    lines += [f"{r.seconds:8.1f}  {r.test}" for r in sorted(results, key=lambda r: -r.seconds)[:count]]
    lines += [f"The {count} slowest suites and modules, in seconds, with their tests:"]
    ranked = sorted(homes.items(), key=lambda item: -item[1][1])[:count]
    return "\n".join([*lines, *(f"{seconds:8.1f}  {home} ({tests})" for home, (tests, seconds) in ranked)])
