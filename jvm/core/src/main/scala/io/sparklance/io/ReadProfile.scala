package io.sparklance.io

/** How the files of a store are best read.
  *
  * @param lane requests to stores of one lane are counted together: a file system, a bucket
  * @param maxRequests under way at a time, at most, of all tasks of the JVM
  * @param readAhead bytes that a task may have asked for and not decoded yet. With 0 it reads when it needs something, on
  *   its own thread: what is in the page cache comes faster than another thread could hand it over
  * @param maxGap bytes that are rather read in vain than skipped by another request
  * @param maxLength of a request
  */
final case class ReadProfile(
    lane: String,
    maxRequests: Int,
    readAhead: Long,
    maxGap: Long,
    maxLength: Long
)

object ReadProfile {

  /** Local files: the kernel reads ahead. */
  val Local: ReadProfile = ReadProfile("file", 16, readAhead = 0, maxGap = 16L << 10, maxLength = 8L << 20)

  /** Stores that take long to answer, and then give much. */
  def remote(lane: String): ReadProfile =
    ReadProfile(lane, 15, readAhead = 64L << 20, maxGap = 256L << 10, maxLength = 8L << 20)
}

/** What a user wants otherwise. */
final case class ReadTuning(maxRequests: Option[Int] = None, readAhead: Option[Long] = None) {
  def of(profile: ReadProfile): ReadProfile = profile.copy(
    maxRequests = maxRequests.getOrElse(profile.maxRequests),
    readAhead = readAhead.getOrElse(profile.readAhead)
  )
}
