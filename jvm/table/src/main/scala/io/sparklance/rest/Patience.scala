package io.sparklance.rest

/** Limits of a call.
  *
  * @param requestMillis
  *   of one request, from connecting to the last byte of the answer
  * @param totalMillis
  *   of all attempts before the last one begins
  * @param maxBytes
  *   of an answer
  * @param maxPages
  *   of a listing
  */
final private[sparklance] case class Patience(
    requestMillis: Long = 60000,
    totalMillis: Long = 120000,
    attempts: Int = 6,
    firstPauseMillis: Long = 200,
    longestPauseMillis: Long = 10000,
    maxBytes: Int = 64 << 20,
    maxPages: Int = 10000
)
