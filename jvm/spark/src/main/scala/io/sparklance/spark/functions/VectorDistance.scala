package io.sparklance.spark.functions

import org.apache.spark.sql.catalyst.expressions.UnsafeArrayData
import org.apache.spark.sql.catalyst.util.ArrayData
import org.apache.spark.sql.connector.catalog.functions.{BoundFunction, ScalarFunction, UnboundFunction}
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.bitset.BitSetMethods

import io.sparklance.LanceUsageException
import io.sparklance.spark.errors.SparkErrors

/** A distance of two arrays of numbers: FLOAT for two arrays of floats, DOUBLE if one has doubles. Null if an
  * array or one of its items is null.
  */
final private[functions] class VectorDistance(override val name: String, metric: DistanceFormula)
    extends UnboundFunction {
  override def description(): String = s"$name(a, b): the distance of two vectors"

  override def bind(arguments: StructType): BoundFunction = arguments.fields.map(_.dataType) match {
    case Array(ArrayType(a: NumericType, _), ArrayType(b: NumericType, _)) =>
      if (a == DoubleType || b == DoubleType) new DistanceOfDoubles(name, metric)
      else new DistanceOfFloats(name, metric)
    case other => throw new UnsupportedOperationException(
        s"$name takes two arrays of numbers, not (${other.map(_.catalogString).mkString(", ")})"
      )
  }
}

/** A distance of two vectors whose items, like the distance, are of one type. */
sealed abstract private[sparklance] class Distance[A](override val name: String, item: DataType)
    extends ScalarFunction[A] {
  override def inputTypes(): Array[DataType] = Array(ArrayType(item), ArrayType(item))
  override def resultType(): DataType = item
  override def canonicalName(): String = s"sparklance.$name(${item.catalogString})"
  override def toString: String = name
  override def hashCode: Int = canonicalName().hashCode
  override def equals(other: Any): Boolean = other match {
    case that: Distance[_] => that.canonicalName() == canonicalName()
    case _ => false
  }
}

// Spark's generated code finds `invoke` by name and types, in public classes.

final private[sparklance] class DistanceOfFloats private[functions] (
    function: String,
    metric: DistanceFormula
) extends Distance[java.lang.Float](function, FloatType) {
  def invoke(a: ArrayData, b: ArrayData): java.lang.Float =
    if (Vectors.areComplete(name, a, b)) metric.of(a.toFloatArray(), b.toFloatArray()).toFloat else null
}

final private[sparklance] class DistanceOfDoubles private[functions] (
    function: String,
    metric: DistanceFormula
) extends Distance[java.lang.Double](function, DoubleType) {
  def invoke(a: ArrayData, b: ArrayData): java.lang.Double =
    if (Vectors.areComplete(name, a, b)) metric.of(a.toDoubleArray(), b.toDoubleArray()) else null
}

private object Vectors {

  /** Whether both vectors exist and have no nulls. Fails if their lengths differ. */
  def areComplete(function: String, a: ArrayData, b: ArrayData): Boolean = a != null && b != null && {
    if (a.numElements() != b.numElements())
      throw SparkErrors.translated(new LanceUsageException(
        s"$function compares vectors of equal length, but one has ${a.numElements()} items and the other " +
          s"${b.numElements()}. Compare columns, or a column and an array, of as many items."
      ))
    !hasNulls(a) && !hasNulls(b)
  }

  private def hasNulls(items: ArrayData): Boolean = items match {
    case unsafe: UnsafeArrayData =>
      // After the number of items comes a null bit for each.
      val words = (unsafe.numElements() + 63) >> 6
      BitSetMethods.anySet(unsafe.getBaseObject, unsafe.getBaseOffset + 8, words.toLong)
    case other =>
      val n = other.numElements()
      var i = 0
      while (i < n && !other.isNullAt(i)) i += 1
      i < n
  }
}
