package io.sparklance.encoding.v20

import io.sparklance.data.ByteRange
import io.sparklance.proto.encodings20.Buffer
import io.sparklance.proto.encodings20.Buffer.BufferType
import io.sparklance.{LanceFormatException, UnsupportedLanceFeatureException}

/** A page's buffers; the leaves of its encodings refer to them by number. */
final private[v20] class PageBuffers(ranges: Vector[ByteRange]) {

  def apply(buffer: Option[Buffer]): ByteRange = {
    val Buffer(index, kind, _) = buffer.getOrElse(throw new LanceFormatException("an array without a buffer"))
    kind match {
      case BufferType.page =>
        ranges.lift(index).getOrElse(
          throw new LanceFormatException(
            s"an array in buffer ${Integer.toUnsignedString(index)} of a page that has ${ranges.size}"
          )
        )
      case BufferType.column =>
        throw new UnsupportedLanceFeatureException("a buffer shared by a column's pages")
      case BufferType.file => throw new UnsupportedLanceFeatureException("a buffer shared by a file's pages")
      case BufferType.Unrecognized(number) =>
        throw new UnsupportedLanceFeatureException(s"a buffer of kind $number")
    }
  }
}
