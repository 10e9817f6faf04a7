"""Tables for the comparisons of the founding documents, generated from stated distributions, as Parquet files."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

TRIPS, PAGES, MEDIA, STRUCTS = 3_000_000, 40_000, 100, 2_000_000


def generate(folder: Path) -> None:
    """Writes `<name>.parquet` for each table that does not exist yet."""
    folder.mkdir(parents=True, exist_ok=True)
    makers: dict[str, Callable[[], pa.Table]] = {"trips": trips, "pages": pages, "media": media, "structs": structs}
    makers |= {f"wide{columns}": lambda columns=columns, rows=rows: wide(columns, rows) for columns, rows in WIDE}
    for name, make in makers.items():
        file = folder / f"{name}.parquet"
        if not file.exists():
            pq.write_table(make(), file)


# Columns and rows of the wide tables.
WIDE = ((1_000, 20_000), (5_000, 20_000), (10_000, 2_000))


def trips(rows: int = TRIPS) -> pa.Table:
    """Taxi trips of one month, roughly in the order of their pickups.

    Pickups are uniform in time, a minute out of order (normal). Durations have a log-normal distribution (median 11
    minutes, sigma 0.7), distances too (median 1.8 miles, sigma 0.9). The 265 zones have Zipf's distribution. Fares
    follow from distance and duration; 78 % pay by card, with tips of 15 to 25 %; 3 % of the counts are null.
    """
    rng = np.random.default_rng(29)
    pickup = np.sort(rng.uniform(0, 31 * 86400, rows)) + rng.normal(0, 60, rows)
    seconds = rng.lognormal(np.log(660), 0.7, rows)
    miles = np.round(rng.lognormal(np.log(1.8), 0.9, rows), 2)
    card = rng.random(rows) < 0.78
    fare = np.round((3 + 2.5 * miles + seconds / 120) * 10) / 10
    tip = np.where(card, np.round(fare * rng.uniform(0.15, 0.25, rows), 2), 0.0)
    tolls = np.where(rng.random(rows) < 0.08, 6.94, 0.0)
    extra = rng.choice([0.0, 1.0, 2.5], rows, p=[0.4, 0.3, 0.3])
    airport = np.where(rng.random(rows) < 0.08, 1.75, 0.0)
    count = rng.choice([1, 2, 3, 4, 5, 6], rows, p=[0.75, 0.15, 0.04, 0.02, 0.02, 0.02])
    start = 1_704_067_200
    return pa.table(
        {
            "vendor": pa.array(rng.choice([1, 2], rows, p=[0.25, 0.75]).astype(np.int32)),
            "pickup": times(start + pickup),
            "dropoff": times(start + pickup + seconds),
            "passengers": pa.array(count.astype(np.float64), mask=rng.random(rows) < 0.03),
            "miles": miles,
            "rate": rng.choice([1, 2, 5], rows, p=[0.95, 0.04, 0.01]).astype(np.float64),
            "stored": pa.array(np.where(rng.random(rows) < 0.004, "Y", "N")),
            "from_zone": zipf(rng, 265, rows).astype(np.int32),
            "to_zone": zipf(rng, 265, rows).astype(np.int32),
            "payment": np.where(card, 1, 2).astype(np.int64),
            "fare": fare,
            "extra": extra,
            "tax": np.full(rows, 0.5),
            "tip": tip,
            "tolls": tolls,
            "improvement": np.full(rows, 1.0),
            "total": np.round(fare + extra + tip + tolls + airport + 4.0, 2),
            "congestion": np.full(rows, 2.5),
            "airport": airport,
        }
    )


def pages(rows: int = PAGES) -> pa.Table:
    """Pages of the web. Words follow Zipf's law over 20,000 made-up words; a page has a log-normal number of them
    (median 350, sigma 1). Of 5,000 sites, by Zipf's law, each has addresses that begin alike.
    """
    rng = np.random.default_rng(31)
    letters = np.array(list("etaoinshrdlucmfwypvbgk"))
    words = np.array(["".join(rng.choice(letters, rng.integers(2, 11))) for _ in range(20_000)])
    counts = np.minimum(rng.lognormal(np.log(350), 1.0, rows).astype(int) + 5, 20_000)
    sites = zipf(rng, 5_000, rows)
    texts = [" ".join(words[zipf(rng, words.size, count)]) for count in counts]
    return pa.table(
        {
            "id": np.arange(rows),
            "url": [f"https://www.{words[site]}{site}.com/{words[site + 1]}/{i}.html" for i, site in enumerate(sites)],
            "title": [text[:60] for text in texts],
            "language": rng.choice(["en", "de", "ru", "fr", "ja"], rows, p=[0.6, 0.12, 0.1, 0.1, 0.08]),
            "fetched": times(1_704_067_200 + np.sort(rng.uniform(0, 30 * 86400, rows))),
            "text": texts,
        }
    )


def media() -> pa.Table:
    """Incompressible values of 100 KB to 5 MB; the logarithm of their size is uniform."""
    rng = np.random.default_rng(37)
    sizes = np.exp(rng.uniform(np.log(100_000), np.log(5_000_000), MEDIA)).astype(int)
    values = pa.array([rng.bytes(int(size)) for size in sizes], pa.binary())
    return pa.table({"id": np.arange(MEDIA), "caption": [f"picture {i}" for i in range(MEDIA)], "bytes": values})


def structs() -> pa.Table:
    """Points: structs of four floats, normal."""
    rng = np.random.default_rng(41)
    fields = [pa.array(rng.standard_normal(STRUCTS, dtype=np.float32)) for _ in "xyzw"]
    return pa.table({"id": np.arange(STRUCTS), "point": pa.StructArray.from_arrays(fields, list("xyzw"))})


def wide(columns: int, rows: int) -> pa.Table:
    """Integers, uniform below a million."""
    rng = np.random.default_rng(columns)
    return pa.table({f"c{i}": rng.integers(0, 1_000_000, rows, dtype=np.int32) for i in range(columns)})


def times(seconds: np.ndarray) -> pa.Array:
    return pa.array((seconds * 1_000_000).astype(np.int64), pa.timestamp("us", "UTC"))


def zipf(rng: np.random.Generator, kinds: int, size: int) -> np.ndarray:
    """Numbers below `kinds`; number k has a weight of 1 / (k + 1)."""
    bounds = np.cumsum(1 / np.arange(1, kinds + 1))
    return np.searchsorted(bounds / bounds[-1], rng.random(size)).clip(0, kinds - 1)
