"""Describes a transaction by its message: the operation, and each of its fields in a few words."""

from typing import Any

from sparklance.inspect.encoding_text import unset

_LONGEST = 120


def described(message: Any) -> dict[str, Any]:
    operation = message.WhichOneof("operation")
    fields = fields_of(getattr(message, operation)) if operation else {}
    return {
        "operation": operation or unset(message),
        "read_version": message.read_version,
        "uuid": message.uuid,
        "tag": message.tag,
        "properties": dict(sorted(message.transaction_properties.items())),
        "fields": fields,
        "summary": ", ".join(f"{name}: {value}" for name, value in fields.items()),
    }


def fields_of(operation: Any) -> dict[str, str]:
    return {field.name: summary(field, value) for field, value in operation.ListFields()}


def summary(field: Any, value: Any) -> str:
    kind = field.message_type
    if kind is not None and kind.GetOptions().map_entry:
        return shortened(", ".join(map(str, sorted(value))))
    if hasattr(value, "extend"):
        return _of_many(kind, list(value))
    if kind is not None:
        return "{" + ", ".join(f"{name}: {each}" for name, each in fields_of(value).items()) + "}"
    if field.enum_type is not None:
        names = field.enum_type.values_by_number
        return str(names[value].name) if value in names else f"unknown {value}"
    return f"{len(value)} bytes" if isinstance(value, bytes) else shortened(str(value))


def _of_many(kind: Any, values: list[Any]) -> str:
    match kind.name if kind is not None else None:
        case None | "UUID":
            return shortened(", ".join(map(str, values)))
        case "DataFragment":
            return f"{len(values)} ({sum(fragment.physical_rows for fragment in values)} rows)"
        case "IndexMetadata":
            return shortened(", ".join(index.name for index in values))
        case "Field":
            return f"{len(values)} fields"
        case "UpdateMapEntry":
            return shortened(", ".join(_entry(entry) for entry in values))
        case _:
            return str(len(values))


def _entry(entry: Any) -> str:
    return f"{entry.key} = {entry.value}" if entry.HasField("value") else f"{entry.key} deleted"


def shortened(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
