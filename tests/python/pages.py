"""Runs the code blocks of a page of the documentation, in their order and as they stand."""

import contextlib
import io
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from pyspark.sql import SparkSession

ROOT = Path(__file__).parents[2]


class Block(NamedTuple):
    """A fenced block: its language, its code, and the line of the page on which it begins."""

    language: str
    code: str
    line: int


def blocks(page: str) -> Iterator[Block]:
    text = (ROOT / page).read_text()
    for match in re.finditer(r"^```(\w*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        yield Block(match[1], match[2], text.count("\n", 0, match.start()) + 2)


def run(page: str, spark: SparkSession, folder: str, **names: Any) -> dict[str, Any]:
    """Runs the page's Python and SQL with paths below `folder`, and compares what they print with the text blocks.

    Returns the variables that the page's Python has at its end.
    """
    scope = {"spark": spark, **names}
    printed = ""
    for language, code, line in blocks(page):
        here = re.sub(r"/(?:data|tmp/shop)/", f"{folder}/", code)
        if language == "python":
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                exec(compile("\n" * (line - 1) + here, page, "exec"), scope)
            printed = out.getvalue()
        elif language == "sql":
            printed = ""
            for statement in filter(str.strip, here.split(";\n")):
                printed = shown(spark, statement)
        elif language == "text":
            assert printed.strip() == here.strip(), f"{page}:{line} prints something else"
    return scope


def shown(spark: SparkSession, statement: str) -> str:
    """Runs a statement, and returns its rows as Spark shows them."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        spark.sql(statement).show()
    return out.getvalue()
