"""The counts of the house find types in files of other names, doubles, and long functions."""

from pathlib import Path

import pytest

from dev_tools import census

TRAIT = "package io.sparklance.a\n\nsealed trait Kind\n\nobject Kind\n\ncase class Plain(x: Int) extends Kind\n\n"
FILES = {
    "a/Kind": TRAIT + "class Part {\n  def short: Int =\n    1\n}\n",
    "a/One": "package io.sparklance.a\n\nclass One(part: Part, plain: Plain)\n",
    "a/Two": "package io.sparklance.a\n\nclass Two(part: Part, plain: Plain) // One\n",
    "b/Three": "package io.sparklance.b\n\nimport io.sparklance.a.{Kind, Part, Plain}\n\nclass C(p: Part, q: Plain)\n",
    "b/Four": "package io.sparklance.b\n\nclass One(part: Part) {\n  def long = {\n" + "    f()\n" * 40 + "  }\n}\n",
}


@pytest.fixture
def sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, text in FILES.items():
        path = tmp_path / f"{name}.scala"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    monkeypatch.setattr(census, "ROOT", tmp_path)
    found = tuple(census.read(path) for path in sorted(tmp_path.glob("*/*.scala")))
    monkeypatch.setattr(census, "files", lambda: found)
    census.words.cache_clear()


@pytest.mark.usefixtures("sources")
def test_types_that_many_files_use_need_a_file_but_cases_of_a_sealed_type_do_not() -> None:
    assert [(file.path.name, name) for file, name in census.misfiled()] == [("Kind.scala", "Part")]


@pytest.mark.usefixtures("sources")
def test_doubles_long_functions_and_files_with_one_user_are_found() -> None:
    assert census.doubles() == {"One": {"io.sparklance.a", "io.sparklance.b"}}
    assert census.long_functions() == ["b/Four.scala: long (42)"]
    assert census.problems() == ["One is a type of two packages: name one by its role"]
    census.words.cache_clear()
