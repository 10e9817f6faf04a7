package io.sparklance.encoding.structural

import io.sparklance.UnsupportedLanceFeatureException
import io.sparklance.data.{ByteRange, ValueShape}
import io.sparklance.encoding.PageDecoder
import io.sparklance.proto.encodings.ConstantLayout

private[encoding] object ConstantPage {

  def decoder(
      layout: ConstantLayout,
      buffers: Vector[ByteRange],
      rows: Long,
      shape: ValueShape
  ): PageDecoder =
    throw new UnsupportedLanceFeatureException(s"a constant page $layout of $rows $shape in $buffers")
}
