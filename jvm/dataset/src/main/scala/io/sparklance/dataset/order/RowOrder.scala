package io.sparklance.dataset.order

import io.sparklance.data.NullMask
import io.sparklance.dataset.predicate.LeafValues
import io.sparklance.schema.Leaf

sealed private[sparklance] trait Direction extends Product with Serializable

private[sparklance] object Direction {
  case object Ascending extends Direction
  case object Descending extends Direction
}

/** Position of nulls in an order. */
sealed private[sparklance] trait NullPlace extends Product with Serializable

private[sparklance] object NullPlace {
  case object First extends NullPlace
  case object Last extends NullPlace
}

/** An order of rows by the values of a leaf outside of lists. NaNs are greater than all numbers.
  *
  * Every row has a rank; the first rows have the greatest. Rows with different values may have equal ranks.
  */
final private[sparklance] case class RowOrder private (leaf: Leaf, direction: Direction, nulls: NullPlace) {
  @transient private lazy val keys = SortKeys.of(leaf.field.logicalType)
    .getOrElse(throw new IllegalArgumentException(s"no order of ${leaf.name}"))

  /** Whether rows of equal rank have equal values, except at the smallest and the greatest rank. */
  private[dataset] def isExact: Boolean = keys.areExact

  /** Returns the rank of a value with this key. */
  private[dataset] def rank(key: Long): Long = direction match {
    case Direction.Ascending => ~key
    case Direction.Descending => key
  }

  /** Rank of NaNs, if the type has them. */
  private[dataset] def nanRank: Option[Long] = keys.nan.map(rank)

  private[dataset] def nullRank: Long = nulls match {
    case NullPlace.First => Long.MaxValue
    case NullPlace.Last => Long.MinValue
  }

  /** Writes the ranks of the rows at `positions[0 until count]` to `out`. */
  private[dataset] def ranks(
      values: LeafValues,
      positions: Array[Int],
      count: Int,
      out: Array[Long]
  ): Unit = {
    keys.gather(values.values, positions, count, out)
    direction match {
      case Direction.Descending => ()
      case Direction.Ascending =>
        var i = 0
        while (i < count) { out(i) = ~out(i); i += 1 }
    }
    values.nulls.foreach(mask => if (mask.hasNulls) rankNulls(mask, positions, count, out))
  }

  private def rankNulls(mask: NullMask, positions: Array[Int], count: Int, out: Array[Long]): Unit = {
    val nulls = mask.orNull
    val rank = nullRank
    var i = 0
    while (i < count) {
      if (nulls(positions(i))) out(i) = rank
      i += 1
    }
  }
}

private[sparklance] object RowOrder {

  /** Returns None if the leaf's values have no ranks. */
  def of(leaf: Leaf, direction: Direction, nulls: NullPlace): Option[RowOrder] =
    SortKeys.of(leaf.field.logicalType).map(_ => new RowOrder(leaf, direction, nulls))
}
