"""Runs a command beside others, and prints what it writes once they have ended."""

import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO

from dev_tools import ROOT


class Aside:
    """A command whose output waits in a file until `follow` prints it. It is killed if the `with` block ends first."""

    def __init__(self, command: list[str], environment: dict[str, str], log: Path | None = None) -> None:
        """@param log: where its output waits; without one, it is printed at once."""
        self._log = log
        self._started = time.monotonic()
        self.code: int | None = None
        self.seconds = self.cpu = 0.0
        output: IO[str] | None = None
        if log:
            log.parent.mkdir(parents=True, exist_ok=True)
            output = log.open("w")
        self._process = subprocess.Popen(
            command,
            cwd=ROOT,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT if output else None,
            start_new_session=True,
        )
        if output:
            output.close()

    def poll(self) -> int | None:
        """Returns the exit code once it has ended, and then knows its seconds on the clock and of the processors."""
        if self.code is None:
            ended, status, usage = os.wait4(self._process.pid, os.WNOHANG)
            if ended:
                self.code = self._process.returncode = os.waitstatus_to_exitcode(status)
                self.seconds, self.cpu = time.monotonic() - self._started, usage.ru_utime + usage.ru_stime
        return self.code

    def wait(self) -> int:
        while (code := self.poll()) is None:
            time.sleep(0.1)
        return code

    def follow(self, before_last_line: Callable[[], None] = lambda: None) -> int:
        """Prints the output so far and what is still to come; returns the exit code."""
        held = ""
        assert self._log is not None
        with self._log.open() as output:
            while self.poll() is None:
                held = printed(held + output.read())
                time.sleep(0.2)
            held = printed(held + output.read())
        before_last_line()
        print(held, end="", flush=True)
        return self.wait()

    def __enter__(self) -> "Aside":
        return self

    def __exit__(self, *_: object) -> None:
        if self.poll() is None:
            os.killpg(self._process.pid, signal.SIGTERM)
            self.wait()


def printed(text: str) -> str:
    """Prints all lines but the last; returns that one."""
    end = text.rfind("\n", 0, -1) + 1
    print(text[:end], end="", flush=True)
    return text[end:]
