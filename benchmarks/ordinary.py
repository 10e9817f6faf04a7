"""Ordinary tables for the benchmark of sizes, from stated distributions: texts with embeddings, logs, features."""

import json

import numpy as np
import pyarrow as pa

from benchmarks.generated import times, zipf

DIMENSION = 384
WORDS = (
    "the of and a to in is that for it as was with be by on not he his but at are this have from or had an they "
    "which one you were all her she there would their we him been has when who will no more if out so up said what "
    "its about than into them can only other time new some could these two may first then do any like my now over"
).split()
ACTIONS = ["GET /", "GET /cart", "POST /cart", "GET /search", "POST /orders", "GET /orders", "PUT /profile"]


def texts(rows: int) -> pa.Table:
    """Parts of documents with their embeddings: 20 to 80 words by Zipf's law, and 384 normal floats, which no
    encoding makes smaller. A document has ten parts, in their order."""
    rng = np.random.default_rng(43)
    words = np.array(WORDS)
    vectors = pa.array(rng.standard_normal(rows * DIMENSION, dtype=np.float32))
    return pa.table(
        {
            "document": [f"doc-{i // 10:08d}" for i in range(rows)],
            "part": pa.array((np.arange(rows) % 10).astype(np.int32)),
            "text": [" ".join(words[zipf(rng, words.size, count)]) for count in rng.integers(20, 80, rows)],
            "language": rng.choice(["en", "de", "fr"], rows, p=[0.8, 0.15, 0.05]),
            "vector": pa.ListArray.from_arrays(np.arange(rows + 1, dtype=np.int32) * DIMENSION, vectors),
        }
    )


def logs(rows: int) -> pa.Table:
    """Lines of a service's log in the order of time, each also as JSON.

    Gaps between lines are exponential. 40 hosts and 7 actions have Zipf's distribution, durations a log-normal one
    (median 12 ms, sigma 1), ids of requests are random, each on three lines; 2 % of the lines have an error.
    """
    rng = np.random.default_rng(47)
    seconds = 1_704_067_200 + np.cumsum(rng.exponential(0.05, rows))
    hosts = [f"web-{i:02d}.eu-west-1.example.com" for i in zipf(rng, 40, rows)]
    actions = [ACTIONS[i] for i in zipf(rng, len(ACTIONS), rows)]
    failed = rng.random(rows) < 0.02
    status = np.where(failed, rng.choice([400, 404, 500, 503], rows), 200).astype(np.int32)
    duration = np.round(rng.lognormal(np.log(12), 1.0, rows), 3)
    users = zipf(rng, 50_000, rows)
    requests = [rng.bytes(8).hex() for _ in range(rows // 3 + 1)]
    lines = [
        json.dumps(
            {
                "host": hosts[i],
                "action": actions[i],
                "status": int(status[i]),
                "duration_ms": float(duration[i]),
                "user": {"id": int(users[i]), "tier": "pro" if users[i] % 5 == 0 else "free"},
                "request": requests[i // 3],
            }
        )
        for i in range(rows)
    ]
    return pa.table(
        {
            "time": times(seconds),
            "level": np.where(failed, "ERROR", rng.choice(["INFO", "DEBUG", "WARN"], rows, p=[0.8, 0.15, 0.05])),
            "host": hosts,
            "action": actions,
            "status": status,
            "duration": duration,
            "user": users.astype(np.int64),
            "request": [requests[i // 3] for i in range(rows)],
            "ok": ~failed,
            "tags": [["slow"] * bool(duration[i] > 60) + ["mobile"] * bool(users[i] % 3 == 0) for i in range(rows)],
            "json": lines,
        }
    )


def features(rows: int) -> pa.Table:
    """Wide and sparse: 40 floats of which 80 to 99 % are 0, 20 doubles of which 90 % are null, 20 flags that are set
    for 1 to 50 %, ten small counts, and lists of up to five ids."""
    rng = np.random.default_rng(53)
    columns: dict[str, object] = {"id": np.arange(rows)}
    for i in range(40):
        zero = rng.random(rows) < 0.8 + 0.19 * i / 39
        columns[f"weight{i}"] = np.where(zero, 0, rng.standard_normal(rows)).astype(np.float32)
    for i in range(20):
        columns[f"score{i}"] = pa.array(np.round(rng.normal(50, 10, rows), 2), mask=rng.random(rows) < 0.9)
        columns[f"flag{i}"] = rng.random(rows) < 0.01 + 0.49 * i / 19
    for i in range(10):
        columns[f"count{i}"] = rng.poisson(0.2 * (i + 1), rows).astype(np.int32)
    ends = np.concatenate([[0], np.cumsum(rng.integers(0, 6, rows))]).astype(np.int32)
    columns["ids"] = pa.ListArray.from_arrays(ends, zipf(rng, 10_000, int(ends[-1])).astype(np.int64))
    return pa.table(columns)
