"""Paths of tables, as the procedures take them."""

import os
import re
from typing import TypeAlias

#: A path, or in a text a name of a catalog, which has no slash.
PathOrName: TypeAlias = "str | os.PathLike[str]"

_OF_WINDOWS = re.compile(r"[A-Za-z]:\\|\\\\")

# What `pathlib` makes of `s3://bucket/t`.
_CUT_SHORT = re.compile(r"(?!file:)[A-Za-z][A-Za-z0-9+.-]+:/(?!/)")


def path_or_name(table: PathOrName) -> str:
    """Returns a text as it is, and any other path with a slash, so that it is not taken for a name.

    >>> from pathlib import Path
    >>> path_or_name("flights"), path_or_name(Path("flights"))
    ('flights', './flights')
    """
    return table if isinstance(table, str) else path_text(table)


def path_text(path: PathOrName) -> str:
    """Returns a path with a slash."""
    text = os.fspath(path)
    if not isinstance(path, str) and _CUT_SHORT.match(text):
        raise ValueError(
            f"{path!r} is no address of a table, as pathlib joins its slashes. Give it as text: 'scheme://…'."
        )
    return text if is_path(text) else f"./{text}"


def is_path(text: str) -> bool:
    """Whether a text is a path, and no name of a catalog. A path of Windows is one, which the connector refuses."""
    return "/" in text or _OF_WINDOWS.match(text) is not None
