"""Every encoding of flat columns is met on bytes of pylance by a table that test_read.py compares value by value."""

import re
from functools import cache
from pathlib import Path

import lance
import pyarrow as pa
import pytest

from sparklance.inspect import encodings
from sparklance.proto import message_class
from tests.interop import rare
from tests.interop.generate import FOREIGN, SHAPES, table

#: Those of the tables of test_read.py that are looked into here, by name.
TABLES = (
    {shape: lambda shape=shape: table(shape, 6000, 0.2) for shape in SHAPES}
    | {f"full {shape}": lambda shape=shape: table(shape, 6000, 0.0) for shape in SHAPES}
    | {f"short {shape}": lambda shape=shape: table(shape, 1023, 0.2) for shape in SHAPES}
    | {"foreign": lambda: table("random", 2000, 0.1, columns=FOREIGN)}
    | {"foreign few": lambda: table("few", 2000, 0.1, columns=FOREIGN)}
    | {"zstd": lambda: rare.hinted(table("few", 20_000, 0.1), rare.COMPRESSION, "zstd")}
    | {"lz4": lambda: rare.hinted(table("few", 20_000, 0.1), rare.COMPRESSION, "lz4")}
    | {"fsst": lambda: rare.hinted(table("few", 20_000, 0.1), rare.COMPRESSION, "fsst")}
    | rare.TABLES
)

PACKED_LEVELS = "def=out_of_line_bitpacking(16 <- flat(1))"
SAME = "as in 2.1"
MB32 = "mini_block(inline_bitpacking(32))"
FULL, NULLABLE = "[ALL_VALID_ITEM]", "[NULLABLE_ITEM]"

#: A table, a column of it, and the encoding of each of its pages in file version 2.1 and in 2.2.
EXPECTED = [
    # Fixed width: as it is, packed, runs, split into bytes.
    ("full random", "bool", f"mini_block(flat(1)) {FULL}", SAME),
    ("full random", "int8", f"mini_block(flat(8)) {FULL}", SAME),
    ("full random", "int16", f"mini_block(flat(16)) {FULL}", SAME),
    ("full random", "int32", f"mini_block(flat(32)) {FULL}", SAME),
    ("full random", "double", f"mini_block(flat(64)) {FULL}", SAME),
    ("full random", "decimal38", f"mini_block(flat(128)) {FULL}", SAME),
    ("full narrow", "int8", f"mini_block(inline_bitpacking(8)) {FULL}", SAME),
    ("full narrow", "int16", f"mini_block(inline_bitpacking(16)) {FULL}", SAME),
    ("full narrow", "int32", f"{MB32} {FULL}", SAME),
    ("full sorted", "int64", f"mini_block(inline_bitpacking(64)) {FULL}", SAME),
    ("full runs", "int8", f"mini_block(rle(flat(8), flat(8))) {FULL}", SAME),
    ("full runs", "int16", f"mini_block(rle(flat(16), flat(8))) {FULL}", SAME),
    ("full runs", "int32", f"mini_block(rle(flat(32), flat(8))) {FULL}", SAME),
    (
        "full runs",
        "int64",
        f"mini_block(rle(flat(64), flat(8))) {FULL}",
        f"mini_block(rle(flat(32), flat(8))) dictionary=general[lz4](flat(64)) {FULL}",
    ),
    ("fsst", "float", f"mini_block(byte_stream_split(flat(32))) {PACKED_LEVELS} {NULLABLE}", SAME),
    # Texts and bytes.
    ("short random", "string", f"mini_block(variable(flat(32))) def=inline_bitpacking(16) {NULLABLE}", SAME),
    ("full random", "string", f"mini_block(fsst(variable(flat(32)))) {FULL}", SAME),
    ("foreign", "large_string", f"mini_block(fsst(variable(flat(64)))) {PACKED_LEVELS} {NULLABLE}", SAME),
    ("few rows", "full_large_texts", f"mini_block(variable(flat(64))) {FULL}", SAME),
    # Levels.
    ("few rows", "ints", f"mini_block(flat(32)) def=flat(16) {NULLABLE}", SAME),
    ("short narrow", "int32", f"{MB32} def=inline_bitpacking(16) {NULLABLE}", SAME),
    ("narrow", "int32", f"{MB32} {PACKED_LEVELS} {NULLABLE}", SAME),
    ("few nulls", "ints", f"{MB32} {PACKED_LEVELS} {NULLABLE}", f"{MB32} def=rle(flat(16), flat(8)) {NULLABLE}"),
    # Dictionaries, and what compresses them.
    (
        "full few",
        "string",
        f"{MB32} dictionary=variable(flat(32)) {FULL}",
        f"{MB32} dictionary=general[lz4](variable(flat(32))) {FULL}",
    ),
    (
        "foreign few",
        "large_string",
        f"{MB32} {PACKED_LEVELS} dictionary=variable(flat(64)) {NULLABLE}",
        f"{MB32} {PACKED_LEVELS} dictionary=general[lz4](variable(flat(64))) {NULLABLE}",
    ),
    (
        "full few",
        "decimal18",
        f"{MB32} dictionary=flat(128) {FULL}",
        f"{MB32} dictionary=general[lz4](flat(128)) {FULL}",
    ),
    (
        "dictionaries",
        "zstd_texts",
        f"{MB32} dictionary=variable(flat(32)) {FULL}",
        f"{MB32} dictionary=general[zstd](variable(flat(32))) {FULL}",
    ),
    ("dictionaries", "plain_texts", f"{MB32} dictionary=variable(flat(32)) {FULL}", SAME),
    ("dictionaries", "plain_longs", f"mini_block(flat(64)) {FULL}", f"{MB32} dictionary=flat(64) {FULL}"),
    (
        "dictionaries",
        "zstd_longs",
        f"mini_block(flat(64)) {FULL}",
        f"{MB32} dictionary=general[zstd](flat(64)) {FULL}",
    ),
    (
        "dictionaries",
        "few_small_longs",
        f"mini_block(inline_bitpacking(64)) {FULL}",
        f"{MB32} dictionary=inline_bitpacking(64) {FULL}",
    ),
    (
        "dictionaries",
        "many_small_longs",
        f"mini_block(inline_bitpacking(64)) {FULL}",
        f"{MB32} dictionary=out_of_line_bitpacking(64 <- flat(14)) {FULL}",
    ),
    # General compression, around each of them.
    *(
        (f"compressed by {scheme}", column, f"mini_block(general[{scheme}]({inner})){levels}", SAME)
        for scheme in ("zstd", "lz4")
        for column, inner, levels in [
            ("text", "variable(flat(32))", f" {FULL}"),
            ("nullable_text", "variable(flat(32))", f" {PACKED_LEVELS} {NULLABLE}"),
            ("large_text", "variable(flat(64))", f" {FULL}"),
            ("binary", "variable(flat(32))", f" {FULL}"),
            ("packed", "inline_bitpacking(32)", f" {FULL}"),
            ("doubles", "inline_bitpacking(64)", f" {FULL}"),
            ("runs", "rle(flat(32), flat(8))", f" {FULL}"),
            ("negative", "flat(64)", f" {FULL}"),
            ("decimals", "flat(128)", f" {FULL}"),
        ]
    ),
    ("zstd", "float", f"mini_block(general[zstd](byte_stream_split(flat(32)))) {PACKED_LEVELS} {NULLABLE}", SAME),
    ("lz4", "float", f"mini_block(general[lz4](byte_stream_split(flat(32)))) {PACKED_LEVELS} {NULLABLE}", SAME),
    # Fixed-size lists.
    ("full random", "vector4", f"mini_block(fixed_size_list[4](flat(32))) {FULL}", SAME),
    ("random", "doubles3", f"mini_block(fixed_size_list[3, validity](flat(64))) {PACKED_LEVELS} {NULLABLE}", SAME),
    ("full random", "vector100", f"full_zip(fixed_size_list[100](flat(32))) {FULL}", SAME),
    ("random", "vector100", f"full_zip(fixed_size_list[100, validity](flat(32))) {NULLABLE}", SAME),
    ("null items", "some_items4", f"mini_block(fixed_size_list[4, validity](flat(32))) {FULL}", SAME),
    ("null items", "no_item100", f"full_zip(fixed_size_list[100, validity](constant)) {FULL}", SAME),
    # Long values, one by one.
    ("full random", "long_string", f"full_zip(fsst(variable(flat(32)))) {FULL}", SAME),
    ("random", "long_string", f"full_zip(fsst(variable(flat(32)))) {NULLABLE}", SAME),
    ("foreign", "large_binary", f"full_zip(variable(flat(64))) {NULLABLE}", SAME),
    ("long values", "large_text", f"full_zip(fsst(variable(flat(64)))) {FULL}", SAME),
    ("long values", "very_long_text", f"full_zip(general[zstd](variable(flat(32)))) {FULL}", SAME),
    ("long values", "very_long_binary", f"full_zip(general[zstd](variable(flat(64)))) {NULLABLE}", SAME),
    # The same value in all rows, or none at all.
    ("all_null", "int32", f"all_null {NULLABLE}", SAME),
    ("full constant", "int32", f"mini_block(rle(flat(32), flat(8))) {FULL}", f"constant(inline) {FULL}"),
    ("full constant", "string", f"{MB32} dictionary=variable(flat(32)) {FULL}", f"constant(buffer) {FULL}"),
    ("constant", "bool", f"mini_block(flat(1)) {PACKED_LEVELS} {NULLABLE}", f"constant(inline) {NULLABLE}"),
    (
        "constant",
        "string",
        f"{MB32} {PACKED_LEVELS} dictionary=variable(flat(32)) {NULLABLE}",
        f"constant(buffer) {NULLABLE}",
    ),
]

#: What flat columns have no use for, or what is not written in these versions.
ELSEWHERE = {
    "dictionary": "of values: file version 2.3; in 2.1 and 2.2 a page has one, named after its layout",
    "packed_struct": "structs: test_packed.py",
    "variable_packed_struct": "structs: test_packed.py",
    "blob": "blobs",
}


@cache
def written(name: str) -> pa.Table:
    return TABLES[name]()


@pytest.fixture(scope="module")
def met(tmp_path_factory: pytest.TempPathFactory):
    """By table and file version: the encodings of its columns."""
    folder: Path = tmp_path_factory.mktemp("encodings")

    @cache
    def look(name: str, version: str) -> dict[str, list[str]]:
        path = folder / f"{name} {version}.lance"
        lance.write_dataset(written(name), str(path), data_storage_version=version)
        return encodings(path)

    return look


@pytest.mark.parametrize("version", ["2.1", "2.2"])
@pytest.mark.parametrize(("name", "column", "in_2_1", "in_2_2"), EXPECTED)
def test_pylance_writes(met, version: str, name: str, column: str, in_2_1: str, in_2_2: str) -> None:
    expected = in_2_1 if version == "2.1" or in_2_2 == SAME else in_2_2
    assert set(met(name, version)[column]) == {expected}


def test_no_case_of_the_format_is_left_out() -> None:
    words = set(re.findall(r"[a-z_]+", " ".join(f"{in_2_1} {in_2_2}" for _, _, in_2_1, in_2_2 in EXPECTED)))
    compressions = message_class("lance.encodings21.CompressiveEncoding").DESCRIPTOR.oneofs_by_name["compression"]
    layouts = message_class("lance.encodings21.PageLayout").DESCRIPTOR.oneofs_by_name["layout"]
    cases = {field.name for field in compressions.fields}
    cases |= {field.name.removesuffix("_layout") for field in layouts.fields}
    assert cases - words - set(ELSEWHERE) == set()
    assert set(ELSEWHERE) <= cases
