package io.sparklance.dataset.compaction

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.LanceUsageException
import io.sparklance.proto.{table => pb}
import io.sparklance.table.Fragment

/** Choice of the fragments that are merged. Outcomes are those of pylance 14.0.2 for the same fragments. */
class CompactionPlannerSuite extends AnyFunSuite {
  private val options = CompactionOptions(targetRowsPerFragment = 100)

  private def facts(rows: Long, deleted: Long = 0, indices: Set[String] = Set.empty): FragmentFacts =
    FragmentFacts(Fragment(pb.DataFragment()), rows, deleted, Some(rows * 8), indices)

  /** The ids of the fragments of each group. */
  private def groups(options: CompactionOptions, fragments: FragmentFacts*): Vector[Vector[Long]] = {
    val numbered = fragments.toVector.zipWithIndex.map { case (f, i) =>
      f.copy(fragment = f.fragment.withId(i.toLong))
    }
    CompactionPlanner.groups(numbered, options).map(_.fragments.map(_.fragment.id))
  }

  test("small neighbours are put together; a small fragment without any stays") {
    assert(groups(options, facts(10), facts(20), facts(100), facts(10)) == Vector(Vector(0, 1)))
    assert(groups(options, facts(100), facts(10), facts(100)).isEmpty)
    assert(groups(options).isEmpty)
  }

  test("a run is cut where a fragment's rows are complete, if as many are left") {
    val tens = Vector.fill(25)(facts(10))
    assert(groups(options, tens: _*) == Vector((0L to 9L).toVector, (10L to 24L).toVector))
    assert(groups(options, tens.take(19): _*).size == 1)
    assert(groups(options, tens.take(20): _*) == Vector((0L to 9L).toVector, (10L to 19L).toVector))
  }

  test("deleted rows do not count for the size of a group") {
    val half = Vector.fill(20)(facts(10, deleted = 5))
    assert(groups(options, half: _*).size == 1)
  }

  test("a fragment is rewritten for more deleted rows than the threshold, and not for as many") {
    assert(groups(options, facts(100, 10)).isEmpty)
    assert(groups(options, facts(100, 11)) == Vector(Vector(0)))
    val none = options.copy(materializeDeletionsThreshold = 0)
    assert(groups(none, facts(100, 1)) == Vector(Vector(0)) && groups(none, facts(100)).isEmpty)
    assert(groups(options.copy(materializeDeletions = false), facts(100, 99)).isEmpty)
    assert(groups(options.copy(materializeDeletionsThreshold = 1), facts(100, 100)).isEmpty)
    assert(groups(options, facts(100, 100)) == Vector(Vector(0)))
  }

  test("fragments of different indices are not merged") {
    val (a, both) = (Set("a"), Set("a", "b"))
    val fragments =
      Seq(facts(10, indices = a), facts(10, indices = a), facts(10, indices = both), facts(10), facts(10))
    assert(groups(options, fragments: _*) == Vector(Vector(0, 1), Vector(3, 4)))
  }

  test("an excluded fragment keeps those on both sides of it apart") {
    val fragments = Vector.fill(5)(facts(10))
    assert(groups(options.copy(excludedFragments = Set(2)), fragments: _*) ==
      Vector(Vector(0, 1), Vector(3, 4)))
  }

  test("limits end a plan before the group that would exceed one of them, even if it is the first") {
    val fragments = Vector.fill(40)(facts(10))
    def planned(change: CompactionOptions => CompactionOptions) = groups(change(options), fragments: _*).size
    assert(planned(identity) == 4)
    assert(planned(_.copy(maxSourceFragments = Some(20))) == 2)
    assert(planned(_.copy(maxSourceFragments = Some(19))) == 1)
    assert(planned(_.copy(maxSourceFragments = Some(9))) == 0)
    assert(planned(_.copy(maxSourceRows = Some(300), maxSourceFragments = Some(20))) == 2)
    assert(planned(_.copy(maxSourceBytes = Some(2399))) == 2)
    val unknown = facts(10).copy(bytes = None)
    val e = intercept[LanceUsageException](groups(options.copy(maxSourceBytes = Some(1)), unknown, unknown))
    assert(e.getMessage.contains("does not record the size of fragment 0"))
  }

  test("the rows of a group are shared out evenly to new files of about the wanted size") {
    assert(RewriteTask.rowsPerFile(0, 100).isEmpty)
    assert(RewriteTask.rowsPerFile(7, 100) == Vector(7))
    assert(RewriteTask.rowsPerFile(199, 100) == Vector(199))
    assert(RewriteTask.rowsPerFile(302, 100) == Vector(101, 101, 100))
  }
}
