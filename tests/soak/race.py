"""Messages between workers, as files.

`<number>.marks` has a byte for each commit of a worker, so that none runs ahead of the slowest and all of them commit
at the same time; `<number>.jsonl` tells what was done; `failed` is there when one has failed, so that none waits for
it. The worker in Scala, io.sparklance.soak.Race, does the same.
"""

import json
import time
from dataclasses import dataclass
from pathlib import Path

LEAD = 5
LOST = "lost"


@dataclass(frozen=True)
class Race:
    directory: Path
    number: int
    workers: int
    commits: int

    def next(self) -> bool:
        """Waits until the others have come along; false when this worker has done its part."""
        while not self.is_over() and self.done(self.number) - min(map(self.done, range(self.workers))) >= LEAD:
            if (self.directory / "failed").exists():
                raise RuntimeError("another worker has failed, see above")
            time.sleep(0.002)
        return not self.is_over()

    def is_over(self) -> bool:
        return self.done(self.number) >= self.commits

    def done(self, worker: int) -> int:
        file = self.directory / f"{worker}.marks"
        return file.stat().st_size if file.exists() else 0

    def fail(self) -> None:
        (self.directory / "failed").touch()

    def tell(self, kind: str, ids: list[int]) -> None:
        with (self.directory / f"{self.number}.jsonl").open("a") as log:
            log.write(json.dumps({"kind": kind, "ids": ids}) + "\n")
        if kind != LOST:
            with (self.directory / f"{self.number}.marks").open("a") as marks:
                marks.write(".")
