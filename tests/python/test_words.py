"""Lint names pages that have too many words, and exceptions that have become too large."""

import pytest

from dev_tools import lint, words


@pytest.fixture
def docs(tmp_path, monkeypatch):
    """Makes a directory of pages with limits of ten words in all, four a page, seven a paragraph, six for one page."""
    limits = {"DOCS": tmp_path, "ALL": 10, "PAGE": 4, "PARAGRAPH": 7, "LONGER": {"long.md": 6}}
    for name, value in limits.items():
        monkeypatch.setattr(words, name, value)
    (tmp_path / "design").mkdir()
    return tmp_path


@pytest.mark.parametrize(
    ("pages", "found"),
    [
        ({"long.md": "1 2 3 4 5 6", "design/a.md": "| 2 |\n4"}, []),
        (
            {"long.md": "1 2 3 4 5 6", "design/a.md": "1 2\n```\n4\n```"},
            ["docs has 11 words", "docs/design/a.md has 5 words"],
        ),
        ({"long.md": "1 2 3 4 5 6 7"}, ["docs/long.md has 7 words, more than 6"]),
        ({"long.md": "1 2 3 4"}, ["docs/long.md has 4 words or fewer: remove it from LONGER"]),
        ({}, ["docs/long.md has 4 words or fewer"]),
        (
            {"long.md": "| 2 3 4 5 6 7 8 |\n```\n2 3\n```\n1 2 3 4 5 6 7 8"},
            ["docs has 21 words", "docs/long.md has 21 words", "docs/long.md:5 has 8 words, more than 7"],
        ),
    ],
)
def test_pages_above_a_limit_are_named(docs, capsys, pages, found):
    for name, text in pages.items():
        (docs / name).write_text(text)
    assert words.check() == (1 if found else 0)
    shown = capsys.readouterr().out.splitlines()
    assert len(shown) == len(found)
    assert all(line.startswith(start) for line, start in zip(shown, found, strict=True))


def test_lint_counts_the_words(monkeypatch):
    for name in ("python", "unwrap", "scala_lint", "prose"):
        passes = (lambda *_: 0) if name == "python" else type(name, (), {"check": lambda: 0, "run": lambda _: 0})
        monkeypatch.setattr(lint, name, passes)
    monkeypatch.setattr(words, "ALL", 0)
    assert lint.check() == 1


def test_the_documentation_is_within_its_limits():
    assert words.problems() == []
