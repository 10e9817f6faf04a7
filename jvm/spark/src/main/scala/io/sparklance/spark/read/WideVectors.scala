package io.sparklance.spark.read

import io.sparklance.schema.{Field, LogicalType}
import io.sparklance.spark.types.ShownTypes

/** Columns of long fixed-size lists of numbers, such as embeddings. From a columnar batch, Spark copies lists
  * item by item. From a row, it copies all bytes of a list at once, if the list has the layout of Spark's own
  * rows: see [[UnsafeLists]].
  */
private object WideVectors {

  /** Size in bytes below which copying item by item is as fast. */
  final private val FewestBytes = 256

  /** Cost of any other column, in bytes: that of storing one value in a row, independent of its size. */
  final private val OtherColumn = 128

  /** Whether reading rows is faster for a projection, because such lists are most of its bytes. */
  def dominate(projection: Vector[Field]): Boolean = {
    val (wide, others) = projection.partition(isWide)
    wide.nonEmpty && wide.map(listBytes).sum >= others.flatMap(_.preOrder).size * OtherColumn
  }

  /** Returns the length of the lists of such a column. */
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
