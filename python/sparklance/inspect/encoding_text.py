"""A page's encoding as one line of text, in the words of the Lance format.

File version 2.1 and later have a layout, in it a tree of compressions, and the layers of nesting, innermost first::

    mini_block(inline_bitpacking(32)) def=out_of_line_bitpacking(16 <- flat(1)) [NULLABLE_ITEM]

A number in brackets is a width in bits, `16 <- …` what is unpacked to 16 bits. Version 2.0 has a tree of arrays::

    nullable(validity=flat(1), values=flat(32))
"""

from typing import Any

from sparklance.inspect.source import unknown_fields
from sparklance.proto import message_class

_SCHEMES = {1: "lz4", 2: "zstd"}
_LAYERS: Any = message_class("lance.encodings21.MiniBlockLayout").DESCRIPTOR.fields_by_name["layers"].enum_type


def unset(message: Any) -> str:
    """Name of a `oneof` without a known case."""
    numbers = unknown_fields(message)
    return "unknown " + ", ".join(f"#{number}" for number in numbers) if numbers else "nothing"


def layout(page: Any, buffers: int) -> str:
    """Describes a `lance.encodings21.PageLayout` of a page with `buffers` buffers."""
    kind = page.WhichOneof("layout")
    if kind is None:
        return unset(page)
    inner = getattr(page, kind)
    match kind:
        case "mini_block_layout":
            levels = _named(inner, rep="rep_compression", **{"def": "def_compression"}, dictionary="dictionary")
            text = f"mini_block({compression(inner.value_compression)}){levels}"
        case "full_zip_layout":
            text = f"full_zip({compression(inner.value_compression)})"
        case "constant_layout":
            text = _constant(inner, buffers) + _named(inner, rep="rep_compression", **{"def": "def_compression"})
        case "blob_layout":
            text = f"blob({layout(inner.inner_layout, buffers)})"
        case _:
            text = kind
    return f"{text} {_layers(inner.layers)}"


def compression(encoding: Any) -> str:
    """A `lance.encodings21.CompressiveEncoding`."""
    kind = encoding.WhichOneof("compression")
    if kind is None:
        return unset(encoding)
    inner = getattr(encoding, kind)
    match kind:
        case "flat":
            return f"flat({inner.bits_per_value}{_buffer_compression(inner, 'data')})"
        case "inline_bitpacking":
            return f"inline_bitpacking({inner.uncompressed_bits_per_value}{_buffer_compression(inner, 'values')})"
        case "out_of_line_bitpacking":
            return f"out_of_line_bitpacking({inner.uncompressed_bits_per_value} <- {compression(inner.values)})"
        case "variable":
            return f"variable({compression(inner.offsets)}{_buffer_compression(inner, 'values')})"
        case "constant":
            return f"constant({inner.value.hex()})" if inner.HasField("value") else "constant"
        case "rle":
            return f"rle({compression(inner.values)}, {compression(inner.run_lengths)})"
        case "dictionary":
            return f"dictionary({compression(inner.indices)}, {compression(inner.items)})"
        case "general":
            return f"general[{_scheme(inner.compression)}]({compression(inner.values)})"
        case "fixed_size_list":
            validity = ", validity" if inner.has_validity else ""
            return f"fixed_size_list[{inner.items_per_value}{validity}]({compression(inner.values)})"
        case "packed_struct":
            return f"packed_struct{list(inner.bits_per_value)}({compression(inner.values)})"
        case "variable_packed_struct":
            return f"variable_packed_struct({', '.join(compression(field.value) for field in inner.fields)})"
        case _:  # fsst and byte_stream_split: a name around the values
            return f"{kind}({compression(inner.values)})"


def array(encoding: Any) -> str:
    """A `lance.encodings.ArrayEncoding`, of file version 2.0."""
    kind = encoding.WhichOneof("array_encoding")
    if kind is None:
        return unset(encoding)
    inner = getattr(encoding, kind)
    match kind:
        case "flat":
            scheme = f", {inner.compression.scheme}" if inner.HasField("compression") else ""
            return f"flat({inner.bits_per_value}{scheme})"
        case "nullable":
            return _nullable(inner)
        case "fixed_size_list":
            return f"fixed_size_list[{inner.dimension}]({array(inner.items)})"
        case "list":
            return f"list(offsets={array(inner.offsets)})"
        case "binary":
            return f"binary(indices={array(inner.indices)}, bytes={array(inner.bytes)})"
        case "dictionary":
            return f"dictionary(indices={array(inner.indices)}, items={array(inner.items)})"
        case "fsst":
            return f"fsst({array(inner.binary)})"
        case "packed_struct":
            return f"packed_struct({', '.join(array(each) for each in inner.inner)})"
        case "bitpacked" | "bitpacked_for_non_neg":
            signed = ", signed" if kind == "bitpacked" and inner.signed else ""
            return f"{kind}({inner.uncompressed_bits_per_value} <- {inner.compressed_bits_per_value}{signed})"
        case "fixed_size_binary":
            return f"fixed_size_binary[{inner.byte_width}]({array(inner.bytes)})"
        case _:
            return str(kind)


def column(encoding: Any) -> str:
    """A `lance.encodings.ColumnEncoding`."""
    kind = encoding.WhichOneof("column_encoding")
    if kind is None:
        return unset(encoding)
    inner = getattr(encoding, kind)
    return "values" if kind == "values" else f"{kind}({column(inner.inner)})"


def _nullable(message: Any) -> str:
    match message.WhichOneof("nullability"):
        case "no_nulls":
            return f"no_nulls({array(message.no_nulls.values)})"
        case "some_nulls":
            some = message.some_nulls
            return f"nullable(validity={array(some.validity)}, values={array(some.values)})"
        case "all_nulls":
            return "all_nulls"
        case _:
            return f"nullable({unset(message)})"


def _constant(message: Any, buffers: int) -> str:
    """Two of the buffers are levels; where the value is not in the message, it is in a buffer before them."""
    if message.HasField("inline_value"):
        return "constant(inline)"
    return "all_null" if buffers in (0, 2) else "constant(buffer)"


def _named(message: Any, **fields: str) -> str:
    return "".join(
        f" {name}={compression(getattr(message, field))}" for name, field in fields.items() if message.HasField(field)
    )


def _layers(numbers: Any) -> str:
    known = _LAYERS.values_by_number
    names = [known[n].name.removeprefix("REPDEF_") if n in known else f"unknown {n}" for n in numbers]
    return f"[{', '.join(names)}]"


def _buffer_compression(message: Any, field: str) -> str:
    return f", {_scheme(getattr(message, field))}" if message.HasField(field) else ""


def _scheme(buffer_compression: Any) -> str:
    number = buffer_compression.scheme
    return _SCHEMES.get(number, f"unknown scheme {number}")
