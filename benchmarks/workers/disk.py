"""Times the disk itself: `dd` over the files of a table, as many at a time as the core reader has threads."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from benchmarks.cases import named
from benchmarks.workers import serve

READERS = 2
BLOCK = 1 << 20


def commands(file: Path, contender: str) -> list[list[str]]:
    """One for each stretch of a file."""
    blocks = -(-file.stat().st_size // BLOCK)
    each = -(-blocks // READERS)
    options = ["iflag=direct"] if contender == "dd direct" else []
    source = [f"if={file}", "of=/dev/null", f"bs={BLOCK}", "status=none", *options]
    return [["dd", *source, f"skip={start}", f"count={each}"] for start in range(0, blocks, each)]


def read(files: list[Path], contender: str) -> None:
    for file in files:
        running = [subprocess.Popen(command) for command in commands(file, contender)]
        if any([process.wait() for process in running]):
            raise OSError(f"dd could not read {file}")


def main(data: Path) -> None:
    def job(case: str, contender: str) -> Callable[[], object]:
        files = sorted((named(case).source(contender, data) / "data").iterdir())
        return lambda: read(files, contender)

    serve(job)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
