package io.sparklance

import scala.collection.mutable

/** A cache of the values that were used last, up to a total weight. For any number of threads; two of them
  * may compute the same value.
  */
final private[sparklance] class WeightedCache[K, V](maxWeight: Long) {
  // Ordered by use, last used last.
  private val entries = mutable.LinkedHashMap.empty[K, (V, Long)]
  private var weight = 0L

  def getOrElseUpdate(key: K, weigh: V => Long)(compute: => V): V = find(key).getOrElse {
    val value = compute
    put(key, value, weigh(value))
    value
  }

  /** Returns the value of a key, if it is still kept. */
  def find(key: K): Option[V] = synchronized {
    entries.remove(key).map { entry =>
      entries.put(key, entry)
      entry._1
    }
  }

  def clear(): Unit = synchronized {
    entries.clear()
    weight = 0
  }

  /** Keeps a value, unless it is larger than the whole cache. */
  def put(key: K, value: V, added: Long): Unit = if (added <= maxWeight) synchronized {
    entries.put(key, (value, added)).foreach(weight -= _._2)
    weight += added
    while (weight > maxWeight && entries.nonEmpty) {
      val (oldest, (_, dropped)) = entries.head
      entries.remove(oldest)
      weight -= dropped
    }
  }
}
