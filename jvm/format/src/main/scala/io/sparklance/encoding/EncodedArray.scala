package io.sparklance.encoding

import io.sparklance.data.Slice
import io.sparklance.proto.encodings20.ArrayEncoding

/** An array of a 2.0 page: its buffers, and the message that refers to them by their numbers in the page. */
final private[sparklance] case class EncodedArray(encoding: ArrayEncoding, buffers: Vector[Slice])

/** A page of a 2.0 file as it goes to disk.
  *
  * @param rows
  *   rows of the column; items, for a column inside a list
  */
final private[sparklance] case class EncodedArrayPage(array: EncodedArray, rows: Long)
