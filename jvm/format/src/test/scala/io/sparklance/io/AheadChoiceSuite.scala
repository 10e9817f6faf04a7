package io.sparklance.io

import scala.concurrent.duration._

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.data.ByteRange

/** Tasks that read 4 MiB each, and wait for a given time. */
class AheadChoiceSuite extends AnyFunSuite {
  private val bytes = 4L << 20

  /** Runs tasks. Returns which of them read ahead.
    *
    * @param nanos
    *   that a task waits for a byte, on demand and ahead
    */
  private def run(choice: AheadChoice, tasks: Int)(nanos: Boolean => Double): Vector[Boolean] =
    Vector.fill(tasks) {
      val isAhead = choice.next()
      choice.ended(isAhead, bytes, (bytes * nanos(isAhead)).toLong)
      isAhead
    }

  test("files of the page cache are read on demand, also if some tasks have to wait for the processor") {
    assert(!run(new AheadChoice, 200)(_ => 0.2).contains(true))
    var task = 0
    assert(!run(new AheadChoice, 200) { _ =>
      task += 1
      if (task % 3 == 0) 0.2 else 5
    }.contains(true))
  }

  test("a disk that makes tasks wait is read ahead, if they wait for less then, and on demand if not") {
    val better = run(new AheadChoice, 200)(if (_) 0.3 else 4)
    assert(!better.take(4).contains(true) && better.count(identity) > 170)
    assert(better.drop(20).contains(false))
    val same = run(new AheadChoice, 200)(if (_) 3.5 else 4)
    assert(same.count(identity) < 25 && same.drop(20).contains(true))
  }

  test("files that come into the page cache are read on demand again") {
    val choice = new AheadChoice
    assert(run(choice, 50)(if (_) 0.3 else 4).contains(true))
    assert(!run(choice, 200)(if (_) 0.1 else 0.2).takeRight(150).contains(true))
  }

  test("small tasks change nothing") {
    val choice = new AheadChoice
    for (_ <- 0 until 100) {
      choice.ended(wasAhead = false, bytes = 1000, waitedNanos = 1000000)
      assert(!choice.next())
    }
  }

  test("a scheduler chooses for each task, unless an option says how much is read ahead") {
    var now = 0L
    val scheduler = new IoScheduler(10.millis, () => now)
    val slow = new ReadableFile {
      val path = "slow"
      val size: Long = 1L << 30
      def stamp: Option[FileStamp] = None
      def read(range: ByteRange, target: Array[Byte], at: Int): Unit = now += 4 * range.length
      def close(): Unit = ()
    }
    def isAhead(profile: ReadProfile): Boolean = {
      val task = scheduler.task(profile)
      val client = task.client(0)
      val read = new Read(slow, ByteRange(0, bytes), 0, new Array(bytes.toInt), 0)
      if (!task.isAhead) {
        client.begin(Vector(read))
        client.await(read)
      }
      client.close()
      client.close()
      task.close()
      task.isAhead
    }
    val profile = ReadProfile.LocalDisk.copy(lane = "chosen")
    assert(Vector.fill(5)(isAhead(profile)) == Vector(false, false, false, false, true))
    assert(scheduler.task(profile).profile.readAhead == profile.mayReadAhead)
    assert(!isAhead(ReadTuning(readAhead = Some(0)).of(profile)))
  }
}
