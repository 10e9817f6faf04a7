package io.sparklance.spark.backfill

import java.nio.file.{Files, Path}
import java.util.concurrent.atomic.AtomicBoolean

import scala.collection.mutable

import org.apache.spark.TaskContext
import org.apache.spark.sql.execution.QueryExecution
import org.apache.spark.sql.util.QueryExecutionListener
import org.apache.spark.sql.{DataFrame, Row}

import io.sparklance.dataset.Dataset
import io.sparklance.io.LocalStore
import io.sparklance.spark.SparkSuite

/** Tables whose columns are backfilled. */
trait BackfillTables extends SparkSuite {

  /** Fragments of ten rows each: `id`, and `x` ten times as much. */
  protected def table(fragments: Int, options: (String, String)*): String = {
    val path = freshPath()
    (0 until fragments).foreach { i =>
      spark.range(10L * i, 10L * i + 10).coalesce(1).selectExpr("id", "id * 10 AS x")
        .write.format("lance").options(options.toMap).mode("append").save(path)
    }
    path
  }

  protected def add(path: String, columns: String, more: String = ""): Row =
    sql(s"CALL lance.system.add_columns(table => '$path', columns => map($columns)$more)").head()

  protected def update(path: String, columns: String, more: String = ""): Row =
    sql(s"CALL lance.system.update_columns(table => '$path', columns => map($columns)$more)").head()

  protected def write(rows: DataFrame, path: String, kind: String, options: (String, String)*): Unit =
    rows.write.format("lance").mode("append").option("columns", kind).options(options.toMap).save(path)

  protected def dataset(path: String): Dataset = Dataset.open(LocalStore, path)

  protected def names(path: String): Set[String] = dataFiles(path).map(Path.of(_).getFileName.toString).toSet

  protected def jobs(path: String): Seq[String] = {
    val folder = Path.of(path, "_sparklance")
    if (!Files.exists(folder)) Seq.empty else folder.toFile.list.toSeq
  }

  /** The plans that ran. */
  protected def plans(body: => Unit): Seq[String] = {
    val found = mutable.Buffer.empty[String]
    val listener = new QueryExecutionListener {
      override def onSuccess(name: String, query: QueryExecution, nanos: Long): Unit =
        found.synchronized { val _ = found += query.executedPlan.toString }
      override def onFailure(name: String, query: QueryExecution, e: Exception): Unit = ()
    }
    spark.listenerManager.register(listener)
    try {
      body
      eventually(assert(found.synchronized(found.exists(_.contains("columns of")))))
    } finally spark.listenerManager.unregister(listener)
    found.synchronized(found.toSeq)
  }

  protected def once(action: => Unit): Long => Long = {
    BackfillTables.action = () => action
    BackfillTables.isDone.set(false)
    BackfillTables.run
  }
}

private[backfill] object BackfillTables {
  val fails = new AtomicBoolean
  val isDone = new AtomicBoolean
  @volatile var action: () => Unit = () => ()

  /** Does something of which a test knows with the first row of all. */
  val run: Long => Long = { i =>
    if (isDone.compareAndSet(false, true)) {
      // Tasks have no session of their own.
      val other = new Thread(() => action())
      other.start()
      other.join()
    }
    i
  }

  /** Whether the first attempt of a task has come to its last rows. */
  val waits = new AtomicBoolean

  val stuck: Long => Long = { i =>
    if (i == 35 && TaskContext.get().attemptNumber() == 0) {
      waits.set(true)
      Thread.sleep(3600 * 1000L)
    }
    i
  }

  val failAt20: Long => Long = i => if (i == 20 && fails.get) throw new RuntimeException("by design") else i
}
