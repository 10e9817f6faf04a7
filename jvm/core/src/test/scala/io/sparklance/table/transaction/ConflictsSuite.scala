package io.sparklance.table.transaction

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.testkit.TableFixtures.{append, overwrite}

class ConflictsSuite extends AnyFunSuite {

  private val others = Seq(
    "Delete",
    "CreateIndex",
    "Rewrite",
    "Merge",
    "Restore",
    "ReserveFragments",
    "Update",
    "Project",
    "UpdateConfig",
    "DataReplacement",
    "UpdateMemWalState",
    "Clone",
    "UpdateBases",
    "DataOverlay",
    "unknown operation"
  ).map(Operation.Other(_))

  private val all: Seq[Operation] = Seq(append("a"), overwrite("b")) ++ others

  test("two appends go together") {
    assert(Conflicts.check(append("a"), append("b")) == Verdict.Compatible)
  }

  test("no other pair does") {
    for (mine <- all; theirs <- all if !(mine.name == "Append" && theirs.name == "Append"))
      assert(
        Conflicts.check(mine, theirs).isInstanceOf[Verdict.Incompatible],
        s"${mine.name} / ${theirs.name}"
      )
  }
}
