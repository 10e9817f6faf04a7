package io.sparklance.dataset.order

/** The first rows of an order. Those that read some rows each may bring more of them than asked for, but none too few.
  *
  * @param limit how many
  */
final case class TopRows(order: RowOrder, limit: Int, ties: Ties) {
  require(limit > 0 && limit <= TopRows.MaxLimit, s"the first $limit rows")
}

object TopRows {

  /** More are better sorted by whoever asks for them: the more rows may be among the first, the less is gained. */
  final val MaxLimit = 1 << 13
}

/** What becomes of rows of which enough are alike. */
sealed trait Ties extends Product with Serializable

object Ties {

  /** All of them are kept, since other columns decide between them. */
  case object Kept extends Ties

  /** Any of them will do. */
  case object Dropped extends Ties
}
