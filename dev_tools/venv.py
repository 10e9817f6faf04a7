"""The `.venv` at the root: made if absent, brought up to date when what it depends on has changed."""

import hashlib
import os
import subprocess
import sys
import venv
from pathlib import Path

from dev_tools import CACHE, ROOT, SetupError, artifacts, trust

# Another PySpark than the newest one goes into an environment of its own.
SPARK_VARIABLE = "SPARKLANCE_TEST_SPARK"
SPARK = os.environ.get(SPARK_VARIABLE)
HOME = CACHE / f"venv-spark-{SPARK}" if SPARK else ROOT / ".venv"
PYTHON = HOME / "bin" / "python"
STAMP = HOME / "sparklance.sha256"


def ensure() -> None:
    """Makes it, with what a build needs, then makes sure that this process runs on its Python."""
    if not works():
        create()
    if not is_complete():
        # The jars of another Spark are of its PySpark.
        complete() if SPARK else install(*artifacts.requirements())
    if Path(sys.prefix) != HOME:
        os.execv(PYTHON, [str(PYTHON), "-m", "dev_tools", *sys.argv[1:]])


def is_complete() -> bool:
    return STAMP.exists() and STAMP.read_text() == digest()


def complete() -> None:
    """Installs the package itself, in editable form and without its jar, and what tests and examples need."""
    if not is_complete():
        stamp = digest()
        install("--editable", f"{ROOT}[docs,test]", *requirements())
        STAMP.write_text(stamp)


def digest() -> str:
    inputs = [(ROOT / name).read_bytes() for name in ("pyproject.toml", "version.txt")]
    others = [str(ROOT), *requirements()]
    return hashlib.sha256(b"\0".join([*inputs, *map(str.encode, others)])).hexdigest()


def requirements() -> list[str]:
    return artifacts.requirements() + ([f"pyspark=={SPARK}.*"] if SPARK else [])


def works() -> bool:
    return PYTHON.exists() and subprocess.run([PYTHON, "-c", "import pip"], capture_output=True).returncode == 0


def install(*wanted: str) -> None:
    trust.for_python()
    # PySpark comes as source with 450 MB of jars: its wheel, which pip makes, is not worth compressing.
    quick = ["--no-compile", "--config-settings=--build-option=--compression=stored"]
    pip = [str(PYTHON), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *quick, *wanted]
    if code := subprocess.run(pip, env=os.environ | {"HATCH_BUILD_NO_HOOKS": "true"}).returncode:
        raise SetupError(
            f"The Python packages could not be installed: pip ended with exit code {code}, the cause is printed above. "
            "Often it is the network: try again, or set PIP_INDEX_URL to a mirror you can reach."
        )


def create() -> None:
    print(f"Setting up {HOME.name} (a few minutes the first time)", flush=True)
    try:
        venv.create(HOME, clear=True, with_pip=True)
    except subprocess.CalledProcessError as e:
        raise SetupError(
            f"{HOME} could not be made: this Python ({sys.executable}) comes without ensurepip. "
            "Install its venv package (on Debian and Ubuntu: python3-venv) or another Python."
        ) from e
