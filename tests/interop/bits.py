"""Columns of all types that pylance writes, and their comparison bit by bit."""

import lance
import numpy as np
import pyarrow as pa

from tests.interop.compare import is_list, lengths, parts, plain, words
from tests.interop.matrix.tables import METADATA, NULLS
from tests.interop.matrix.types import TYPES

VERSIONS = ("2.0", "2.1", "2.2")

#: What is refused, by name, and why.
REFUSED = {"fixed_list_of_structs": "fixed-size lists of structs"}


def assert_same_bits(expected: pa.Array, actual: pa.Array, place: str) -> None:
    """Compares types, nulls and bits, including NaNs and signed zeros."""
    assert expected.type == actual.type, place
    expected, actual = plain(expected), plain(actual)
    kind = expected.type
    assert expected.is_null().equals(actual.is_null()), place
    if isinstance(kind, pa.BaseExtensionType):
        assert_same_bits(expected.storage, actual.storage, place)
    elif pa.types.is_struct(kind) or pa.types.is_map(kind) or is_list(kind):
        if not pa.types.is_struct(kind):
            assert (lengths(expected) == lengths(actual)).all(), place
        for (name, left), (_, right) in zip(parts(expected), parts(actual), strict=True):
            assert_same_bits(left, right, place + name)
    elif pa.types.is_floating(kind):
        assert (words(expected) == words(actual)).all(), place
    else:
        assert expected.equals(actual), place


def assert_same_tables(expected: pa.Table, actual: pa.Table) -> None:
    assert expected.schema.equals(actual.schema, check_metadata=True)
    for name in expected.column_names:
        left, right = (table[name].combine_chunks() for table in (expected, actual))
        left, right = (a.chunk(0) if isinstance(a, pa.ChunkedArray) else a for a in (left, right))
        assert_same_bits(left, right, name)


def writable(name: str, version: str, tmp: str) -> pa.Array | None:
    """A column of a type, if pylance writes and reads it in this version."""
    rng = np.random.default_rng(len(name))
    try:
        pieces = [TYPES[name](rng, shape, 100, NULLS["some"]) for shape in ("random", "extremes", "runs")]
        column = pa.concat_arrays(pieces)
        field = pa.field(name, column.type).with_metadata(METADATA.get(name, {}))
        table = pa.table([column], schema=pa.schema([field]))
        lance.write_dataset(table, f"{tmp}/try.lance", data_storage_version=version, mode="overwrite").to_table()
    except KeyboardInterrupt:
        raise
    except BaseException:  # What pylance does not know makes it panic, too.
        return None
    return column
