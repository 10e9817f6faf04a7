package io.sparklance.spark.read

import io.sparklance.schema.{Field, LogicalType}
import io.sparklance.spark.types.ShownTypes

/** Columns of long fixed-size lists of numbers, such as embeddings. From a columnar batch Spark copies lists
  * item by item, from a row all bytes of a list at once, if it is laid out as in Spark's own rows:
  * [[UnsafeLists]] does that.
  */
private object WideVectors {

  /** Lists of fewer bytes are copied item by item as fast. */
  final private val FewestBytes = 256

  /** Cost of another column, in bytes: that of putting a single value into a row, rather than its size. */
  final private val OtherColumn = 128

  /** Whether a projection is read sooner as rows: most of what is in them is such lists. */
  def dominate(projection: Vector[Field]): Boolean = {
    val (wide, others) = projection.partition(isWide)
    wide.nonEmpty && wide.map(listBytes).sum >= others.flatMap(_.preOrder).size * OtherColumn
  }

  /** How long the lists of such a column are. */
  def dimension(field: Field): Option[Int] = ShownTypes.meaning(field) match {
    case LogicalType.FixedSizeList(_, size) if isWide(field) => Some(size)
    case _ => None
  }

  private def isWide(field: Field): Boolean = listBytes(field) >= FewestBytes

  /** Bytes of a list whose items Spark holds as stored; 0 for other fields. */
  private def listBytes(field: Field): Long = ShownTypes.meaning(field) match {
    case LogicalType.FixedSizeList(LogicalType.Integer(bits, true), size) => bits / 8L * size
    case LogicalType.FixedSizeList(LogicalType.FloatingPoint(bits), size) if bits > 16 => bits / 8L * size
    case _ => 0
  }
}
