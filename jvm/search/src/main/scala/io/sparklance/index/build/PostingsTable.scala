package io.sparklance.index.build

import scala.collection.mutable

/** Row sets by key, in memory, for a part of the rows that an index is built from. */
final private[sparklance] class PostingsTable[K <: AnyRef](keys: IndexKeys[K]) {
  private val sets = mutable.HashMap.empty[AnyRef, Postings]
  private val nullKeys, nullLists = new Postings
  private var bytes = 0L

  /** Bytes in memory, about. */
  def sizeInBytes: Long = bytes + nullKeys.sizeInBytes + nullLists.sizeInBytes

  def add(key: K, number: Long): Unit = {
    val set = sets.getOrElseUpdate(keys.hashable(key), new Postings)
    val before = if (set.isEmpty) -PostingsTable.EntryBytes - keys.sizeInBytes(key) else set.sizeInBytes
    set.add(number)
    bytes += set.sizeInBytes - before
  }

  def addNull(number: Long): Unit = nullKeys.add(number)

  /** Adds a row whose list is null. */
  def addNullList(number: Long): Unit = nullLists.add(number)

  /** Returns all sets, encoded, and starts again. */
  def drain(): Iterator[KeyedPostings[K]] = {
    val nulls = Vector(
      KeyedPostings.nullLists[K](nullLists.drain()),
      KeyedPostings.key(null.asInstanceOf[K], nullKeys.drain())
    )
    val all = sets.toVector
    sets.clear()
    bytes = 0
    nulls.iterator.filterNot(_.rows.length == Postings.EmptyBytes) ++
      all.iterator.map { case (key, set) => KeyedPostings.key(keys.unhashed(key), set.drain()) }
  }
}

private object PostingsTable {
  final private val EntryBytes = 100L
}

/** Rows with a key, or with a null list.
  *
  * @param group
  *   orders null lists before keys
  * @param key
  *   null for null
  * @param rows
  *   as [[Postings.encode]] writes them
  */
final private[sparklance] case class KeyedPostings[K](group: Int, key: K, rows: Array[Byte])

private[sparklance] object KeyedPostings {
  final val NullLists = 0
  final val Keys = 1

  def nullLists[K](rows: Array[Byte]): KeyedPostings[K] = KeyedPostings(NullLists, null.asInstanceOf[K], rows)
  def key[K](key: K, rows: Array[Byte]): KeyedPostings[K] = KeyedPostings(Keys, key, rows)
}
