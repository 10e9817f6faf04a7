package io.sparklance.spark.session

import java.util.{LinkedHashMap, Map => JMap}

import scala.util.Try

import org.apache.spark.sql.classic.SparkSession

import io.sparklance.dataset.CommitListeners

/** Refreshes what a session has cached by name when it commits to the table by another name, by its path, or
  * in a procedure. Spark keeps such a table at its version, and refreshes it only after its own statements on
  * that name.
  */
private[spark] object CachedTables {

  /** Most locations of which names are kept. */
  final private val Most = 1000

  /** Names by which tables were opened, by location. */
  private val names = new LinkedHashMap[String, Set[String]] {
    override def removeEldestEntry(eldest: JMap.Entry[String, Set[String]]): Boolean = size > Most
  }

  // A table that was opened by no name is cached by none.
  CommitListeners.add(refresh)

  def opened(location: TableLocation, name: String): Unit = names.synchronized {
    val _ = names.put(location.root, names.getOrDefault(location.root, Set.empty) + name)
  }

  private def refresh(root: String): Unit =
    SparkSession.getActiveSession.filterNot(_.sharedState.cacheManager.isEmpty).foreach { session =>
      names.synchronized(names.getOrDefault(root, Set.empty)).foreach { name =>
        // A table that is gone by that name is not cached.
        if (Try(session.catalog.isCached(name)).getOrElse(false)) session.catalog.refreshTable(name)
      }
    }
}
