"""A machine as a newcomer has it: a fresh virtual environment into which only the wheel was installed."""

import os
import subprocess
import sys
import venv
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pyspark
import pytest

from dev_tools import ROOT

WHEEL = os.environ.get("SPARKLANCE_TEST_WHEEL")


@dataclass(frozen=True)
class Machine:
    """Programs run in a directory of their own, and know nothing of this checkout."""

    home: Path
    folder: Path

    def run(self, *command: str, stdin: str = "", env: Mapping[str, str] | None = None) -> str:
        """Runs a program of the environment, which must succeed. Returns its output."""
        path = self.home / "bin"
        program = [str(path / command[0]), *command[1:]]
        done = subprocess.run(
            program,
            cwd=self.folder,
            env=self.environment() | (env or {}),
            input=stdin,
            capture_output=True,
            text=True,
            timeout=900,
        )
        assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    def environment(self) -> dict[str, str]:
        ours = ("PYTHON", "SPARK", "PYSPARK")
        kept = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
        return kept | {"PATH": f"{self.home / 'bin'}:{os.environ['PATH']}", "SPARK_LOCAL_IP": "127.0.0.1"}

    @property
    def jar(self) -> str:
        return self.run("python", "-c", "from sparklance.session import jar_path; print(jar_path())").strip()


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    wheel = WHEEL or build(tmp_path_factory.mktemp("wheel"))
    home = tmp_path_factory.mktemp("newcomer") / "venv"
    venv.create(home, with_pip=True)
    # The Spark that is tested; without a word, pip would take the newest.
    spark = f"pyspark[connect]=={pyspark.__version__}"
    pip = [str(home / "bin" / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, wheel, spark, "pandas<3", "nbconvert", "ipykernel"], check=True)
    return home


def build(folder: Path) -> str:
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True)
    (wheel,) = folder.glob("*.whl")
    return str(wheel)


@pytest.fixture
def machine(installed: Path, tmp_path: Path) -> Machine:
    return Machine(installed, tmp_path)
