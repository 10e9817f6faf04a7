"""Writes the small tables that the fuzzer damages, with the reference implementation; run again only on purpose.

    python tests/golden/tables.py        # needs pylance 14.0.2 and pyarrow 26.0.1

`tables/<name>_<file version>` is a table. The plain ones have two versions, two fragments with a deletion file each, an
index section, and a column in a data file of its own; in the deleted one, enough rows are deleted that its deletion
file is a bitmap. The others have one data file, whose columns ask for compressions that pylance does not choose by
itself, or are nested or packed, or hold blobs. `old_0.1` was written by an old release, which recorded neither how
many rows a fragment has nor how large its files are:

    python tests/golden/tables.py old    # needs pylance 0.6.5 and pyarrow 16.1.0

In `spilled_2.2`, row ids and versions of rows are in hidden columns of the data files.

The `stated` ones were written by sparklance, with statistics in their data files; in the one that is `copied`, pylance
put three such files together, so that each column has several stretches of statistics:

    python tests/golden/tables.py stated # needs sparklance with its jar, and pylance 14.0.2
"""

import pathlib
import random
import shutil
import sys

import lance
import numpy as np
import pyarrow as pa

HERE = pathlib.Path(__file__).parent / "tables"
WORDS = "the quick brown fox jumps over a lazy dog while nobody looks".split()
ROWS = 260


def plain(first: int) -> pa.Table:
    rng = random.Random(first)
    rows = range(first, first + ROWS)
    return pa.table(
        {
            "id": pa.array(rows, pa.int64()),
            "small": pa.array([None if i % 9 == 0 else i % 50 for i in rows], pa.int32()),
            "flag": pa.array([i % 3 == 0 for i in rows], pa.bool_()),
            "real": pa.array([rng.random() for _ in rows], pa.float64()),
            "word": pa.array([rng.choice(WORDS) for _ in rows], pa.string()),
            "text": pa.array([None if i % 7 == 0 else " ".join(rng.choices(WORDS, k=5)) for i in rows], pa.string()),
            "vector": pa.array([[float(i % 5)] * 4 for i in rows], pa.list_(pa.float32(), 4)),
        }
    )


def table(name: str, version: str) -> None:
    path = str(HERE / name)
    lance.write_dataset(plain(0), path, data_storage_version=version)
    dataset = lance.write_dataset(plain(ROWS), path, mode="append")
    dataset.delete("id % 37 = 5")
    dataset.delete(f"id > {ROWS} and id % 3 != 0")
    dataset.add_columns({"twice": "id * 2"})
    dataset.create_scalar_index("id", "BTREE")
    dataset.cleanup_old_versions(retain_versions=2)
    shutil.rmtree(HERE / name / "_indices")


def compressed() -> pa.Table:
    rng = np.random.default_rng(1)
    rows = 240
    texts = [" ".join(rng.choice(WORDS, 4)) + f" {i}" for i in range(rows)]
    large = rng.integers(-(1 << 62), 1 << 62, 40)[rng.integers(0, 40, rows)]
    zstd, lz4 = ({"lance-encoding:compression": scheme} for scheme in ("zstd", "lz4"))
    columns = {
        "zstd_text": (pa.array(texts), zstd),
        "lz4_text": (pa.array([None if i % 5 == 0 else t for i, t in enumerate(texts)]), lz4),
        "zstd_runs": (pa.array(np.repeat(rng.integers(-1000, 1000, rows // 5), 5), pa.int32()), zstd),
        "lz4_words": (pa.array(rng.integers(0, 1 << 20, rows) % 77, pa.int32()), lz4),
        "split": (pa.array(rng.random(rows)), {"lance-encoding:bss": "on"} | lz4),
        "long_texts": (pa.array([None if i % 5 else " ".join(texts[i : i + 9]) for i in range(rows)]), zstd),
        "dictionary": (pa.array([f"word number {i}" for i in rng.integers(0, 30, rows)]), {}),
        "zstd_dictionary": (pa.array(large), {"lance-encoding:dict-values-compression": "zstd"}),
        "wide": (pa.array([[float(i)] * 70 if i % 9 else None for i in range(rows)], pa.list_(pa.float32(), 70)), zstd),
        "items_null": (pa.array([[None, i] for i in range(rows)], pa.list_(pa.int16(), 2)), {}),
    }
    fields = [pa.field(name, values.type, metadata=hints) for name, (values, hints) in columns.items()]
    return pa.table([values for values, _ in columns.values()], schema=pa.schema(fields))


def compressed_arrays() -> pa.Table:
    """The arrays of 2.0 that the other tables lack."""
    rows = range(150)
    texts = [None if i % 8 == 5 else " ".join(WORDS[i * j % len(WORDS)] for j in range(9)) for i in rows]
    vectors = [None if i % 6 == 2 else [None if i % 4 == j else i + j for j in range(3)] for i in rows]
    columns = {f"{scheme}_text": pa.array(texts) for scheme in ("zstd", "lz4", "fsst", "none")} | {
        "vectors": pa.array(vectors, pa.list_(pa.int16(), 3)),
        "flags": pa.array([None if i % 7 == 0 else [i % 2 == 0] * 5 for i in rows], pa.list_(pa.bool_(), 5)),
        "decimals": pa.array([None if i % 9 == 1 else i - 70 for i in rows], pa.int32()).cast(pa.decimal128(20, 0)),
        "nulls": pa.nulls(len(rows), pa.int64()),
        "no_texts": pa.nulls(len(rows), pa.string()),
        "bytes": pa.array([None if i % 5 == 0 else bytes([i]) * (i % 4) for i in rows], pa.large_binary()),
        "lists": pa.array([None if i % 5 == 3 else texts[: i % 4] for i in rows], pa.list_(pa.string())),
    }
    hints = [{"lance-encoding:compression": n.split("_")[0]} if n.endswith("_text") else None for n in columns]
    fields = [pa.field(n, c.type, metadata=h) for (n, c), h in zip(columns.items(), hints, strict=True)]
    return pa.table(list(columns.values()), schema=pa.schema(fields))


def nested(version: str) -> pa.Table:
    rows = range(400)
    structs_null = len(rows) + 1 if version == "2.0" else 11
    pair = pa.struct([pa.field("x", pa.int32()), pa.field("name", pa.string())])
    points = [
        None if i % structs_null == structs_null - 1 else {"x": None if i % 5 == 0 else i, "name": WORDS[i % 7]}
        for i in rows
    ]
    lists = [None if i % 13 == 0 else list(range(i % 5)) for i in rows]
    table = pa.table(
        {
            "struct": pa.array(points, pair),
            "list": pa.array(lists, pa.list_(pa.int32())),
            "texts": pa.array([[WORDS[j] for j in range(i % 4)] for i in rows], pa.list_(pa.string())),
            "lists": pa.array([[[i], None, []] for i in rows], pa.list_(pa.list_(pa.int64()))),
            "points": pa.array([points[: i % 3] for i in rows], pa.list_(pair)),
            "map": pa.array([[(WORDS[i % 5], i)] for i in rows], pa.map_(pa.string(), pa.int32())),
        }
    )
    if version == "0.1":
        words = pa.DictionaryArray.from_arrays([i % 3 for i in rows], ["quick", "", "fox"])
        return table.drop(["map"]).append_column("dictionary", words).append_column("null", pa.nulls(len(rows)))
    return table.drop(["map"]) if version == "2.0" else table


def packed(version: str) -> pa.Table:
    """Structs of one column: of fields of one width; since 2.2, of any."""
    rows = range(300)

    def structs(kind: pa.StructType, make) -> pa.Table:
        values = [None if version != "2.0" and i % 9 == 4 else make(i) for i in rows]
        plain = pa.field("item", kind, metadata={"packed": "true"})
        columns = {
            "alone": pa.array(values, kind),
            "in_lists": pa.array([values[i : i + i % 3] for i in rows], pa.list_(plain)),
            "in_structs": pa.array(
                [{"n": i, "s": v} for i, v in enumerate(values)], pa.struct([("n", pa.int16()), plain.with_name("s")])
            ),
        }
        fields = [pa.field(name, c.type, metadata={"packed": str(name == "alone")}) for name, c in columns.items()]
        return pa.table(list(columns.values()), schema=pa.schema(fields))

    fixed = pa.struct({"a": pa.int32(), "b": pa.float64(), "c": pa.binary(3)})
    table = structs(fixed, lambda i: {"a": i, "b": i / 3, "c": bytes([i % 256]) * 3})
    if version == "2.0":
        vectors = pa.struct({"a": pa.int16(), "v": pa.list_(pa.float32(), 3)})
        more = structs(vectors, lambda i: {"a": i, "v": [i, 1, 2]})
    else:
        texts = pa.struct({"a": pa.int32(), "t": pa.string(), "v": pa.list_(pa.float32(), 2)})
        more = structs(texts, lambda i: {"a": i, "t": WORDS[i % 7] * (i % 4), "v": [None if i % 5 == 0 else i, 1]})
    for field, column in zip(more.schema, more.columns, strict=True):
        table = table.append_column(field.with_name(f"{field.name}_too"), column)
    return table


def fixed_lists() -> pa.Table:
    rows = range(350)
    pair = pa.struct({"a": pa.int32(), "t": pa.string()})
    pairs = [None if i % 5 == 1 else {"a": None if i % 7 == 2 else i, "t": WORDS[i % 9]} for i in range(len(rows) + 3)]
    triples = [None if i % 8 == 3 else pairs[i : i + 3] for i in rows]
    deep = pa.struct({"in": pa.list_(pair, 3), "n": pa.int8()})
    lists = pa.struct({"n": pa.int32(), "l": pa.list_(pa.int32())})
    return pa.table(
        {
            "triples": pa.array(triples, pa.list_(pair, 3)),
            "deep": pa.array([[{"in": t, "n": 1}, None] for t in triples], pa.list_(deep, 2)),
            "lists": pa.array(
                [[{"n": i, "l": None if i % 5 == 2 else list(range(i % 4))}] for i in rows], pa.list_(lists, 1)
            ),
            "packed": pa.array(
                [None if i % 7 == 0 else [{"a": i, "t": WORDS[i % 5]}] * 2 for i in rows],
                pa.list_(pa.field("item", pair, metadata={"packed": "true"}), 2),
            ),
        }
    )


def keyed() -> pa.Table:
    """Columns that are dictionaries by their type."""
    rows = range(200)
    keys = pa.array([None if i % 7 == 0 else i % 4 for i in rows], pa.int8())
    numbers = pa.DictionaryArray.from_arrays(
        pa.array([i * 3 % 4 for i in rows], pa.uint16()), pa.array([5, None, 7, -8])
    )
    words = pa.DictionaryArray.from_arrays(keys, pa.array(WORDS[:5]))
    lists = pa.ListArray.from_arrays(pa.array([min(2 * i, 200) for i in range(201)], pa.int32()), words)
    return pa.table({"words": words, "numbers": numbers, "lists": lists})


def deleted() -> None:
    rows = 8000
    table = pa.table({"id": pa.array(range(rows), pa.int32()), "flag": pa.array([i % 4 == 0 for i in range(rows)])})
    lance.write_dataset(table, str(HERE / "deleted_2.2"), data_storage_version="2.2").delete("id % 3 != 0")


def blob(i: int) -> bytes | None:
    """None, empty, or up to 429 bytes."""
    match i % 5:
        case 3:
            return None
        case 4:
            return b""
    return bytes((i * 7 + j) % 256 for j in range(1 + i * 37 % 430))


def blobs(version: str) -> pa.Table:
    """Since 2.2, those of more than 400 bytes have files of their own, and those of more than 100 share one."""
    rows = range(60)
    values = [blob(i) for i in rows]
    if version == "2.2":
        field = lance.blob_field("blob", inline_size_threshold=100, dedicated_size_threshold=400)
        column, inner = lance.blob_array(values), lance.blob_array(values[::-1])
    else:
        field = pa.field("blob", pa.large_binary(), metadata={"lance-encoding:blob": "true"})
        column, inner = pa.array(values, pa.large_binary()), pa.array(values[::-1], pa.large_binary())
    nested = [field, pa.field("id", pa.int32())]
    ids = pa.array(rows, pa.int32())
    nulls = pa.array([version != "2.0" and i % 7 == 6 for i in rows])
    structs = pa.StructArray.from_arrays([inner, ids], fields=nested, mask=nulls)
    return pa.table([ids, column, structs], schema=pa.schema([nested[1], field, pa.field("struct", structs.type)]))


def single(name: str, version: str, content: pa.Table) -> None:
    path = str(HERE / f"{name}_{version}")
    lance.write_dataset(content, path, data_storage_version=version, max_rows_per_group=150)


def old() -> None:
    path = str(HERE / "old_0.1")
    shutil.rmtree(path, ignore_errors=True)
    rows = range(90)
    words = pa.DictionaryArray.from_arrays([i % 3 for i in rows], ["quick", "brown", "fox"])
    content = nested("0.1").drop(["null", "dictionary"]).slice(0, len(rows)).append_column("words", words)
    content = content.append_column("id", pa.array(rows))
    # Copies, as such releases write structs of a slice with values of other rows.
    lance.write_dataset(content.take(list(range(50))), path, max_rows_per_group=20)
    lance.write_dataset(content.take(list(range(50, 90))), path, mode="append").delete("id % 7 = 3")
    for version in (1, 2):
        (HERE / f"old_0.1/_versions/{version}.manifest").unlink()


def stated() -> None:
    from pyspark.sql import SparkSession

    import sparklance

    spark = sparklance.configure(SparkSession.builder.master("local[1]")).getOrCreate()
    columns = [
        "id",
        "if(id % 9 = 0, null, cast(id % 50 AS smallint)) AS small",
        "if(id % 5 = 0, null, id % 3 = 0) AS flag",
        "if(id % 40 = 0, double('NaN'), if(id % 7 = 0, -0.0d, id / 8d)) AS real",
        "if(id % 7 = 0, null, concat(repeat('word ', cast(id % 9 AS int)), id)) AS word",
        "if(id % 3 = 0, repeat(X'FF', 40), unhex(hex(id))) AS bytes",
        "cast(id * 7 AS decimal(38, 2)) * if(id % 50 = 0, 1000000000000000000, 1) AS amount",
        "date_add(DATE'2020-01-01', cast(id AS int)) AS day",
        "named_struct('x', if(id % 6 = 0, null, id), 'l', array(id)) AS s",
        "cast(null AS int) AS none",
    ]
    for name, version in (("stated_2.0", "2.0"), ("stated_2.2", "2.2"), ("copied_2.2", "2.2")):
        path = str(HERE / name)
        shutil.rmtree(path, ignore_errors=True)
        for first in (0, 70, 140):
            rows = spark.range(first, first + 70, 1, 1).selectExpr(*columns).write.format("lance")
            mode = "append" if first else "overwrite"
            rows.mode(mode).option("dataStorageVersion", version).save(path)
        if name.startswith("copied"):
            dataset = lance.dataset(path)
            dataset.optimize.compact_files(compaction_mode="force_binary_copy")
            dataset.cleanup_old_versions(retain_versions=1)
        else:
            lance.dataset(path).delete("id % 8 = 3 and id < 90")


def spilled() -> None:
    """A fragment with row ids and versions in hidden columns, some of its rows deleted, and one without."""
    path = str(HERE / "spilled_2.2")
    shutil.rmtree(path, ignore_errors=True)
    rows = pa.table({"id": pa.array(range(40), pa.int64()), "word": [WORDS[i % 7] for i in range(40)]})
    dataset = lance.write_dataset(rows, path, enable_stable_row_ids=True, max_rows_per_file=10)
    dataset.update_config({"lance.row_lineage.spill": "true", "lance.row_lineage.inline_max_bytes": "20"})
    dataset.delete("id % 7 = 3")
    dataset.update({"word": "'changed'"}, where="id % 5 = 1")
    lance.dataset(path).optimize.compact_files(target_rows_per_fragment=25)
    lance.write_dataset(rows.slice(0, 5), path, mode="append")
    dataset = lance.dataset(path)
    dataset.delete("id in (4, 11)")
    lance.dataset(path).cleanup_old_versions(retain_versions=1)


def main() -> None:
    shutil.rmtree(HERE, ignore_errors=True)
    for version in ("0.1", "2.0", "2.1", "2.2"):
        table(f"plain_{version}", version)
    deleted()
    single("compressed", "2.2", compressed())
    single("compressed", "2.0", compressed_arrays())
    for version in ("0.1", "2.0", "2.2"):
        single("nested", version, nested(version))
    for version in ("2.0", "2.2"):
        single("packed", version, packed(version))
    single("fixed_lists", "2.2", fixed_lists())
    for version in ("2.0", "2.1", "2.2"):
        single("blobs", version, blobs(version))
    single("keyed", "2.0", keyed())
    spilled()


if __name__ == "__main__":
    {"old": old, "stated": stated}.get("".join(sys.argv[1:]), main)()
