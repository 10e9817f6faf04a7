package io.sparklance.spark.read

import org.apache.spark.sql.types.{BinaryType, LongType}

import io.sparklance.LanceFormatException
import io.sparklance.data.{DataBlock, Fixed64Block}

/** Bytes of blobs, read on access, so that rows dropped by a filter cost nothing. */
final private[sparklance] class BlobBytesVector(blobs: ShownBlobs, misfit: LossyReads)
    extends LanceColumnVector(BinaryType) {
  protected def look(values: DataBlock): Unit = blobs.show(values)

  override def getBinary(row: Int): Array[Byte] =
    if (isNullAt(row)) null else misfit.decoding(row)(blobs.bytes(row))
}

/** Positions in files and sizes, which are stored unsigned. */
final private[sparklance] class FilePositionVector(misfit: LossyReads)
    extends LanceColumnVector(LongType) {
  private var values: Array[Long] = _
  protected def look(block: DataBlock): Unit = values = block.asInstanceOf[Fixed64Block].values

  override def getLong(row: Int): Long = {
    val value = values(row)
    if (value < 0 && !isNullAt(row))
      throw misfit.corrupt(
        row,
        new LanceFormatException(s"a blob with ${java.lang.Long.toUnsignedString(value)} in its descriptor")
      )
    value
  }
}
