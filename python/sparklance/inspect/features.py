"""The names of the feature flags, by bit: the same as in the jar's messages."""

_NAMES = (
    "deletion files",
    "stable row ids",
    "file format 2 (deprecated flag)",
    "table config",
    "base paths",
    "no transaction files",
    "data overlay files",
    "covering columns of indices",
    "data files of several versions",
    "stable row ids with a fragment reuse index",
    "tagged fragment reuse index",
    "row lineage in hidden columns",
    "fragment tree",
    "independent covering fields",
    "managed blobs",
    "field ids that are never reused",
    "zone write seeds",
    "clustering metadata",
)


def names(word: int) -> list[str]:
    """Returns the features that are set in a word of flags."""
    bits = [bit for bit in range(word.bit_length()) if word >> bit & 1]
    return [_NAMES[bit] if bit < len(_NAMES) else f"unknown bit {bit}" for bit in bits]
