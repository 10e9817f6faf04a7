package io.sparklance.spark.read

import org.apache.spark.sql.connector.expressions.{
  NamedReference,
  NullOrdering,
  SortDirection,
  SortOrder => SparkOrder
}

import io.sparklance.dataset.order.{Direction, NullPlace, RowOrder, Ties, TopRows}

/** `ORDER BY … LIMIT` as what a scan can do of it: leave out rows of which it sees that others come before them. Spark sorts
  * what is left. Of several keys only the first is looked at.
  *
  * @param pushdown tells which columns are sorted as Spark would sort what it is shown of them
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

object TopPushdown {

  /** As EXPLAIN shows it. */
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
