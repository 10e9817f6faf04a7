"""The checks of Scala sources find what they are for, and nothing else."""

import pytest

from dev_tools import ROOT, scala_lint
from dev_tools.scala_source import bare, members, signatures

TEMPLATE = """package p

/** A comment: def commented = List(1) */
class C(a: Int) extends D {{
  {member}
}}
"""


def untyped(member: str) -> list[int]:
    return [line for line, _ in scala_lint.untyped(TEMPLATE.format(member=member))]


@pytest.mark.parametrize(
    "member",
    [
        "def found = List(1)",
        "def found(x: Int)(y: String) = x + y",
        "override def found[A](x: A) = Seq(x)",
        "lazy val found = Seq(1)",
        "val f = (x: Int) => x",
        "def f =\n    Seq(1)",
    ],
)
def test_a_public_member_without_a_type_is_found(member: str) -> None:
    assert untyped(member) == [5]


@pytest.mark.parametrize(
    "member",
    [
        "def typed: List[Int] = List(1)",
        "def typed(x: Int = f(1)): Int = x",
        "private def hidden = List(1)",
        "private[p] val hidden = List(1)",
        'val plain = "text: of = it"',
        "val plain = -1L",
        "val plain = new E(1)",
        "val plain = Other.name",
        "final val Constant = 8L << 20",
        "def abstractly(x: Int): Int",
        "def procedure: Unit = {\n    val inside = List(1)\n    def deeper = Seq(2)\n  }",
        "def this() = this(1)",
    ],
)
def test_a_typed_private_or_plain_member_is_not(member: str) -> None:
    assert untyped(member) == []


def test_members_are_those_of_templates_inside_each_other() -> None:
    text = bare("object O {\n  class I {\n    val a = f(1)\n  }\n  def b = {\n    val c = 1\n  }\n}\nval d = 1\n")
    assert [member.name for member in members(text)] == ["a", "b"]


def test_a_second_import_from_a_package_is_found() -> None:
    source = "import a.b.C\nimport a.b.c.D\nimport a.b.{\n  E,\n  F\n}\nimport g._\n"
    assert [line for line, _ in scala_lint.repeated_imports(source)] == [3]


def test_parameters_of_all_lists_count() -> None:
    text = bare("class C[A](a: Int, b: Map[Int, A], c: (A, A) => A = (x: A, y: A) => x)(implicit d: D)\ndef e(f: F): G")
    assert [(found.name, found.parameters) for found in signatures(text)] == [("C", 4), ("e", 1)]


def test_a_long_signature_is_found_unless_it_is_listed() -> None:
    parameters = ", ".join(f"p{i}: Int" for i in range(8))
    source = f"final class Long({parameters})\ndef decode({parameters}): Int\n"
    assert [line for line, _ in scala_lint.long_signatures("Fsst.scala", source)] == [1]


def test_each_listed_signature_exists_and_is_long() -> None:
    found = set()
    for path in ROOT.glob(scala_lint.MAIN):
        for signature in signatures(bare(path.read_text())):
            if signature.parameters > scala_lint.MOST_PARAMETERS:
                found.add((path.name, signature.name))
    assert found == scala_lint.LONG
