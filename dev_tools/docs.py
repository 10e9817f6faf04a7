"""Builds the documentation as a site."""

import subprocess
import sys

from dev_tools import ROOT

SITE = ROOT / "build" / "site"


def run(arguments: list[str]) -> int:
    """Builds the site; a broken link or anchor is an error. With `--serve`, shows it and follows changes."""
    if "--serve" in arguments:
        return mkdocs("serve")
    code = mkdocs("build", "--strict", "--quiet")
    if code == 0:
        print((SITE / "index.html").relative_to(ROOT))
    return code


def mkdocs(*arguments: str) -> int:
    return subprocess.run([sys.executable, "-m", "mkdocs", *arguments], cwd=ROOT).returncode
