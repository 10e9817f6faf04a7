"""Builds the documentation as a site."""

import subprocess
import sys

from dev_tools import ROOT

SITE = ROOT / "build" / "site"


def run(arguments: list[str]) -> int:
    """Builds the site; a broken link or anchor is an error. With `--serve`, shows it and follows changes."""
    if "--serve" in arguments:
        return mkdocs("serve").returncode
    # Not --quiet: that hides warnings from the strict mode, too.
    built = mkdocs("build", "--strict", capture_output=True)
    print((SITE / "index.html").relative_to(ROOT) if built.returncode == 0 else built.stderr)
    return built.returncode


def mkdocs(*arguments: str, capture_output: bool = False) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "mkdocs", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=capture_output, text=True)
