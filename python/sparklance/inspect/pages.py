"""The pages of a column: encoding, and the buffers with what each of them holds."""

from collections.abc import Iterator
from typing import Any

from sparklance import proto
from sparklance.inspect import encoding_text
from sparklance.inspect.source import parse

_Any = proto.message_class("google.protobuf.Any")
#: Parts of a 2.0 encoding that say in what role a buffer below them is used.
_ROLES = {"validity", "values", "offsets", "indices", "items", "bytes"}


def encoding(message: Any, where: str, buffers: int = 0) -> tuple[str, Any]:
    """A `lance.file.v2.Encoding` as text, with the message in it if that is of a known kind."""
    if message.WhichOneof("location") == "indirect":
        place = message.indirect
        return f"stored apart: {place.buffer_length} bytes at {place.buffer_location}", None
    if message.WhichOneof("location") != "direct":
        return "nothing", None
    packed = parse(_Any, message.direct.encoding, f"{where}: its encoding")
    match packed.type_url.rsplit("/", 1)[-1]:
        case "lance.encodings21.PageLayout":
            page = parse(proto.PageLayout, packed.value, f"{where}: its layout")
            return encoding_text.layout(page, buffers), page
        case "lance.encodings.ArrayEncoding":
            array = parse(proto.ArrayEncoding, packed.value, f"{where}: its encoding")
            return encoding_text.array(array), array
        case "lance.encodings.ColumnEncoding":
            column = parse(proto.ColumnEncoding, packed.value, f"{where}: its encoding")
            return encoding_text.column(column), column
        case other:
            return f"{other} (not known here)", None


def page(message: Any, where: str, file_size: int) -> dict[str, Any]:
    text, described = encoding(message.encoding, where, len(message.buffer_offsets))
    names = roles(described, len(message.buffer_offsets))
    size = sum(message.buffer_sizes)
    return {
        "rows": message.length,
        "priority": message.priority,
        "encoding": text,
        "details": details(described),
        "bytes": size,
        "percent": percent(size, file_size),
        "buffers": buffers(message, names, file_size),
    }


def buffers(message: Any, names: dict[int, str], file_size: int) -> list[dict[str, Any]]:
    pairs = zip(message.buffer_offsets, message.buffer_sizes, strict=False)
    return [
        {
            "holds": names.get(i, "unknown"),
            "offset": offset,
            "bytes": size,
            "percent": percent(size, file_size),
            "inside_file": offset + size <= file_size,
        }
        for i, (offset, size) in enumerate(pairs)
    ]


def percent(part: int, whole: int) -> float:
    return round(100 * part / whole, 1) if whole else 0.0


def details(described: Any) -> dict[str, Any]:
    """The numbers of a page's layout."""
    if described is None or described.DESCRIPTOR.name != "PageLayout" or not described.WhichOneof("layout"):
        return {}
    inner = getattr(described, described.WhichOneof("layout"))
    values = {
        field.name: value.hex() if isinstance(value, bytes) else value
        for field, value in inner.ListFields()
        if field.name != "layers" and field.message_type is None
    }
    return details(inner.inner_layout) if described.WhichOneof("layout") == "blob_layout" else values


def roles(described: Any, count: int) -> dict[int, str]:
    """Returns the content of each buffer, by its number."""
    if described is None:
        return {}
    if described.DESCRIPTOR.name == "ArrayEncoding":
        return dict(_buffers_of(described, ()))
    match described.WhichOneof("layout"):
        case "mini_block_layout":
            layout = described.mini_block_layout
            names = ["chunk metadata", "chunks"]
            names += ["dictionary"] if layout.HasField("dictionary") else []
            names += ["repetition index"] if layout.repetition_index_depth else []
        case "full_zip_layout":
            names = ["zipped values", "repetition index"]
        case "constant_layout":
            names = ([] if count in (0, 2) else ["value"]) + ["repetition levels", "definition levels"]
        case "blob_layout":
            return roles(described.blob_layout.inner_layout, count)
        case _:
            names = []
    return dict(enumerate(names))


def _buffers_of(message: Any, path: tuple[str, ...]) -> Iterator[tuple[int, str]]:
    for field, value in message.ListFields():
        if field.message_type is None:
            continue
        if field.message_type.name == "Buffer":
            yield value.buffer_index, "/".join(name for name in path if name != "values") or "values"
        # The members of a packed struct share its buffer; the numbers they carry mean nothing.
        elif field.name != "inner":
            yield from _buffers_of(value, (*path, field.name) if field.name in _ROLES else path)
