package io.sparklance.index.build

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.data.{FileVersion, RowRange, RowRanges}
import io.sparklance.dataset.scan.ZonePrunerSuite._
import io.sparklance.dataset.scan.{FragmentTask, Split}
import io.sparklance.dataset.write.{FragmentWriter, StatisticsKind}
import io.sparklance.schema.Leaf
import io.sparklance.testkit.{Deletions, MemoryStore}

/** Zones of a zone map from statistics: which zones need no values, and which rows are left. */
class LiftedZonesSuite extends AnyFunSuite {
  private val store = new MemoryStore
  private val task = write(store, FileVersion.V2_2, FragmentWriter.DefaultPageBytes)

  private def lifted(task: FragmentTask, leaf: Leaf = ids, rowsPerZone: Long = 8192): LiftedZones = {
    val keys = IndexKeys.ofNumbers
    LiftedZones.of(store, Split(Vector(task)), IndexedColumn(leaf.path), keys, rowsPerZone)
  }

  private def ranges(splits: Vector[Split]): Vector[RowRange] = splits.flatMap(_.tasks).flatMap(_.rows.ranges)

  test("all zones of a column without nulls are lifted, and no value is read") {
    store.forgetReads()
    val all = lifted(task)
    def key(number: Long) = Some(Long.box(number))
    assert(all.zones == Vector(
      Zone(3, 0, 8192) -> ZoneBounds(key(0), key(8191), 0, 0),
      Zone(3, 8192, 8192) -> ZoneBounds(key(8192), key(16383), 0, 0),
      Zone(3, 16384, 3616) -> ZoneBounds(key(16384), key(19999), 0, 0)
    ))
    assert(
      all.nulls.isEmpty && all.rest.isEmpty && store.reads.size == 1,
      "the footer, with all that is needed"
    )
    assert(lifted(Deletions.of(store, task, Set(5, 9000))).zones == all.zones)
  }

  test("parts of zones, zones with some null rows, and zones of another size are left to be read") {
    val part = lifted(task.copy(rows = RowRanges(100, 17000)))
    assert(part.zones.map(_._1) == Vector(Zone(3, 8192, 8192)))
    assert(ranges(part.rest) == Vector(RowRange(100, 8192), RowRange(16384, 17000)) && part.rest.size == 2)
    assert(ranges(lifted(task, xs).rest) == Vector(RowRange(0, Rows)))
    assert(ranges(lifted(task, rowsPerZone = 4096).rest) == Vector(RowRange(0, Rows)))
  }

  test("files without statistics are left to be read") {
    val other = new MemoryStore
    val bare = write(other, FileVersion.V2_2, FragmentWriter.DefaultPageBytes, StatisticsKind.Omitted)
    val column = IndexedColumn(ids.path)
    val found = LiftedZones.of(other, Split(Vector(bare)), column, IndexKeys.ofNumbers, 8192)
    assert(found.zones.isEmpty && found.rest == Vector(Split(Vector(bare))))
  }

  test("bounds of floats become keys of the index's order, in which zeroes differ") {
    val keys = NumberIndexKeys(NumberForm.TotalOrder(32))
    def key(value: Float) = keys.form.key(java.lang.Float.floatToRawIntBits(value).toLong)
    Seq(-1.5f, Float.NegativeInfinity, -Float.MinPositiveValue, 2.5f, Float.PositiveInfinity).foreach {
      value =>
        val bound = io.sparklance.dataset.predicate.NumberKeys.ofFloat(value)
        assert(keys.leastOf(bound) == key(value) && keys.mostOf(bound) == key(value), value)
    }
    assert(keys.leastOf(0) == key(-0.0f) && keys.mostOf(0) == key(0.0f))
  }
}
