package io.sparklance.spark.session

import java.util.{LinkedHashMap, Map => JMap}

import scala.util.Try

import org.apache.spark.sql.classic.SparkSession

import io.sparklance.dataset.Dataset

/** Refreshes what a session has cached by name when a procedure commits to the table by its location. Spark
  * keeps such a table at its version, and refreshes it only after its own statements on that name.
  */
private[spark] object CachedTables {

  /** Most locations of which names are kept. */
  final private val Most = 1000

  /** Names by which tables were opened, by location. */
  private val names = new LinkedHashMap[String, Set[String]] {
    override def removeEldestEntry(eldest: JMap.Entry[String, Set[String]]): Boolean = size > Most
  }

  def opened(location: TableLocation, name: String): Unit = names.synchronized {
    val _ = names.put(location.root, names.getOrDefault(location.root, Set.empty) + name)
  }

  /** Runs what may commit to a table, and then refreshes the table's names that are cached, if it did. */
  def during[A](location: => TableLocation)(body: => A): A =
    SparkSession.getActiveSession.filterNot(_.sharedState.cacheManager.isEmpty) match {
      case None => body
      case Some(session) =>
        val place = Try(location).toOption
        val before = place.flatMap(version)
        val done = body
        place.filter(version(_) != before).foreach(changed => refresh(session, changed))
        done
    }

  private def version(location: TableLocation): Option[Long] =
    Try(Dataset.latestVersion(location.store, location.root)).toOption.flatten

  private def refresh(session: SparkSession, location: TableLocation): Unit =
    names.synchronized(names.getOrDefault(location.root, Set.empty)).foreach { name =>
      // A table that is gone by that name is not cached.
      if (Try(session.catalog.isCached(name)).getOrElse(false)) session.catalog.refreshTable(name)
    }
}
