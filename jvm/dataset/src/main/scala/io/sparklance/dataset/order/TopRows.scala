package io.sparklance.dataset.order

/** The first rows of an order. Each reader of a part of the rows may return more, but not fewer.
  *
  * @param limit
  *   number of rows
  */
final private[sparklance] case class TopRows(order: RowOrder, limit: Int, ties: Ties) {
  require(limit > 0 && limit <= TopRows.MaxLimit, s"the first $limit rows")
}

private[sparklance] object TopRows {

  /** Largest limit. The more rows may be among the first, the smaller is the gain over sorting all. */
  final val MaxLimit = 1 << 13
}
