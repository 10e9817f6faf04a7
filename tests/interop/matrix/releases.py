"""Older releases of pylance: each is installed once, into a folder under .cache, and runs in a process of its own."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pyarrow as pa

from dev_tools import CACHE
from tests.interop.matrix import by_release
from tests.interop.matrix.tables import Size
from tests.interop.matrix.verdicts import Case

HOME = CACHE / "pylance"

#: What all of them run with.
BESIDE = ["pyarrow==16.1.0", "numpy==1.26.4"]

#: By release: the file versions that it writes as stable ones; and those that were unstable then, by its own word.
RELEASES: dict[str, tuple[list[str], list[str]]] = {
    "0.16.0": (["2.0"], []),
    "0.18.2": (["2.0"], []),
    "0.25.0": (["2.0"], []),
    "0.38.0": (["2.0"], []),
    "4.0.0": (["2.0", "2.1", "2.2"], []),
}


def installed(release: str) -> Path:
    """The folder of a release; pip fetches it the first time."""
    folder = HOME / release
    if not (folder / "complete").exists():
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--upgrade", "--target", str(folder)]
        subprocess.run([*pip, f"pylance=={release}", *BESIDE], check=True, capture_output=True)
        (folder / "complete").touch()
    return folder


def write_sources(tables: dict[str, tuple[Size, pa.Table]], folder: Path) -> None:
    """Writes files that every release of pyarrow reads."""
    for name, (size, table) in tables.items():
        metadata = {"page_bytes": str(size.page_bytes)} if size.page_bytes else {}
        with pa.ipc.new_file(str(folder / f"{name}.arrow"), table.schema.with_metadata(metadata)) as out:
            out.write_table(table.replace_schema_metadata(metadata))


def written_by(release: str, version: str, tables: dict[str, tuple[Size, pa.Table]], folder: Path) -> dict[str, Case]:
    """All tables, by name, as this release writes and reads them."""
    write_sources(tables, folder)
    environment = {"PATH": os.environ["PATH"], "RUST_LOG": "off"}
    script = [str(installed(release)), by_release.__file__, str(folder), version]
    command = [sys.executable, "-I", "-S", "-c", RUNNER, *script]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=1200)
    assert done.returncode == 0, f"pylance {release} ended with {done.returncode}: {done.stderr[-700:]}"
    return {name: case(made, folder / name) for name, (_, made) in tables.items()}


#: Without the packages of the environment that the tests run in.
RUNNER = """
import runpy, sys
folder, script, *sys.argv[1:] = sys.argv[1:]
sys.path.insert(0, folder)
runpy.run_path(script, run_name="__main__")
"""


def case(made: pa.Table, base: Path) -> Case:
    with pa.memory_map(f"{base}.back.arrow") as file:
        back = pa.ipc.open_file(file).read_all()
    errors = json.loads(Path(f"{base}.json").read_text())
    return Case(made, f"{base}.lance", errors["written"], back)
