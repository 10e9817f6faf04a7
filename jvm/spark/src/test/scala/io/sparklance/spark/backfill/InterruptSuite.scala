package io.sparklance.spark.backfill

import java.util.concurrent.CountDownLatch

import org.apache.spark.SparkContext
import org.apache.spark.sql.SparkSession

import io.sparklance.spark.backfill.InterruptSuite._

/** Procedures whose thread is interrupted, as by the stop button of a notebook. */
class InterruptSuite extends BackfillTables {
  private def context: SparkContext = spark.sparkContext
  private def active: Set[Int] = context.statusTracker.getActiveJobIds().toSet

  /** Runs `body` while no task can begin, interrupts it once its job waits, and returns how it failed. */
  private def interrupted(body: => Any): Throwable = {
    // A job of an earlier suite may not have ended.
    eventually(assert(active.isEmpty))
    val gate = new Gate
    val others = thread(context.parallelize(0 until 2, 2).foreach(_ => gate.await()))
    try {
      eventually(assert(active.size == 1))
      val before = active
      var failure = Option.empty[Throwable]
      val mine = thread {
        try { val _ = body }
        catch { case e: Throwable => failure = Some(e) }
      }
      eventually(assert((active -- before).nonEmpty))
      mine.interrupt()
      mine.join()
      eventually(assert(active == before))
      failure.get
    } finally {
      gate.open()
      others.join()
    }
  }

  private def thread(body: => Any): Thread = {
    val started = new Thread(() => {
      SparkSession.setActiveSession(spark)
      val _ = body
    })
    started.start()
    started
  }

  test("an interrupt ends the jobs of a procedure, and nothing is committed") {
    val path = table(3)
    Seq(
      s"compact('$path')",
      s"create_index('$path', 'id', 'BTREE')",
      s"add_columns(table => '$path', columns => map('y', 'id + 1'), job_id => 'j')"
    ).foreach { call =>
      val failure = interrupted(sql(s"CALL lance.system.$call"))
      val said = Iterator.iterate(failure)(_.getCause).takeWhile(_ != null).map(_.toString).mkString("\n")
      assert(said.contains("InterruptedException") && !said.contains("dropped"), said)
    }
    assert(dataset(path).version == 3)
    val _ = add(path, "'y', 'id + 1'", ", job_id => 'j'")
    assert(load(path).where("y = id + 1").count() == 30)
  }
}

private object InterruptSuite {

  /** A latch of this JVM, for tasks. */
  final class Gate extends Serializable {
    latch = new CountDownLatch(1)
    def await(): Unit = latch.await()
    def open(): Unit = latch.countDown()
  }
  @volatile private var latch: CountDownLatch = _
}
