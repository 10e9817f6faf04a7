package io.sparklance.io

import java.io.IOException
import java.util.concurrent.CountDownLatch
import java.util.concurrent.atomic.AtomicInteger

import scala.concurrent.duration._
import scala.jdk.CollectionConverters._

import org.scalatest.concurrent.Eventually
import org.scalatest.funsuite.AnyFunSuite
import org.scalatest.time.{Millis, Seconds, Span}

import io.sparklance.data.ByteRange
import io.sparklance.testkit.GatedFile

class IoSchedulerSuite extends AnyFunSuite with Eventually {
  implicit override val patienceConfig: PatienceConfig = PatienceConfig(Span(20, Seconds), Span(5, Millis))

  private def profile(lane: String, maxRequests: Int) =
    ReadProfile(lane, maxRequests, readAhead = 1L << 20, maxGap = 0, maxLength = 1L << 20)

  /** A read of one byte at the offset of its row. */
  private def read(file: ReadableFile, row: Long): Read =
    new Read(file, ByteRange(row, 1), row, new Array(1), 0)

  private def withScheduler(body: IoScheduler => Any): Unit = {
    val scheduler = new IoScheduler(10.millis)
    val _ = (body(scheduler), eventually(assert(threads(scheduler) == 0, "threads are left")))
  }

  private def threads(scheduler: IoScheduler): Int =
    Thread.getAllStackTraces.keySet.asScala.count(t =>
      t.isAlive && t.getName.startsWith(scheduler.threadName)
    )

  test("a store has no more requests at a time than it should, of however many tasks") {
    withScheduler { scheduler =>
      val file = new GatedFile
      val clients = Vector.fill(5)(scheduler.client(profile("a", 3)))
      val reads = clients.map(client => client -> Vector.tabulate(20)(i => read(file, i.toLong)))
      reads.foreach { case (client, own) => client.begin(own) }
      eventually(assert(file.offsets.size == 3))
      assert(scheduler.requests("a") == 3)
      file.letThrough(100)
      reads.foreach { case (client, own) => own.foreach(client.await) }
      assert(file.mostAtATime == 3 && file.offsets.size == 100)
      eventually(assert(scheduler.requests("a") == 0))
    }
  }

  test("after a failure fewer requests run at a time, and those that run go on") {
    withScheduler { scheduler =>
      val file = new GatedFile
      val client = scheduler.client(profile("a", 8).copy(minRequests = 2))
      val reads = Vector.tabulate(20)(i => read(file, i.toLong))
      client.begin(reads)
      eventually(assert(file.offsets.size == 8))
      scheduler.slowedDown("a")
      assert(scheduler.limit(client.profile) == 5 && scheduler.requests("a") == 8)
      file.letThrough(4)
      eventually(assert(file.offsets.size == 9 && scheduler.requests("a") == 5))
      file.letThrough(20)
      reads.foreach(client.await)
    }
  }

  test("when more requests may run, reads that wait start at once") {
    withScheduler { scheduler =>
      val file = new GatedFile
      val client = scheduler.client(profile("a", 128).copy(minRequests = 4))
      val reads = Vector.tabulate(100)(i => read(file, i.toLong))
      client.begin(reads)
      eventually(assert(scheduler.requests("a") == 15))
      file.letThrough(15)
      eventually(assert(scheduler.requests("a") == 30))
      file.letThrough(85)
      reads.foreach(client.await)
    }
  }

  test("stores do not wait for each other") {
    withScheduler { scheduler =>
      val (slow, quick) = (new GatedFile, new GatedFile)
      val held = scheduler.client(profile("slow", 1))
      val waiting = read(slow, 1)
      held.begin(Vector(waiting))
      val free = scheduler.client(profile("quick", 1))
      quick.letThrough(1)
      val other = read(quick, 1)
      free.begin(Vector(other))
      free.await(other)
      slow.letThrough(1)
      held.await(waiting)
    }
  }

  test("tasks take turns, whatever they wait for") {
    withScheduler { scheduler =>
      val file = new GatedFile
      val many = scheduler.client(profile("a", 1))
      val few = scheduler.client(profile("a", 1))
      many.begin(Vector.tabulate(50)(i => read(file, i.toLong)))
      eventually(assert(file.offsets.size == 1))
      val wanted = Vector(read(file, 1000), read(file, 1001))
      few.begin(wanted)
      file.letThrough(6)
      eventually(assert(file.offsets.size == 7))
      assert(file.offsets.take(5) == Vector(0, 1, 1000, 2, 1001))
      many.close()
      file.letThrough(1)
    }
  }

  test("of a task's reads the one of the lowest row goes first") {
    withScheduler { scheduler =>
      val file = new GatedFile
      val client = scheduler.client(profile("a", 1))
      client.begin(Vector(read(file, 50)))
      eventually(assert(file.offsets.size == 1))
      val rows = Vector(7L, 3L, 900L, 5L, 1L)
      val reads = rows.map(read(file, _))
      client.begin(reads)
      file.letThrough(6)
      reads.foreach(client.await)
      assert(file.offsets == 50L +: rows.sorted)
    }
  }

  test("who waits for a read that has not begun carries it out himself") {
    withScheduler { scheduler =>
      val client = scheduler.client(profile("a", 2).copy(readAhead = 0))
      val file = new GatedFile
      file.letThrough(2)
      val reads = Vector(read(file, 1), read(file, 2))
      client.begin(reads)
      reads.foreach(client.await)
      assert(threads(scheduler) == 0 && file.offsets == Vector(1, 2))
      assert(client.stats.requests == 2 && client.stats.bytes == 2)
    }
  }

  test("a failure reaches the one who waits, and the store goes on") {
    withScheduler { scheduler =>
      val broken = new ReadableFile {
        val path = "broken"
        val size = 100L
        def stamp: Option[FileStamp] = None
        def read(range: ByteRange, target: Array[Byte], at: Int): Unit =
          if (range.offset == 1) throw new OutOfMemoryError("as if") else throw new IOException("gone")
        def close(): Unit = ()
      }
      val client = scheduler.client(profile("a", 1))
      val reads = Vector(read(broken, 1), read(broken, 2))
      client.begin(reads)
      assert(intercept[OutOfMemoryError](client.await(reads(0))).getMessage == "as if")
      assert(intercept[IOException](client.await(reads(1))).getMessage == "gone")
      val file = new GatedFile
      file.letThrough(1)
      val fine = read(file, 3)
      client.begin(Vector(fine))
      client.await(fine)
    }
  }

  test("a task that ends gives up what has not begun, at once") {
    withScheduler { scheduler =>
      val file = new GatedFile
      val client = scheduler.client(profile("a", 1))
      val reads = Vector.tabulate(20)(i => read(file, i.toLong))
      client.begin(reads)
      eventually(assert(file.offsets.size == 1))
      client.close()
      assert(intercept[IOException](client.await(reads(5))).getMessage == "the scan was closed")
      val late = read(file, 9)
      client.begin(Vector(late))
      intercept[IOException](client.await(late))
      file.letThrough(1)
      client.await(reads(0))
      eventually(assert(scheduler.requests("a") == 0))
      assert(file.offsets == Vector(0))
    }
  }

  test("all tasks share the bytes of read-ahead, and a task that ends frees its own") {
    withScheduler { scheduler =>
      val (one, other) = (scheduler.client(profile("a", 1)), scheduler.client(profile("a", 1)))
      one.hold(300000)
      assert(one.room == (1 << 20) - 300000 && one.share == (1 << 20))
      other.hold(1)
      assert(one.room == (1 << 19) - 300000 && other.room == (1 << 19) - 1)
      one.hold(600000)
      assert(one.room < 0 && other.room == (1 << 20) - 900001)
      one.close()
      assert(other.room == (1 << 20) - 1)
      other.close()
    }
  }

  test("a task's reads of an earlier fragment go first, and one fragment is closed by itself") {
    withScheduler { scheduler =>
      val file = new GatedFile
      val task = scheduler.task(profile("a", 1))
      val clients = Vector.tabulate(3)(task.client)
      clients(0).begin(Vector(read(file, 50)))
      eventually(assert(file.offsets.size == 1))
      val reads = clients.indices.reverse.map(i => clients(i) -> read(file, 10L + i))
      reads.foreach { case (client, own) => client.begin(Vector(own)) }
      clients(1).close()
      assert(intercept[IOException](clients(1).await(reads(1)._2)).getMessage == "the scan was closed")
      file.letThrough(3)
      clients(0).await(reads(2)._2)
      clients(2).await(reads(0)._2)
      assert(file.offsets == Vector(50, 10, 12))
      task.close()
      val late = read(file, 9)
      clients(0).begin(Vector(late))
      intercept[IOException](clients(0).await(late))
    }
  }

  test("a task that is interrupted while it waits ends") {
    withScheduler { scheduler =>
      val file = new GatedFile
      val client = scheduler.client(profile("a", 1))
      val reads = Vector(read(file, 1), read(file, 2))
      client.begin(reads)
      eventually(assert(file.offsets.size == 1))
      @volatile var seen = Option.empty[Throwable]
      val waiting = new Thread(() =>
        try client.await(reads(0))
        catch { case e: InterruptedException => seen = Some(e) }
      )
      waiting.start()
      waiting.interrupt()
      waiting.join()
      assert(seen.isDefined)
      client.close()
      file.letThrough(1)
    }
  }

  test("many items share a number of threads; results and failures are in the order of the items") {
    withScheduler { scheduler =>
      val all = new CountDownLatch(IoTask.MostForks)
      val (running, most) = (new AtomicInteger, new AtomicInteger)
      val found = scheduler.task(profile("a", 1)).map(Vector.range(0, 500)) { i =>
        most.accumulateAndGet(running.incrementAndGet(), math.max(_, _))
        all.countDown()
        all.await()
        running.decrementAndGet()
        if (i % 100 == 7) throw new IOException(s"item $i")
        i
      }
      assert(most.get == IoTask.MostForks)
      assert(found.map(_.fold(_.getMessage, _.toString)) ==
        Vector.range(0, 500).map(i => if (i % 100 == 7) s"item $i" else s"$i"))
    }
  }
}
