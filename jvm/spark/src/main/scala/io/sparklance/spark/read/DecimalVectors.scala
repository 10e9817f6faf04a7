package io.sparklance.spark.read

import java.math.{BigDecimal => JBigDecimal, BigInteger, RoundingMode}

import org.apache.spark.sql.types.{DataType, Decimal, DecimalType, StringType}
import org.apache.spark.unsafe.types.UTF8String

import io.sparklance.data.{DataBlock, FixedBytesBlock}

/** Decimals that Spark cannot hold unchanged: two's complement in 16 or 32 bytes, little-endian. */
sealed abstract private[sparklance] class ForeignDecimalVector(dataType: DataType, scale: Int)
    extends LanceColumnVector(dataType) {
  private var block: FixedBytesBlock = _
  final protected def look(values: DataBlock): Unit = block = values.asInstanceOf[FixedBytesBlock]

  final protected def stored(row: Int): JBigDecimal = {
    val width = block.width
    val bigEndian = new Array[Byte](width)
    var i = 0
    while (i < width) { bigEndian(i) = block.bytes(width * row + width - 1 - i); i += 1 }
    new JBigDecimal(new BigInteger(bigEndian), scale)
  }
}

/** Shows them as Spark's nearest type. */
final private[sparklance] class RescaledDecimalVector(
    dataType: DecimalType,
    scale: Int,
    misfit: LossyReads
) extends ForeignDecimalVector(dataType, scale) {

  override def getDecimal(row: Int, precision: Int, scale: Int): Decimal =
    if (isNullAt(row)) null
    else {
      val exact = stored(row)
      val shown = exact.setScale(dataType.scale, RoundingMode.DOWN)
      if (shown.compareTo(exact) != 0 && !misfit.truncates)
        throw misfit.tooFine(row, exact.toString, dataType.sql)
      if (shown.precision > dataType.precision) throw misfit.tooLarge(row, exact.toString, dataType.sql)
      Decimal(shown, dataType.precision, dataType.scale)
    }
}

/** Shows them as text, with all their digits. */
final private[sparklance] class DecimalTextVector(scale: Int)
    extends ForeignDecimalVector(StringType, scale) {
  override def getUTF8String(row: Int): UTF8String =
    if (isNullAt(row)) null else UTF8String.fromString(stored(row).toPlainString)
}
