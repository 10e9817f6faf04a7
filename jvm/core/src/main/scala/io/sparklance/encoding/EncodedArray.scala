package io.sparklance.encoding

import io.sparklance.data.Slice
import io.sparklance.proto.encodings20.ArrayEncoding

/** An array as a page of a 2.0 file has it: its buffers, and the message that refers to them by their numbers in the page.
  */
final case class EncodedArray(encoding: ArrayEncoding, buffers: Vector[Slice])

/** A page of a 2.0 file as it goes to disk.
  *
  * @param rows of the column, which are items where it is in a list
  */
final case class EncodedArrayPage(array: EncodedArray, rows: Long)
