"""Runs a command beside others, and prints what it writes once they have ended."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

from dev_tools import ROOT


class Aside:
    """A command whose output waits in a file until `follow` prints it. It is killed if the `with` block ends first."""

    def __init__(self, command: list[str], environment: dict[str, str], log: Path) -> None:
        log.parent.mkdir(parents=True, exist_ok=True)
        self._log = log
        with log.open("w") as output:
            self._process = subprocess.Popen(
                command,
                cwd=ROOT,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def follow(self) -> int:
        """Prints the output so far and what is still to come; returns the exit code."""
        with self._log.open() as output:
            while (code := self._process.poll()) is None:
                shutil.copyfileobj(output, sys.stdout)
                sys.stdout.flush()
                time.sleep(0.2)
            shutil.copyfileobj(output, sys.stdout)
        return code

    def __enter__(self) -> "Aside":
        return self

    def __exit__(self, *_: object) -> None:
        if self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGTERM)
            self._process.wait()
