"""The message classes read what pylance writes, and know every field of it."""

import struct
from pathlib import Path

import lance
import pyarrow as pa
import pytest
from google.protobuf.unknown_fields import UnknownFieldSet

from sparklance import proto


@pytest.fixture
def table(tmp: str) -> lance.LanceDataset:
    rows = pa.table({"id": pa.array([1, 2, None], pa.int32()), "name": ["a", None, "c"]})
    lance.write_dataset(rows, tmp)
    return lance.write_dataset(rows, tmp, mode="append")


def test_a_manifest_makes_the_round_trip(table):
    data = newest_manifest(table)
    manifest = proto.Manifest.FromString(data)
    assert manifest.version == table.version == 2
    assert [(f.name, f.logical_type) for f in manifest.fields] == [("id", "int32"), ("name", "string")]
    assert [f.physical_rows for f in manifest.fragments] == [3, 3]
    assert manifest.timestamp.ToDatetime().year >= 2024
    assert not list(unknown_fields(manifest))
    assert proto.Manifest.FromString(manifest.SerializeToString()) == manifest


def test_a_transaction_file_tells_its_operation(table):
    (path,) = Path(table.uri, "_transactions").glob("1-*.txn")
    transaction = proto.Transaction.FromString(path.read_bytes())
    assert (transaction.read_version, transaction.WhichOneof("operation")) == (1, "append")
    assert not list(unknown_fields(transaction))


def test_a_data_file_tells_its_pages_and_their_encodings(table):
    data = next(Path(table.uri, "data").glob("*.lance")).read_bytes()
    positions = struct.unpack("<QQQ", data[-40:-16])
    columns = struct.unpack("<I", data[-12:-8])[0]
    start, length = struct.unpack("<QQ", data[positions[1] :][:16])
    assert columns == 2
    column = proto.ColumnMetadata.FromString(data[start : start + length])
    (page,) = column.pages
    any_layout = message_any(page.encoding.direct.encoding)
    layout = proto.PageLayout()
    assert any_layout.Unpack(layout)
    assert layout.WhichOneof("layout") == "mini_block_layout"
    assert not list(unknown_fields(column))
    assert not list(unknown_fields(layout))


def test_any_message_is_reached_by_its_full_name():
    assert proto.message_class("lance.table.Manifest") is proto.Manifest
    with pytest.raises(KeyError, match="Nonsense"):
        proto.message_class("lance.table.Nonsense")


def newest_manifest(table: lance.LanceDataset) -> bytes:
    """A manifest file ends with: position (u64), version (2 x u16), "LANC"; at the position: length (u32), message."""
    path = min(Path(table.uri, "_versions").glob("*.manifest"))
    data = path.read_bytes()
    position, _, _, magic = struct.unpack("<QHH4s", data[-16:])
    assert magic == b"LANC"
    length = struct.unpack_from("<I", data, position)[0]
    return data[position + 4 :][:length]


def message_any(data: bytes):
    return proto.message_class("google.protobuf.Any").FromString(data)


def unknown_fields(message):
    """Numbers of fields that our `.proto` files do not have, here and in all messages below."""
    yield from (field.field_number for field in UnknownFieldSet(message))
    for field, value in message.ListFields():
        if field.type == field.TYPE_MESSAGE and not field.message_type.GetOptions().map_entry:
            for child in value if hasattr(value, "__len__") and not hasattr(value, "ListFields") else [value]:
                yield from unknown_fields(child)
