package io.sparklance.spark.maintenance

import java.util.concurrent.ConcurrentHashMap

import scala.util.control.NonFatal

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.execution.SQLExecution
import org.slf4j.LoggerFactory

import io.sparklance.dataset.Dataset
import io.sparklance.dataset.compaction.CompactionOptions
import io.sparklance.dataset.write.RewriteSettings
import io.sparklance.spark.history.Statement
import io.sparklance.spark.index.IndexRefresh
import io.sparklance.spark.options.LanceOptions
import io.sparklance.spark.session.TableLocation

/** Compacts tables beside the streams that write to them. A table has one compaction at a time. A failure,
  * such as a conflict with a later epoch, is only logged: the next compaction does the work.
  */
private[spark] object StreamCompaction {
  private val log = LoggerFactory.getLogger(getClass)
  private val running = ConcurrentHashMap.newKeySet[String]()

  /** Starts a compaction in a thread of its own, unless the table has one. */
  def start(location: TableLocation): Unit = if (running.add(location.root)) {
    val session = SparkSession.active
    val thread = new Thread(
      () =>
        try inSession(session)(compact(location))
        catch {
          case NonFatal(e) =>
            log.warn(s"cannot compact $location after an epoch; a later compaction does it", e)
        } finally { val _ = running.remove(location.root) },
      s"compaction of $location"
    )
    thread.setDaemon(true)
    thread.start()
  }

  /** The thread inherits the properties of the query, whose end would cancel jobs of its group. */
  private def inSession(session: SparkSession)(body: => Unit): Unit = {
    SparkSession.setActiveSession(session)
    session.sparkContext.clearJobGroup()
    session.sparkContext.setLocalProperty(SQLExecution.EXECUTION_ID_KEY, null)
    body
  }

  private def compact(location: TableLocation): Unit = {
    val before = Dataset.open(location.store, location.root)
    val limits = LanceOptions.sessionWrite.limits
    val groups = limits.apart.in(before.schema)
    val how = RewriteSettings(limits.bufferBytes, limits.compression, limits.statistics, groups)
    val options = CompactionOptions.of(before.config, Map.empty).copy(groups = groups)
    val outcome =
      new CompactionJob(
        location,
        how
      ).run(before, options, (operation, at) => OPTIMIZE.properties(operation, Some(at)))
    val _ = IndexRefresh.afterMoves(location, before, outcome.dataset)
  }

  private val OPTIMIZE = Statement("OPTIMIZE")
}
