package io.sparklance.spark.read

import org.apache.spark.sql.connector.expressions.{
  NamedReference,
  NullOrdering,
  SortDirection,
  SortOrder => SparkOrder
}

import io.sparklance.dataset.order.{Direction, NullPlace, RowOrder, Ties, TopRows}

/** Top-N pushdown: the scan of `ORDER BY … LIMIT` drops rows that cannot be among the first. Spark sorts the
  * others. Only the first sort key is used.
  *
  * @param pushdown
  *   decides for which columns stored values have Spark's order
  */
final private class TopPushdown(pushdown: Pushdown) {

  def of(keys: Vector[SparkOrder], limit: Int): Option[TopRows] = keys.headOption match {
    case Some(first) if limit > 0 && limit <= TopRows.MaxLimit =>
      val ties = if (keys.size == 1) Ties.Dropped else Ties.Kept
      order(first).map(TopRows(_, limit, ties))
    case _ => None
  }

  private def order(key: SparkOrder): Option[RowOrder] = key.expression match {
    case reference: NamedReference =>
      val direction = key.direction match {
        case SortDirection.ASCENDING => Direction.Ascending
        case SortDirection.DESCENDING => Direction.Descending
      }
      val nulls = key.nullOrdering match {
        case NullOrdering.NULLS_FIRST => NullPlace.First
        case NullOrdering.NULLS_LAST => NullPlace.Last
      }
      pushdown.comparable(reference).flatMap(RowOrder.of(_, direction, nulls))
    case _ => None
  }
}

private[sparklance] object TopPushdown {

  /** Returns the order as EXPLAIN shows it. */
  def show(top: TopRows): String = {
    val direction = top.order.direction match {
      case Direction.Ascending => "ASC"
      case Direction.Descending => "DESC"
    }
    val nulls = top.order.nulls match {
      case NullPlace.First => "FIRST"
      case NullPlace.Last => "LAST"
    }
    s"top ${top.limit} by ${top.order.leaf.name} $direction NULLS $nulls"
  }
}
