package io.sparklance.io

/** Read settings of a store.
  *
  * @param lane
  *   name of the limit that its requests share: a file system, a bucket
  * @param maxRequests
  *   largest number of concurrent requests of all tasks of the JVM
  * @param readAhead
  *   bytes that all tasks of the JVM may have requested and not decoded yet. With 0 they read on demand, on
  *   their own threads: the page cache is faster than handing bytes from thread to thread
  * @param maxGap
  *   bytes that are cheaper to read and discard than to skip with another request
  * @param maxLength
  *   largest request in bytes
  * @param minRequests
  *   smallest number to which concurrent requests are reduced, if the store gives no more with more of them.
  *   If it is not below `maxRequests`, the number is fixed
  * @param mayReadAhead
  *   bytes that tasks read ahead, though `readAhead` is 0, while that saves them waiting
  * @param metadataCache
  *   bytes of the JVM's metadata cache from now on, if they are to change
  */
final case class ReadProfile(
    lane: String,
    maxRequests: Int,
    readAhead: Long,
    maxGap: Long,
    maxLength: Long,
    metadataCache: Option[Long] = None,
    minRequests: Int = Int.MaxValue,
    mayReadAhead: Long = 0
) {

  /** Returns the number of concurrent requests within the bounds that is nearest to `requests`. */
  private[io] def bounded(requests: Int): Int =
    math.max(math.min(minRequests, maxRequests), math.min(requests, maxRequests))

  /** Concurrent requests to a store of which nothing is known yet. */
  def firstRequests: Int = bounded(ReadProfile.FirstRequests)
}

object ReadProfile {

  /** Local files: the kernel reads ahead, often far enough. */
  val Local: ReadProfile = ReadProfile("file", 16, readAhead = 0, maxGap = 16L << 10, maxLength = 8L << 20)

  /** Stores with high latency and high throughput. */
  def remote(lane: String): ReadProfile =
    ReadProfile(lane, 128, RemoteReadAhead, maxGap = 256L << 10, maxLength = 8L << 20, minRequests = 4)

  /** Local files, read ahead if their disk makes tasks wait. */
  val LocalDisk: ReadProfile = Local.copy(mayReadAhead =
    math.min((16L << 20) * Runtime.getRuntime.availableProcessors, Runtime.getRuntime.maxMemory / 16)
  )

  final private[io] val FirstRequests = 15

  /** 64 MiB for each processor, but no more than an eighth of the heap. */
  private val RemoteReadAhead: Long =
    math.min((64L << 20) * Runtime.getRuntime.availableProcessors, Runtime.getRuntime.maxMemory / 8)
}
