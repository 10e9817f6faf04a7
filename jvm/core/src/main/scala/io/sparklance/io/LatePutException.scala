package io.sparklance.io

import java.io.IOException

/** A put that failed for us and may still take effect, as a request may that a store has received and not answered. */
final class LatePutException(message: String, cause: Throwable) extends IOException(message, cause)
