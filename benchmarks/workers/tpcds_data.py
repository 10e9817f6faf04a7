"""Makes the tables of TPC-DS as Parquet files: `python -m benchmarks.workers.tpcds_data <folder> <scale>`."""

import sys
from importlib.resources import files
from pathlib import Path

import duckdb


def main(folder: Path, scale: str) -> None:
    [extension] = Path(str(files("duckdb_extension_tpcds"))).rglob("*.duckdb_extension")
    with duckdb.connect(config={"allow_unsigned_extensions": "true"}) as connection:
        connection.execute(f"LOAD '{extension}'")
        connection.execute(f"CALL dsdgen(sf = {float(scale)})")
        for (table,) in connection.execute("SELECT table_name FROM information_schema.tables").fetchall():
            connection.execute(f"COPY {table} TO '{folder / table}.parquet' (FORMAT parquet)")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
