package io.sparklance.io

import java.io.IOException

/** A put that failed for the writer and may still take effect: the store may have received the request
  * without answering.
  */
final private[sparklance] class LatePutException(message: String, cause: Throwable)
    extends IOException(message, cause)
