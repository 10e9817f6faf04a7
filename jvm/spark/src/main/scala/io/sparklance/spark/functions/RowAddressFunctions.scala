package io.sparklance.spark.functions

import org.apache.spark.sql.connector.catalog.functions.{BoundFunction, ScalarFunction, UnboundFunction}
import org.apache.spark.sql.types.{DataType, LongType, StructType}

import io.sparklance.LanceUsageException
import io.sparklance.dataset.snapshot.RowAddress
import io.sparklance.spark.errors.SparkErrors

/** A function of whole numbers, to which Spark casts its arguments. */
abstract private[sparklance] class NumberFunction private[functions] (
    override val name: String,
    parameters: String*
) extends UnboundFunction
    with ScalarFunction[java.lang.Long] {
  override def bind(arguments: StructType): BoundFunction =
    if (arguments.length == parameters.length) this
    else throw new UnsupportedOperationException(s"$name takes (${parameters.mkString(", ")})")
  override def inputTypes(): Array[DataType] = parameters.map(_ => LongType: DataType).toArray
  override def resultType(): DataType = LongType
  override def canonicalName(): String = s"sparklance.$name"
  override def toString: String = name
}

/** Returns the `_fragid` of the row with this `_rowaddr`. */
private[sparklance] object RowAddressFragment extends NumberFunction("row_address_fragment", "address") {
  override def description(): String = "row_address_fragment(address): the fragment of a row"
  def invoke(address: Long): Long = RowAddress.fragment(address)
}

/** Returns the position of a row in its fragment, from 0, counting deleted rows. */
private[sparklance] object RowAddressOffset extends NumberFunction("row_address_offset", "address") {
  override def description(): String = "row_address_offset(address): the number of a row in its fragment"
  def invoke(address: Long): Long = RowAddress.offset(address)
}

private[sparklance] object MakeRowAddress extends NumberFunction("make_row_address", "fragment", "offset") {
  private val MaxOffset = 0xffffffffL
  override def description(): String = "make_row_address(fragment, offset): the address of a row"

  def invoke(fragment: Long, offset: Long): Long = {
    if (fragment < 0 || fragment > Int.MaxValue || offset < 0 || offset > MaxOffset)
      throw SparkErrors.translated(new LanceUsageException(
        s"make_row_address($fragment, $offset) is not an address: fragments have numbers from 0 to " +
          s"${Int.MaxValue}, their rows from 0 to $MaxOffset. Give numbers in these ranges."
      ))
    RowAddress.of(fragment, offset)
  }
}
