"""An extension of Griffe, which reads docstrings for the site: makes their examples blocks of code."""

import re
from typing import Any

import griffe

#: Lines from a prompt to the next empty line.
_EXAMPLE = re.compile(r"^( *)>>> .*(?:\n *\S.*)*", re.MULTILINE)
#: A colon that marks the indented lines below as code, in docstrings only.
_MARK = re.compile(r"::$", re.MULTILINE)


class Examples(griffe.Extension):
    """Rewrites each docstring before it is rendered: Markdown takes a prompt for nested quotes."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        if obj.docstring:
            obj.docstring.value = with_blocks(obj.docstring.value)


def with_blocks(docstring: str) -> str:
    """Returns the docstring with fences around its examples. `<BLANKLINE>` becomes an empty line."""
    return _EXAMPLE.sub(_fenced, _MARK.sub(":", docstring))


def _fenced(example: re.Match[str]) -> str:
    indent = example[1]
    code = example[0].replace(f"{indent}<BLANKLINE>", "").rstrip()
    return f"\n{indent}```pycon\n{code}\n{indent}```"
