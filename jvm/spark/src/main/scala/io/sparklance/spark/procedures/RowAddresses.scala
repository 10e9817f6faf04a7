package io.sparklance.spark.procedures

import org.apache.spark.sql.types.StructType

import io.sparklance.dataset.scan.RowPositions

private[sparklance] object RowAddresses
    extends LanceProcedure(
      "row_addresses",
      "Finds rows by their positions in the table, from 0: the `_rowaddr` of each."
    ) {
  private val positions = Parameter.numbers("positions")
  val parameters: Vector[Parameter[_]] = Vector(Parameter.table, positions, Parameter.version)
  val result: StructType = StructType.fromDDL("position BIGINT NOT NULL, _rowaddr BIGINT NOT NULL")

  def call(arguments: Arguments): Iterator[Seq[Any]] = {
    val wanted = arguments(positions)
    RowPositions.addresses(arguments.dataset, wanted).iterator.zip(wanted.iterator).map {
      case (address, position) => Seq(position, address)
    }
  }
}
