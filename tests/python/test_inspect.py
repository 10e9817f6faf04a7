"""`python -m sparklance.inspect` shows what pylance has written, and survives what no one should have written."""

import contextlib
import json
import random
import re
import subprocess
import sys
from pathlib import Path

import lance
import pyarrow as pa
import pytest

from dev_tools import ROOT
from sparklance import inspect
from sparklance.errors import LanceException, LanceUsageException
from sparklance.inspect import describe, encodings, features, roaring
from sparklance.inspect.__main__ import main

ROWS = pa.table({"id": pa.array([1, 2, None], pa.int32()), "name": ["a", None, "c"]})

GOLDEN = """\
PATH: table

versions
  1  TIME  V2  overwrite (fragments: 1 (3 rows), schema: 2 fields)
  2  TIME  V2  delete (updated_fragments: 1 (3 rows), predicate: id = 2)

version 2
  file             _versions/18446744073709551613.manifest, SIZE bytes
  committed        TIME by lance 14.0.2
  files            lance 2.2
  max fragment id  0
  transaction file 1-UUID.txn
  reader features  deletion files
  writer features  deletion files
  fields
    0  id  int32
    1  name  string
  fragments
    0  3 rows
      data/STEM.lance  2.2, 649 bytes, fields 0, 1
      _deletions/0-1-ID.arrow  1 row

_deletions/0-1-ID.arrow
  1 row of fragment 0 deleted, 698 bytes
  offsets 1

data/STEM.lance
  file version 2.2, 3 rows, 649 bytes, fragment 0
  footer: offset = 609, column_metadata = 321, column_table = 561, global_buffer_table = 593, global_buffers = 1, \
columns = 2, major = 2, minor = 2
  global buffer 0 (the schema): 65 bytes at 256
  column 0 id: 36 bytes (5.5 %)
    page 0: 3 rows, 36 bytes (5.5 %)
      mini_block(flat(32)) def=flat(16) [NULLABLE_ITEM]
      num_buffers = 1, num_items = 3, has_large_chunk = True
      chunk metadata: 4 bytes (0.6 %) at 0
      chunks: 32 bytes (4.9 %) at 64
  column 1 name: 44 bytes (6.8 %)
    page 0: 3 rows, 44 bytes (6.8 %)
      mini_block(variable(flat(32))) def=flat(16) [NULLABLE_ITEM]
      num_buffers = 1, num_items = 3, has_large_chunk = True
      chunk metadata: 4 bytes (0.6 %) at 128
      chunks: 40 bytes (6.2 %) at 192
"""


@pytest.fixture
def table(tmp: str) -> str:
    lance.write_dataset(ROWS, tmp).delete("id = 2")
    return tmp


def the(folder: str, pattern: str) -> Path:
    (found,) = Path(folder).glob(pattern)
    return found


def shown(capsys, *arguments: object) -> str:
    assert main(list(map(str, arguments))) == 0
    return capsys.readouterr().out


def error(capsys, *arguments: object) -> str:
    """The one line on stderr."""
    assert main(list(map(str, arguments))) == 1
    (line,) = capsys.readouterr().err.splitlines()
    return line


def test_shows_a_table_from_its_versions_to_its_pages(capsys, table):
    text = shown(capsys, table).replace(table, "PATH")
    for pattern, name in [
        (r"\d{4}-\d\d-\d\dT[\d:.]+Z", "TIME"),
        (r"(?<=manifest, )\d+", "SIZE"),  # the time is in it, and not always as long
        (r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "UUID"),
        (r"[01]{24}[0-9a-f]{26}", "STEM"),
        (r"(?<=_deletions/0-1-)\d+", "ID"),
    ]:
        text = re.sub(pattern, name, text)
    assert text == GOLDEN


def test_prints_the_same_as_json_with_the_keys_of_its_documentation(capsys, table):
    document = json.loads(shown(capsys, table, "--json"))
    assert document == json.loads(json.dumps(describe(table)))
    documented = set(re.findall(r"`(\w+)`", inspect.__doc__))
    version, file = document["versions"][0], document["data_files"][0]
    page = file["columns"][0]["pages"][0]
    for part in [document, version, version["transaction"], document["manifest"], document["deletion_files"][0], file]:
        assert set(part) <= documented
    for part in [file["columns"][0], page, page["buffers"][0]]:
        assert set(part) <= documented


def test_shows_an_older_version_one_column_or_one_file(capsys, table):
    lance.write_dataset(ROWS, table, mode="append")
    old = describe(table, version=1)
    assert (old["version"], old["deletion_files"], len(old["data_files"])) == (1, [], 1)
    assert len(describe(table)["data_files"]) == 2
    (file,) = describe(table, file=old["data_files"][0]["path"], columns=["name"])["data_files"]
    assert [column["name"] for column in file["columns"]] == ["name"]
    assert encodings(table) == {
        "id": ["mini_block(flat(32)) def=flat(16) [NULLABLE_ITEM]"] * 2,
        "name": ["mini_block(variable(flat(32))) def=flat(16) [NULLABLE_ITEM]"] * 2,
    }


def test_shows_every_kind_of_file_alone(capsys, table):
    assert "delete on version 1" in shown(capsys, the(table, "_transactions/1-*.txn"))
    manifest = shown(capsys, min(Path(table, "_versions").glob("*.manifest")))
    assert "predicate: id = 2" in manifest
    assert "version 2" in manifest
    assert "offsets 1" in shown(capsys, the(table, "_deletions/*.arrow"))
    assert "column 1 name: 44 bytes" in shown(capsys, the(table, "data/*.lance"))


def test_shows_indices_config_metadata_and_features(tmp):
    dataset = lance.write_dataset(ROWS, tmp)
    dataset.create_scalar_index("id", "BTREE")
    dataset.update_config({"owner": "somebody"})
    dataset.update_metadata({"purpose": "test"})
    lance.write_dataset(ROWS, tmp, mode="append")
    manifest = describe(tmp)["manifest"]
    (index,) = manifest["indices"]
    assert (index["name"], index["type"], index["fields"], index["dataset_version"]) == ("id_idx", "BTree", ["id"], 1)
    assert (index["covered_fragments"], index["covered_live_fragments"], len(manifest["fragments"])) == ([(0, 0)], 1, 2)
    assert (manifest["config"]["owner"], manifest["table_metadata"]) == ("somebody", {"purpose": "test"})
    assert manifest["writer_features"] == ["table config"]
    assert [v["transaction"]["operation"] for v in describe(tmp)["versions"]] == [
        "overwrite",
        "create_index",
        "update_config",
        "update_config",
        "append",
    ]


def test_gives_feature_flags_the_names_that_the_jar_has_for_them():
    source = (ROOT / "jvm/table/src/main/scala/io/sparklance/table/FeatureFlags.scala").read_text()
    names = re.findall(r'"([^"]+)"', source.split("names: Vector[String] = Vector(")[1].split(")\n")[0])
    assert features.names((1 << len(names)) - 1) == names
    assert features.names(1 << len(names)) == [f"unknown bit {len(names)}"]


def test_names_feature_flags_that_nobody_knows():
    assert features.names(0) == []
    assert features.names(1 << 40 | 0b11) == ["deletion files", "stable row ids", "unknown bit 40"]


def test_follows_base_paths_to_files_of_another_table(table, tmp_path):
    clone = str(tmp_path / "clone")
    lance.dataset(table).shallow_clone(clone, 1)
    found = describe(clone)
    assert found["problems"] == []
    assert [base["path"] for base in found["manifest"]["base_paths"]] == [table]
    assert found["data_files"][0]["size"] == 649


def test_tells_naming_schemes_apart(tmp):
    lance.write_dataset(ROWS, f"{tmp}/one", enable_v2_manifest_paths=False)
    assert [(v["version"], v["naming"]) for v in describe(f"{tmp}/one")["versions"]] == [(1, "V1")]
    dataset = lance.write_dataset(ROWS, f"{tmp}/two")
    change = lance.LanceOperation.Delete([], [0], "true")
    lance.LanceDataset.commit(dataset.uri, change, read_version=1, detached=True)
    first, second = describe(dataset.uri)["versions"]
    assert (first["naming"], second["naming"], second["version"] >> 63) == ("V2", "detached", 1)
    assert describe(dataset.uri)["version"] == 1
    assert describe(dataset.uri, second["version"])["manifest"]["fragments"] == []


@pytest.mark.parametrize(
    ("version", "expected"),
    [
        ("0.1", "var_binary"),
        ("2.0", "binary(indices=no_nulls(flat(64)), bytes=flat(8))"),
        ("2.1", "mini_block(variable(flat(32))) def=flat(16) [NULLABLE_ITEM]"),
        ("2.3", "lance.encodings23.PlanarLayout (not known here)"),
    ],
)
def test_names_every_file_version(tmp, version, expected):
    lance.write_dataset(ROWS, tmp, data_storage_version=version)
    (file,) = describe(tmp)["data_files"]
    assert (file["version"], file["rows"]) == (version, 3)
    assert encodings(tmp)["name"] == encodings(the(tmp, "data/*.lance"))["name"] == [expected]


@pytest.mark.parametrize(("version", "owner"), [("2.0", "pairs"), ("2.2", "pairs.item.a")])
def test_finds_the_columns_of_fields_that_are_one_column_in_some_versions(tmp, version, owner):
    fields = [
        pa.field("pairs", pa.list_(pa.struct([("a", pa.int32())]), 2)),
        pa.field("packed", pa.struct([("a", pa.int32()), ("b", pa.float64())]), metadata={"packed": "true"}),
        pa.field("blob", pa.large_binary(), metadata={"lance-encoding:blob": "true"}),
        pa.field("after", pa.int64()),
    ]
    rows = [{"pairs": [{"a": 1}] * 2, "packed": {"a": 1, "b": 2.0}, "blob": b"x", "after": 3}] * 3
    lance.write_dataset(pa.Table.from_pylist(rows, pa.schema(fields)), tmp, data_storage_version=version)
    assert list(encodings(tmp)) == list(encodings(the(tmp, "data/*.lance"))) == [owner, "packed", "blob", "after"]


def test_names_columns_after_strings_of_pylance_0_13(tmp):
    table = ROOT / "tests/golden/historic/strings_0.13.0"
    (alone,) = describe(next(table.glob("data/58*.lance")))["data_files"]
    of_table = describe(table)["data_files"][0]
    names = [column["name"] for column in alone["columns"]]
    assert names == [column["name"] for column in of_table["columns"]]
    assert names[:9] == ["id", *(n + b for n in ("text", "binary", "long") for b in ("", " (bytes)")), "n", "list"]
    assert names[-2:] == ["null", "null (bytes)"]
    assert len(names) == len(set(names)) == 22


@pytest.mark.parametrize("version", ["2.0", "2.1", "2.2"])
def test_gives_nested_columns_their_paths(tmp, version):
    rows = pa.table({"st": pa.array([{"x": 1, "y": [1, 2]}] * 3), "after": [1, 2, 3]})
    lance.write_dataset(rows, tmp, data_storage_version=version)
    parents = ["st", "st.y"] if version == "2.0" else []
    assert set(encodings(tmp)) == {"st.x", "st.y.item", "after", *parents}
    assert set(encodings(the(tmp, "data/*.lance"))) == set(encodings(tmp))
    (file,) = describe(tmp, columns=["st"])["data_files"]
    assert {column["name"] for column in file["columns"]} == {"st.x", "st.y.item", *parents}


def test_reads_roaring_bitmaps_of_every_kind(tmp):
    rows = pa.table({"i": pa.array(range(200_000), pa.int64())})
    dataset = lance.write_dataset(rows, tmp)
    dataset.delete("i < 60000 OR i = 70000 OR i = 199999")
    (file,) = describe(tmp)["deletion_files"]
    assert file["file"].endswith(".bin")
    assert file["offsets"] == [(0, 59_999), (70_000, 70_000), (199_999, 199_999)]
    runs = bytes.fromhex("3b30 0000 01 0000 0500 0200 0100 0200 1000 0200")
    assert roaring.ranges(runs, "runs") == [(1, 3), (16, 18)]
    assert roaring.ranges(bytes.fromhex("3a300000 00000000"), "empty") == []
    # With runs, offsets of the containers follow their heads from four containers on.
    heads, few = "0000 0200 0100 0000 0200 0000", "0100 0500 0200 0700 0800"
    three = bytes.fromhex(f"3b30 0200 01 {heads} {few}")
    four = bytes.fromhex(f"3b30 0300 01 {heads} 0300 0000 25000000 2b000000 2d000000 2f000000 {few} 0900")
    found = [(5, 7), (65_543, 65_543), (131_080, 131_080)]
    assert roaring.ranges(three, "three") == found
    assert roaring.ranges(four, "four") == [*found, (196_617, 196_617)]
    assert [roaring.contains([(1, 3), (16, 18)], n) for n in (0, 1, 3, 4, 18, 19)] == [
        False,
        True,
        True,
        False,
        True,
        False,
    ]
    for length in range(len(runs)):
        with pytest.raises(LanceException, match="not a Roaring bitmap"):
            roaring.ranges(runs[:length], "cut")


def test_needs_pyarrow_for_one_kind_of_deletion_file_only(capsys, monkeypatch, table):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert "pip install pyarrow" in error(capsys, table)
    assert shown(capsys, table, "--version", 1)


def test_needs_neither_spark_nor_a_jvm(table):
    program = (
        "import sys; from sparklance.inspect.__main__ import main; "
        f"code = main([{table!r}, '--version', '1']); "
        "sys.exit(code or [m for m in sys.modules if m.split('.')[0] in ('pyspark', 'py4j', 'pyarrow')] or 0)"
    )
    subprocess.run([sys.executable, "-c", program], check=True, capture_output=True)


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["nowhere"], "nowhere: No such file or directory"),
        (["data"], "data is not a Lance table: it has no folder _versions"),
        ([".", "--version", "7"], "has no version 7: it was cleaned up or never written. Its versions: 1, 2."),
    ],
)
def test_tells_what_is_wrong_with_a_path_in_one_line(capsys, monkeypatch, table, arguments, problem):
    monkeypatch.chdir(table)
    assert problem in error(capsys, *arguments)


def test_tells_what_is_wrong_with_an_argument(capsys, table):
    assert "there is no column nme. The columns: id, name." in error(capsys, table, "--column", "nme")
    assert "version 2 has no data file x.lance. It has: data/" in error(capsys, table, "--file", "x.lance")
    file = the(table, "data/*.lance")
    assert "is not a table: a version or a data file can be chosen in a table only" in error(
        capsys, file, "--version", 1
    )


def test_tells_what_is_wrong_with_a_file(capsys, table, tmp_path):
    text, empty = tmp_path / "a.txt", tmp_path / "empty.lance"
    text.write_text("This is no file of Lance, but long enough to be one.")
    empty.touch()
    assert "not a file of Lance: it ends with b'one.' and not with b'LANC'" in error(capsys, text)
    assert "too short to be one of Lance's" in error(capsys, empty)
    newer = the(table, "data/*.lance").read_bytes()[:-8] + b"\x09\x00\x09\x00LANC"
    (tmp_path / "newer.lance").write_bytes(newer)
    assert "file version 9.9 is not known here" in error(capsys, tmp_path / "newer.lance")


def test_shows_the_rest_of_a_table_with_a_broken_file(capsys, table):
    lance.write_dataset(ROWS, table, mode="append")
    files = describe(table)["data_files"]
    first, second = (Path(table, file["path"]) for file in files)
    with first.open("r+b") as opened:
        opened.seek(files[0]["columns"][0]["metadata"]["offset"])
        opened.write(b"\xff\xff\xff")
    second.unlink()
    assert main([table]) == 1
    out, err = capsys.readouterr()
    assert "column 1 name: 44 bytes" in out
    assert f"column 0 id: [LANCE_CORRUPT_DATA] {first}" in out
    assert f"{second}: No such file or directory" in out
    assert len(err.splitlines()) == 1
    assert "(and 1 more)" in err
    with pytest.raises(LanceUsageException, match="cannot be read in full"):
        encodings(table)


def test_a_file_that_is_not_the_one_committed_is_told(capsys, table):
    path = the(table, "data/*.lance")
    path.write_bytes(b"\0" * 64 + path.read_bytes())
    assert " bytes, and the manifest says 649: it is not the file that was committed" in " ".join(
        describe(table)["problems"]
    )


@pytest.mark.parametrize("version", ["0.1", "2.0", "2.2"])
def test_bytes_that_make_no_sense_end_in_one_kind_of_error(tmp, tmp_path, version):
    dataset = lance.write_dataset(ROWS, f"{tmp}/t.lance", data_storage_version=version)
    dataset.create_scalar_index("id", "BTREE")
    chance = random.Random(7)
    for pattern in ["data/*.lance", "_versions/*3.manifest", "_transactions/1-*.txn"]:
        good = the(dataset.uri, pattern)
        data, bad = good.read_bytes(), tmp_path / f"bad{good.suffix}"
        cut = [data[:length] for length in range(0, len(data), 3)]
        flipped = [bytearray(data) for _ in range(300)]
        for each in flipped:
            for _ in range(chance.randint(1, 6)):
                each[chance.randrange(len(each))] = chance.randrange(256)
        for each in cut + flipped:
            bad.write_bytes(each)
            with contextlib.suppress(LanceException):
                describe(bad)
