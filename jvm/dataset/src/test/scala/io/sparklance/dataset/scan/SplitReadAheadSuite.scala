package io.sparklance.dataset.scan

import java.util.concurrent.CountDownLatch

import scala.util.Using

import org.scalatest.concurrent.Eventually
import org.scalatest.funsuite.AnyFunSuite
import org.scalatest.time.{Millis, Seconds, Span}

import io.sparklance.LanceFormatException
import io.sparklance.data.{ByteRange, FileVersion, Fixed64Block, RowRanges}
import io.sparklance.dataset.aggregate.{Aggregate, AggregateReader}
import io.sparklance.dataset.order.{Direction, NullPlace, RowOrder, Ties, TopRows}
import io.sparklance.dataset.predicate.{NumberTest, Predicate}
import io.sparklance.dataset.statistics.End
import io.sparklance.dataset.write.FragmentWriter
import io.sparklance.io.{IoScheduler, ObjectStore, ReadProfile, ReadableFile}
import io.sparklance.schema.LogicalType.Integer
import io.sparklance.schema.{Field, LanceSchema, Leaf}
import io.sparklance.testkit.{DelegatingStore, MemoryStore, RoundsStore}

/** Requests for many files of a split from a distant store. */
class SplitReadAheadSuite extends AnyFunSuite with Eventually {
  import SplitReadAheadSuite._
  implicit override val patienceConfig: PatienceConfig = PatienceConfig(Span(20, Seconds), Span(5, Millis))

  private val columns = fields(3)
  private def small(n: Int): Vector[FragmentTask] =
    Vector.tabulate(n)(i => fragment(memory, i, columns, files = 1, rows = 300))

  private def all(store: ObjectStore, tasks: Vector[FragmentTask]): Vector[Long] =
    Using.resource(new SplitReader(store, Split(tasks), 4096))(numbers)

  test("two hundred small fragments take a few rounds of requests, and come in their order") {
    val store = new RoundsStore(memory)
    val tasks = small(200)
    assert(all(store, tasks) == Vector.tabulate(200 * 300)(_.toLong))
    assert(store.rounds <= 20, s"${store.rounds} rounds")
  }

  test("a filter over two hundred small fragments takes a few rounds of requests") {
    val store = new RoundsStore(memory)
    val sparse = Predicate.Passes(Leaf(Vector.empty, columns(1)), NumberTest.Within(7, 7))
    val found = all(store, small(200).map(_.copy(predicate = sparse)))
    assert(found == Vector.tabulate(200)(i => i * 300L + 7))
    assert(store.rounds <= 40, s"${store.rounds} rounds")
  }

  test("fifty column files of a fragment are opened side by side") {
    val store = new RoundsStore(memory)
    val many = fields(50)
    assert(all(store, Vector(fragment(memory, 0, many, files = 50, rows = 300))).size == 300)
    assert(store.rounds <= 4, s"${store.rounds} rounds")
  }

  test("a task that is interrupted while its first fragment is opened leaves no open file behind") {
    val own = new MemoryStore(profile.copy(lane = "split interrupted"))
    val tasks = Vector.tabulate(3)(i => fragment(own, i, columns, files = 1, rows = 300))
    interrupting(own) { counting =>
      Using.resource(new SplitReader(counting, Split(tasks), 4096)) { reader =>
        val _ = reader.next()
      }
    }
    eventually(assert(IoScheduler.shared.requests("split interrupted") == 0))
  }

  test("aggregates that are interrupted while their files are opened leave no open file behind") {
    val own = new MemoryStore(profile.copy(lane = "aggregates interrupted"))
    val split = Split(Vector(fragment(own, 0, columns, files = 3, rows = 300)))
    val least = columns.map(field => Aggregate.Outermost(Leaf(Vector.empty, field), End.Least))
    interrupting(own) { counting =>
      val _ = new AggregateReader(counting, split, least, 4096, () => ()).answer()
    }
  }

  /** Runs `body` on a thread that is interrupted once three files are open, of which no byte has come yet. */
  private def interrupting(own: ObjectStore)(body: CountingStore => Unit): Unit = {
    val gate = new CountDownLatch(1)
    val counting = new CountingStore(own, () => gate.await())
    @volatile var seen = Option.empty[Throwable]
    val reading = new Thread(() =>
      try body(counting)
      catch { case e: InterruptedException => seen = Some(e) }
    )
    reading.start()
    eventually(assert(counting.opened == 3))
    reading.interrupt()
    reading.join()
    gate.countDown()
    assert(seen.isDefined)
    val _ = eventually(assert(counting.open == 0))
  }

  test("rows that later ones displace in an order are not read, though each was the greatest so far") {
    val own = new MemoryStore(profile)
    val tasks = Vector.tabulate(4)(i =>
      fragment(own, i, columns, files = 1, rows = 200000, others = _ * 0x9e3779b97f4a7c15L)
    )
    own.forgetReads()
    assert(all(own, tasks).size == 800000)
    val scanned = own.reads.map(_.length).sum
    own.forgetReads()
    val order = RowOrder.of(Leaf(Vector.empty, columns(0)), Direction.Descending, NullPlace.Last)
    val split = Split(tasks, top = order.map(TopRows(_, 10, Ties.Dropped)))
    val found = Using.resource(new SplitReader(own, split, 4096))(numbers)
    assert(found.sorted.takeRight(10) == Vector.tabulate(10)(_ + 799990L))
    // The order's column of all fragments, and the others of one.
    val read = own.reads.map(_.length).sum
    assert(read < 0.4 * scanned, s"$read bytes of $scanned")
  }

  test("a fragment that cannot be opened fails the read when its rows are due") {
    val own = new MemoryStore(profile)
    val tasks = Vector.tabulate(10)(i => fragment(own, i, columns, files = 1, rows = 300))
    own.put(tasks(5).files.head.path, Array.fill(1000)(0.toByte))
    Using.resource(new SplitReader(own, Split(tasks), 4096)) { reader =>
      for (i <- 0 until 5) assert(reader.next() && reader.task.fragmentId == i)
      val e = intercept[LanceFormatException](while (reader.next()) ())
      assert(e.location.file.contains(tasks(5).files.head.path))
    }
  }

  test("a read that ends early opens few fragments, and leaves no request or open file behind") {
    val own = new MemoryStore(profile.copy(lane = "split ends early"))
    val tasks = Vector.tabulate(100)(i => fragment(own, i, columns, files = 1, rows = 300))
    val counting = new CountingStore(own)
    Using.resource(new SplitReader(counting, Split(tasks), 4096))(reader => assert(reader.next()))
    eventually(assert(counting.open == 0 && IoScheduler.shared.requests("split ends early") == 0))
    assert(counting.opened <= 5, s"${counting.opened} files")
  }
}

private object SplitReadAheadSuite {
  private val profile = ReadProfile.remote("split ahead").copy(minRequests = 64)
  private val memory = new MemoryStore(profile)

  private def fields(n: Int): Vector[Field] =
    Vector.tabulate(n)(i => Field(i, s"n$i", Integer(64, signed = true), nullable = false))

  /** Counts files. */
  final private class CountingStore(inner: ObjectStore, beforeRead: () => Unit = () => ())
      extends DelegatingStore(inner) {
    private var all = 0
    private var closed = 0
    def opened: Int = synchronized(all)
    def open: Int = synchronized(all - closed)

    override def open(path: String, knownSize: Option[Long]): ReadableFile = {
      synchronized(all += 1)
      new io.sparklance.testkit.DelegatingFile(super.open(path, knownSize)) {
        override def read(range: ByteRange, target: Array[Byte], at: Int): Unit = {
          beforeRead()
          super.read(range, target, at)
        }

        override def close(): Unit = {
          CountingStore.this.synchronized(closed += 1)
          super.close()
        }
      }
    }
  }

  /** The first column counts rows of all fragments, the second those of the fragment. */
  /** @param others values of the columns after the first one, by row */
  private def fragment(
      store: MemoryStore,
      id: Int,
      columns: Vector[Field],
      files: Int,
      rows: Int,
      others: Long => Long = identity
  ): FragmentTask = {
    val sources = columns.grouped(columns.size / files).map { some =>
      val writer = new FragmentWriter(store, s"/f$id", LanceSchema(some), FileVersion.V2_2)
      for (row <- 0 until rows) {
        writer.columns.zip(some).foreach { case (column, field) =>
          column.nulls.appendValid(1)
          column.values match {
            case block: Fixed64Block =>
              block.append(if (field.id == 0) id.toLong * rows + row else others(row.toLong))
            case other => throw new IllegalStateException(s"$other")
          }
        }
        writer.rowWritten()
      }
      val file = writer.finish()
      FileSource(s"/f$id/data/${file.fileName}", Some(file.sizeBytes), file.fieldIds, file.columnIndices)
    }.toVector
    FragmentTask(id.toLong, sources, rows.toLong, None, RowRanges(0, rows.toLong), columns)
  }

  /** The values of the first column. */
  private def numbers(reader: SplitReader): Vector[Long] =
    Iterator.continually(reader.next()).takeWhile(identity).flatMap { _ =>
      reader.columns.head.values match {
        case block: Fixed64Block => block.values.take(reader.rowCount).toVector
        case other => throw new IllegalStateException(s"$other")
      }
    }.toVector
}
