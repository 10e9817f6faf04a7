"""Sizes of ordinary tables by column, with times of writing and scanning, against Parquet and pylance, for each file
version: `./dev bench sizes --scale 0.1`."""

import shutil
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Mapping
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks import generated, ordinary, tpcds
from benchmarks.workers.sizes import FORMS, VERSIONS
from dev_tools import ROOT

#: The most of Parquet's bytes, with the same codec: of a table; of a column; of one that no codec makes smaller.
MOST_OF_TABLE, MOST_OF_COLUMN, MOST_OF_NOISE = 1.0, 1.2, 1.02
#: The most of Parquet's time.
MOST_OF_WRITING = 0.7
#: A column is noise if Parquet's zstd leaves this share of it.
NOISE = 0.95
#: Smaller columns are of no account, and so are differences of this share between file versions.
LEAST_BYTES, NEXT_VERSION = 10_000, 1.005

TPCH = ("lineitem", "orders")
TPCDS = ("store_sales", "customer", "item")
#: Rows at scale 1.
MADE: dict[str, tuple[Callable[[int], pa.Table], int]] = {
    "trips": (generated.trips, generated.TRIPS),
    "pages": (generated.pages, generated.PAGES),
    "texts": (ordinary.texts, 40_000),
    "logs": (ordinary.logs, 500_000),
    "features": (ordinary.features, 300_000),
}
# Bytes by form; by column, and of the files under the name of FILES.
Sizes = Mapping[str, Mapping[str, int]]
FILES = ""


def sizes(data: Path, logs: Path, rounds: int, scale: float = 1.0) -> list[str]:
    """Each form of a table is written and scanned in turns; the best time of each counts."""
    folder = data / f"sizes-{scale:g}"
    tables = prepare(data, folder / "generated", scale)
    with (logs / "sizes.log").open("w") as log:
        command = [sys.executable, "-m", "benchmarks.workers.sizes", folder, str(rounds), *tables]
        done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=log, text=True, check=True)
    told = [line.split() for line in done.stdout.splitlines()]
    lines = [f"sizes: MB by column at scale {scale:g}, and seconds   ! marks what misses its goal"]
    for table in tables:
        raw = raw_bytes(folder / "generated" / f"{table}.parquet")
        mine = [line for line in told if line[1:2] == [table]]
        lines += report(table, raw, of_columns(mine), of_times(mine))
    return lines


def prepare(data: Path, to: Path, scale: float) -> list[str]:
    """Makes the tables that do not exist yet, each as a Parquet file. Returns their names."""
    to.mkdir(parents=True, exist_ok=True)
    if not all((to / f"{table}.parquet").exists() for table in TPCH):
        tables = f"--tables={','.join(TPCH)}"
        generator = Path(sys.executable).with_name("tpchgen-cli")
        subprocess.run([generator, "parquet", "-s", str(scale), tables, f"--output-dir={to}"], check=True)
    warehouse = data / "tpcds" / "generated" if scale == tpcds.SCALE else to.parent / "tpcds"
    tpcds.generate(warehouse, scale)
    for table in TPCDS:
        if not (to / f"{table}.parquet").exists():
            shutil.copyfile(warehouse / f"{table}.parquet", to / f"{table}.parquet")
    for table, (make, rows) in MADE.items():
        if not (to / f"{table}.parquet").exists():
            pq.write_table(make(int(rows * scale)), to / f"{table}.parquet")
    return [*TPCH, *TPCDS, *MADE]


def raw_bytes(file: Path) -> dict[str, int]:
    """Bytes in memory of each column."""
    source = pq.ParquetFile(file)
    sizes: dict[str, int] = defaultdict(int)
    for batch in source.iter_batches():
        for name, column in zip(batch.schema.names, batch.columns, strict=True):
            sizes[name] += column.nbytes
    return sizes


def of_columns(told: list[list[str]]) -> Sizes:
    sizes: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for kind, _, form, *rest in told:
        if kind == "size":
            sizes[form][rest[0]] = int(rest[1])
        elif kind == "file":
            sizes[form][FILES] = int(rest[0])
    return sizes


def of_times(told: list[list[str]]) -> dict[str, dict[str, tuple[float, float]]]:
    """By work and form: seconds and CPU seconds, the best of each."""
    times: dict[str, dict[str, tuple[float, float]]] = defaultdict(dict)
    for kind, _, form, *rest in told:
        if kind == "time":
            work, seconds, cpu = rest[0], float(rest[1]), float(rest[2])
            before = times[work].get(form, (seconds, cpu))
            times[work][form] = min(before[0], seconds), min(before[1], cpu)
    return times


def report(
    table: str, raw: Mapping[str, int], sizes: Sizes, times: Mapping[str, Mapping[str, tuple[float, float]]]
) -> list[str]:
    width = max(map(len, raw))
    lines = ["", f"{table:{width}} " + " ".join(f"{form:>14}" for form in FORMS)]
    for column in [FILES, *raw]:
        size = raw.get(column, sum(raw.values()))
        shown = (f"{sizes[form][column] / 1e6:13.3f}{mark(form, column, size, sizes)}" for form in FORMS)
        lines.append(f"{column or 'files':{width}} " + " ".join(shown))
    for work, best in times.items():
        for at, unit in enumerate(("s", "CPU s")):
            shown = (f"{best[form][at]:13.2f}{slow(work, form, at, best)}" for form in FORMS)
            lines.append(f"{f'{work}, {unit}':{width}} " + " ".join(shown))
    return lines


def mark(form: str, column: str, raw: int, sizes: Sizes) -> str:
    return "!" if misses(form, column, raw, sizes) else " "


def misses(form: str, column: str, raw: int, sizes: Sizes) -> bool:
    """Whether a column or the files in one of our forms miss a goal: against Parquet, or the file version before."""
    kind, _, version = form.rpartition("-")
    if kind not in ("ours", "ours-zstd") or raw < LEAST_BYTES:
        return False
    size = sizes[form][column]
    theirs = sizes["parquet-snappy" if kind == "ours" else "parquet-zstd"][column]
    if column == FILES:
        most = MOST_OF_TABLE
    elif sizes["parquet-zstd"][column] > NOISE * raw:
        most = MOST_OF_NOISE
    else:
        most = MOST_OF_COLUMN
    before = VERSIONS[: VERSIONS.index(version)][-1:]
    return size > most * theirs or any(size > NEXT_VERSION * sizes[f"{kind}-{v}"][column] for v in before)


def slow(work: str, form: str, at: int, best: Mapping[str, tuple[float, float]]) -> str:
    if work != "write" or not form.startswith("ours"):
        return " "
    theirs = best["parquet-zstd" if "zstd" in form else "parquet-snappy"]
    return "!" if best[form][at] > MOST_OF_WRITING * theirs[at] else " "
