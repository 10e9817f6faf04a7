package io.sparklance.dataset.grouping

/** Sizes and a factor of hash tables with open addressing, at most half full. */
private object HashSlots {
  final val Fewest = 1 << 13

  /** 2^64 divided by the golden ratio: its products have well mixed upper bits. */
  final val Factor = 0x9e3779b97f4a7c15L

  /** Returns the number of slots for at least `entries` entries, a power of two. */
  def of(entries: Int): Int = math.max(Fewest, Integer.highestOneBit(math.max(1, entries)) << 2)
}
