"""The site shows the examples of docstrings as code."""

import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from typing import Any

import markdown

import sparklance
from dev_tools import ROOT
from dev_tools.docs_examples import with_blocks


def docstrings() -> Iterator[str]:
    for module in pkgutil.iter_modules(sparklance.__path__, "sparklance."):
        found = importlib.import_module(module.name)
        own = [of for of in vars(found).values() if inspect.isclass(of) and of.__module__ == found.__name__]
        for owner in [found, *own]:
            for member in [owner, *vars(owner).values()]:
                yield from texts(member)


def texts(member: Any) -> Iterator[str]:
    function = getattr(member, "__func__", member)
    ours = str(getattr(function, "__module__", "")).startswith("sparklance")
    if ours and ">>> " in str(text := function.__doc__):
        yield inspect.cleandoc(text)


def test_examples_become_blocks_of_code() -> None:
    found = set(docstrings())
    assert len(found) > 30
    for text in found:
        page = markdown.markdown(with_blocks(text), extensions=["fenced_code"])
        assert "blockquote" not in page, text
        assert page.count("<code class") == len([part for part in text.split("\n\n") if part.startswith(">>> ")]), text
    assert "dev_tools.docs_examples" in (ROOT / "mkdocs.yml").read_text()


def test_an_empty_line_of_output_is_empty_and_a_mark_of_code_is_a_colon() -> None:
    made = with_blocks("It shows::\n\n    x\n\n>>> show()\na\n<BLANKLINE>\nb\n\nAfter.")
    assert made == "It shows:\n\n    x\n\n\n```pycon\n>>> show()\na\n\nb\n```\n\nAfter."
