package io.sparklance.dataset.scan

import scala.util.{Random, Using}

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.data._
import io.sparklance.dataset.predicate.{LeafChunkFilter, NumberTest, Predicate}
import io.sparklance.dataset.write.FragmentWriter
import io.sparklance.file.{ColumnRequest, FileReader}
import io.sparklance.schema.LogicalType.Integer
import io.sparklance.schema.{Field, LanceSchema, Leaf}
import io.sparklance.testkit.{Deletions, MemoryStore}

/** Chunks of which a filter wants nothing are left out before they are decoded, and nothing else is. */
class ChunkFilterSuite extends AnyFunSuite {
  import ChunkFilterSuite._

  for (pageBytes <- Seq(3000L, FragmentWriter.DefaultPageBytes))
    test(s"whatever is asked of runs, the same rows are found; pages of $pageBytes bytes") {
      val store = new MemoryStore
      val task = write(store, pageBytes)
      val random = new Random(6)
      for (_ <- 0 until 120) {
        val predicate = Predicate.all(Seq.fill(1 + random.nextInt(2))(condition(random)): _*)
        val rows = if (random.nextBoolean()) RowRanges(0, Rows.toLong) else pieces(random)
        val deleted = if (random.nextBoolean()) Set.empty[Int] else someRows(random)
        val batch = 1 + random.nextInt(1500)
        val wanted = Deletions.of(store, task, deleted).copy(rows = rows, predicate = predicate)
        val live = rows.ranges.flatMap(r => r.start.toInt until r.end.toInt).filterNot(deleted)
        val expected = live.filter(holds(predicate, _))
        val (found, filtered) = read(store, wanted, batch)
        assert(found == expected, s"$predicate in $rows, batches of $batch")
        assert(filtered == live.size - expected.size)
      }
    }

  test("a chunk of runs is left out by its runs' values, and what follows comes as it should") {
    val store = new MemoryStore
    val task = write(store, FragmentWriter.DefaultPageBytes)
    val chunkFilter = LeafChunkFilter.of(Predicate.Passes(runs, NumberTest.Within(75, 75)), runs).get
    val request = ColumnRequest(0, runs, chunkFilter = Some(values => chunkFilter.mayPass(values)))
    Using.resource(FileReader.open(store, task.files.head.path, None)) { reader =>
      val scan = reader.scan(Vector(request), RowRange(10, Rows.toLong), Rows.toLong)
      var at = 10L
      while (scan.rejected > 0) {
        at += scan.rejected
        scan.skip(scan.rejected)
      }
      assert(at > 2000 && at <= 75 * Run)
      val count = scan.fill(1000)
      assert(at + count > 75 * Run)
      val column = scan.columns.head
      val found = column.values match {
        case b: Fixed64Block => (0 until count).map(i => Option.unless(column.nulls.isNull(i))(b.values(i)))
        case other => fail(s"$other")
      }
      assert(found == (0 until count).map(i => valueOf(runs, at.toInt + i)))
    }
  }

  test("nulls may be wanted, and then nothing is left out") {
    assert(LeafChunkFilter.of(Predicate.IsNull(runs), runs).isEmpty)
    val either =
      Predicate.AnyOf(Vector(Predicate.IsNull(runs), Predicate.Passes(runs, NumberTest.Within(1, 1))))
    assert(LeafChunkFilter.of(either, runs).isEmpty)
    val others = Predicate.Passes(id, NumberTest.Within(1, 1))
    assert(LeafChunkFilter.of(Predicate.AnyOf(Vector(others, Predicate.NotNull(runs))), runs).isEmpty)
    assert(LeafChunkFilter.of(
      Predicate.all(either, Predicate.Fails(runs, NumberTest.Within(1, 1))),
      runs
    ).isDefined)
  }
}

private object ChunkFilterSuite {
  private val Rows = 6000
  private val Run = 40
  private val runs = leaf(0, "run")
  private val id = leaf(1, "id")
  private val code = leaf(2, "code")
  private val fields = Vector(runs, id, code).map(_.field)

  private def leaf(id: Int, name: String): Leaf =
    Leaf(Vector.empty, Field(id, name, Integer(64, signed = true), nullable = true))

  private def valueOf(leaf: Leaf, i: Int): Option[Long] = leaf.field.name match {
    case "run" => Option.unless(i % 97 == 3 || i / 500 == 4)((i / Run).toLong)
    case "id" => Some(i.toLong)
    case _ => Option.unless(i % 10 == 0)(i % 3L)
  }

  private def holds(predicate: Predicate, i: Int): Boolean = predicate match {
    case Predicate.AllOf(operands) => operands.forall(holds(_, i))
    case Predicate.AnyOf(operands) => operands.exists(holds(_, i))
    case Predicate.IsNull(leaf) => valueOf(leaf, i).isEmpty
    case Predicate.Passes(leaf, test) => valueOf(leaf, i).exists(meets(_, test))
    case Predicate.Fails(leaf, test) => valueOf(leaf, i).exists(!meets(_, test))
    case other => throw new IllegalArgumentException(s"$other")
  }

  private def meets(value: Long, test: Any): Boolean = test match {
    case NumberTest.Within(least, most) => value >= least && value <= most
    case NumberTest.OneOf(keys) => keys.contains(value)
    case other => throw new IllegalArgumentException(s"$other")
  }

  private def condition(random: Random): Predicate = {
    val leaf = Seq(runs, runs, runs, id, code)(random.nextInt(5))
    val highest = Map("run" -> Rows / Run, "id" -> Rows, "code" -> 3)(leaf.field.name)
    val from = random.nextInt(highest).toLong
    random.nextInt(5) match {
      case 0 => Predicate.Passes(leaf, NumberTest.Within(from, from))
      case 1 => Predicate.Passes(leaf, NumberTest.Within(from, from + random.nextInt(highest / 2)))
      case 2 => Predicate.Passes(leaf, NumberTest.oneOf(Seq(from, highest / 3L, -1L)))
      case 3 => Predicate.Fails(leaf, NumberTest.Within(0, from))
      case _ =>
        Predicate.AnyOf(Vector(Predicate.IsNull(leaf), Predicate.Passes(leaf, NumberTest.Within(from, from))))
    }
  }

  private def pieces(random: Random): RowRanges = RowRanges.of(
    Iterator.iterate(random.nextInt(50).toLong)(_ + 1 + random.nextInt(900)).takeWhile(_ < Rows).toSeq
      .sliding(2, 2).collect { case Seq(from, to) => RowRange(from, to) }.toSeq
  )

  private def someRows(random: Random): Set[Int] = (0 until Rows).filter(_ => random.nextInt(4) == 0).toSet

  private def write(store: MemoryStore, pageBytes: Long): FragmentTask = {
    val writer = new FragmentWriter(store, "/t", LanceSchema(fields), FileVersion.V2_2, pageBytes)
    for (i <- 0 until Rows) {
      writer.columns.zip(fields).foreach { case (column, field) =>
        (column.values, valueOf(Leaf(Vector.empty, field), i)) match {
          case (b: Fixed64Block, Some(value)) => b.append(value); column.nulls.appendValid(1)
          case _ => column.appendNulls(1)
        }
      }
      writer.rowWritten()
    }
    val file = writer.finish()
    val source =
      FileSource(s"/t/data/${file.fileName}", Some(file.sizeBytes), file.fieldIds, file.columnIndices)
    FragmentTask(3, Vector(source), file.rows, None, RowRanges(0, file.rows), Vector(id.field, runs.field))
  }

  /** The rows that are found, by their ids, and how many others were seen; their runs are looked at, too. */
  private def read(store: MemoryStore, task: FragmentTask, batchRows: Int): (Vector[Int], Long) =
    Using.resource(FragmentReader.open(store, task, batchRows)) { reader =>
      val rows = Iterator.continually(reader.next()).takeWhile(identity).flatMap { _ =>
        val ids = reader.columns(0)
        val found = reader.columns(1)
        (0 until reader.rowCount).map { i =>
          val row = long(ids, i).get.toInt
          assert(long(found, i) == valueOf(runs, row), s"row $row")
          row
        }
      }.toVector
      (rows, reader.stats.rowsFiltered)
    }

  private def long(column: Column, i: Int): Option[Long] = column.values match {
    case b: Fixed64Block => Option.unless(column.nulls.isNull(i))(b.values(i))
    case other => throw new IllegalArgumentException(s"$other")
  }
}
