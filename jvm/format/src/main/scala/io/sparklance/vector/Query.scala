package io.sparklance.vector

import io.sparklance.LanceUsageException
import io.sparklance.data.Halves

/** A vector to search for, or several that are searched for together in a column of lists of vectors. */
final private[sparklance] class Query(val vectors: Vector[Array[Double]]) extends Serializable {
  override def hashCode: Int = vectors.map(java.util.Arrays.hashCode(_)).hashCode
  override def equals(other: Any): Boolean = other match {
    case that: Query => vectors.corresponds(that.vectors)(java.util.Arrays.equals(_, _))
    case _ => false
  }
}

private[sparklance] object Query {

  /** Returns the query rounded to the items of a column. Fails if it does not fit the column.
    *
    * @param nans
    *   whether items may be NaN
    */
  def fitted(query: Query, column: VectorColumn, nans: NanRank = NanRank.Out): Query = {
    if (query.vectors.size != 1 && !column.isMulti)
      throw new LanceUsageException(
        s"A query of ${query.vectors.size} vectors was given for column '${column.field.name}', whose rows have one " +
          "vector each. Give one vector."
      )
    new Query(query.vectors.map(fittedVector(_, column, nans)))
  }

  private def fittedVector(vector: Array[Double], column: VectorColumn, nans: NanRank): Array[Double] = {
    val name = column.field.name
    if (vector.length != column.dimension)
      throw new LanceUsageException(
        s"The query vector has ${vector.length} items, but the vectors of column '$name' have ${column.dimension}. " +
          s"Give a vector of ${column.dimension} items."
      )
    if (nans == NanRank.Out && vector.exists(_.isNaN))
      throw new LanceUsageException(
        s"The query vector for column '$name' has NaN among its items, from which no distance is known. Give numbers."
      )
    vector.map(rounded(_, column))
  }

  private def rounded(value: Double, column: VectorColumn): Double = column.item match {
    case VectorItem.Float16 => Halves.number(Halves.bits(value))
    case VectorItem.BFloat16 | VectorItem.Float32 => value.toFloat.toDouble
    case VectorItem.Float64 => value
    case VectorItem.Int8 => integer(value, Byte.MinValue, Byte.MaxValue, column)
    case VectorItem.UInt8 => integer(value, 0, 255, column)
  }

  private def integer(value: Double, least: Int, greatest: Int, column: VectorColumn): Double =
    if (value >= least && value <= greatest && value == math.rint(value)) value
    else
      throw new LanceUsageException(
        s"The query vector has the item $value, but column '${column.field.name}' has vectors of ${column.item.name}. Give " +
          s"whole numbers from $least to $greatest."
      )
}
