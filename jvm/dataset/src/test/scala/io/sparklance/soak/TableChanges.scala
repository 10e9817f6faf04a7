package io.sparklance.soak

import java.util.concurrent.ConcurrentLinkedQueue
import java.util.concurrent.atomic.AtomicLong

import scala.jdk.CollectionConverters._

/** A change of a table.
  *
  * @param table
  *   its number
  */
final private case class Change(
    table: Int,
    added: Vector[Long] = Vector.empty,
    removed: Vector[Long] = Vector.empty
)

/** The changes that writers of the core have tried, and those that they have committed. */
final private class TableChanges {
  import TableChanges._

  private val tried = new ConcurrentLinkedQueue[Change]
  private val done = new ConcurrentLinkedQueue[(Long, Change)]
  private val lastId = new AtomicLong(FirstOwn)

  def nextId(): Long = lastId.incrementAndGet()

  def committed: Int = done.size

  /** @param commit returns the version */
  def record(change: Change)(commit: => Long): Unit = {
    tried.add(change)
    val _ = done.add(commit -> change)
  }

  /** Compares a table with the changes: no row is lost, doubled, foreign, or back after its deletion. */
  def check(seen: Recreation.Seen): Unit = {
    val open = tried.asScala.filter(_.table == seen.number).toVector
    val made = done.asScala.collect {
      case (version, change) if change.table == seen.number && version <= seen.version => change
    }.toVector
    val found = seen.ids.filter(isOurs)
    val lost = made.flatMap(_.added).toSet -- open.flatMap(_.removed) -- found
    val back = made.flatMap(_.removed).toSet.intersect(found.toSet)
    val foreign = found.toSet -- open.flatMap(_.added)
    require(seen.ids.distinct.size == seen.ids.size, s"rows are doubled in table ${seen.number}: ${seen.ids}")
    require(lost.isEmpty, s"table ${seen.number} has lost rows $lost")
    require(back.isEmpty, s"deleted rows are in table ${seen.number}: $back")
    require(foreign.isEmpty, s"table ${seen.number} has rows of another one: $foreign")
  }
}

private object TableChanges {

  /** Ids of rows that writers of the core add. */
  private val FirstOwn = 1000L

  /** Ids of rows that Spark adds. */
  private val FirstOfSpark = 1000000000L

  def isOurs(id: Long): Boolean = id >= FirstOwn && id < FirstOfSpark
}
