package io.sparklance.encoding.v20

import io.sparklance.encoding.EncodedArray
import io.sparklance.proto.encodings20.ArrayEncoding.{ArrayEncoding => Encoding}
import io.sparklance.proto.encodings20.{ArrayEncoding, SimpleStruct}

/** What the column of a struct holds in version 2.0: nothing. That there is a page of as many rows as structs is all, so
  * that no struct can be null.
  */
private[encoding] object StructArray {
  val header: EncodedArray = EncodedArray(ArrayEncoding(Encoding.Struct(SimpleStruct())), Vector.empty)
}
