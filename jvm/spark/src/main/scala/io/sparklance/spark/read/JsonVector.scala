package io.sparklance.spark.read

import org.apache.spark.sql.types.StringType
import org.apache.spark.unsafe.types.UTF8String

import io.sparklance.data.{DataBlock, VariableBlock}
import io.sparklance.schema.JsonbText

/** JSONB, shown as JSON text. */
final private[sparklance] class JsonVector(misfit: LossyValueHandler) extends LanceColumnVector(StringType) {
  private var block: VariableBlock = _
  protected def look(values: DataBlock): Unit = block = values.asInstanceOf[VariableBlock]

  override def getUTF8String(row: Int): UTF8String =
    if (isNullAt(row)) null
    else
      misfit.decoding(row) {
        UTF8String.fromBytes(JsonbText.of(block.bytes, block.offsets(row), block.offsets(row + 1)))
      }
}
