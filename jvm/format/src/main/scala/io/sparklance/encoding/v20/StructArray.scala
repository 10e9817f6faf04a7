package io.sparklance.encoding.v20

import io.sparklance.encoding.EncodedArray
import io.sparklance.proto.encodings20.ArrayEncoding.{ArrayEncoding => Encoding}
import io.sparklance.proto.encodings20.{ArrayEncoding, SimpleStruct}

/** The column of a struct in version 2.0: a page with a row count and no data, so that no struct can be null.
  */
private[encoding] object StructArray {
  val header: EncodedArray = EncodedArray(ArrayEncoding(Encoding.Struct(SimpleStruct())), Vector.empty)
}
