package io.sparklance.dataset.aggregate

import java.nio.charset.StandardCharsets.UTF_8

import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.data.{FileVersion, RowRange, RowRanges}
import io.sparklance.dataset.scan.ZonePrunerSuite._
import io.sparklance.dataset.scan.{FragmentTask, ReadStats, Split}
import io.sparklance.dataset.statistics.End
import io.sparklance.dataset.write.{FragmentWriter, StatisticsKind}
import io.sparklance.testkit.{Blocks, Deletions, MemoryStore}

/** Aggregates of files are those of their rows, and most of them need no look at the rows. */
class AggregateReaderSuite extends AnyFunSuite {
  import AggregateReaderSuite._

  for (version <- FileVersion.writable)
    test(s"$version: answers are those of the rows, whatever is wanted and deleted") {
      val store = new MemoryStore
      val task = write(store, version, 50000)
      val random = new Random(4)
      for {
        deleted <-
          Seq(Set.empty[Int], Set(0, 100, 19999), (0 until Rows).filter(_ => random.nextInt(3) == 0).toSet)
        wanted <- Seq(
          RowRanges(0, Rows),
          RowRanges.of(Seq(RowRange(5, 8195), RowRange(16000, 20000))),
          RowRanges.empty
        )
      } {
        val rows = (0 until Rows).filter(i => !deleted(i) && wanted.contains(i.toLong))
        val tasks = Seq(wanted.slice(0, 9000), wanted.slice(9000, Rows)).filterNot(_.isEmpty)
          .map(some => Deletions.of(store, task, deleted).copy(rows = some)).toVector
        assert(answers(store, Split(tasks))._1 == expected(version, rows), (deleted.size, wanted))
      }
    }

  test("whoever does not want to know any more ends it between batches") {
    val store = new MemoryStore
    val task = write(store, FileVersion.V2_2, FragmentWriter.DefaultPageBytes, StatisticsKind.Omitted)
    var left = 3
    def proceed(): Unit = { left -= 1; if (left == 0) throw new InterruptedException("enough") }
    val reader =
      new AggregateReader(store, Split(Vector(task)), Vector(Aggregate.Values(ids)), 1000, () => proceed())
    assertThrows[InterruptedException](reader.answer())
    assert(left == 0)
  }

  test("whole zones are answered without a look at their values") {
    val store = new MemoryStore
    val task = write(store, FileVersion.V2_2, FragmentWriter.DefaultPageBytes)
    def stats(task: FragmentTask, asked: Aggregate*): ReadStats =
      answers(store, Split(Vector(task)), asked.toVector)._2
    val least = Aggregate.Outermost(ids, End.Least)
    val greatest = Aggregate.Outermost(ids, End.Greatest)
    store.forgetReads()
    val all = stats(task, least, greatest, Aggregate.Values(xs), Aggregate.Rows)
    assert(all.rowsSkipped == Rows && all.io.bytes == 0 && all.pagesRead == 0)
    assert(store.reads.size == 1, "the footer is near all that is needed")
    val some = task.copy(rows = RowRanges(100, 20000))
    assert(stats(some, least).rowsSkipped == Rows - 8192)
    assert(stats(some, greatest).rowsSkipped == Rows - 100, "no row of the first zone is greater")
    assert(stats(some, Aggregate.Values(ids)).rowsSkipped == Rows - 8192)
    val deleted = Deletions.of(store, task, Set(9000))
    assert(stats(deleted, greatest).rowsSkipped == Rows - 1)
    assert(stats(deleted, Aggregate.Values(ids)).rowsSkipped == Rows - 8192)
  }
}

private object AggregateReaderSuite {
  private val leaves = Vector(ids, words, xs)
  private val asked: Vector[Aggregate] = Aggregate.Rows +: leaves.flatMap(leaf =>
    Vector(
      Aggregate.Values(leaf),
      Aggregate.Outermost(leaf, End.Least),
      Aggregate.Outermost(leaf, End.Greatest)
    )
  )

  def answers(
      store: MemoryStore,
      split: Split,
      asked: Vector[Aggregate] = asked
  ): (Vector[Option[Any]], ReadStats) = {
    val reader = new AggregateReader(store, split, asked, 4096, () => ())
    val found = reader.answer().map { column =>
      assert(column.length == 1)
      Blocks.rows(column).head.map {
        case bytes: Vector[_] =>
          new String(bytes.map { case b: Byte => b; case _ => 0.toByte }.toArray, UTF_8)
        case other => other
      }
    }
    (found, reader.stats)
  }

  /** There are structs only where the version has them null. */
  def expected(version: FileVersion, rows: Seq[Int]): Vector[Option[Any]] = {
    def of[A: Ordering](values: Seq[A]): Vector[Option[Any]] =
      Vector(Some(values.size.toLong), values.minOption, values.maxOption)
    Vector(Some(rows.size.toLong)) ++ of(rows.map(_.toLong)) ++ of(rows.flatMap(wordOf(_))) ++
      of(rows.filter(hasStruct(version, _)).flatMap(xOf(_)).map(_.toLong))
  }
}
