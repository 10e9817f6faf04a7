package io.sparklance.file

import io.sparklance.data.{ByteRange, Slice}
import io.sparklance.io.ReadableFile

/** The last bytes of a file, from position `start` on, and the way to others that tell of its contents. */
final private[file] class FileTail(
    file: ReadableFile,
    cache: MetadataCache,
    counts: ScanCounts,
    val start: Long,
    val content: Slice
) {

  def last(n: Int): Slice = content.slice(content.length.toLong - n, n.toLong, "the footer")

  /** The bytes of each of `ranges`. */
  def fetch(ranges: Vector[ByteRange]): Vector[Slice] = {
    val (near, far) = ranges.distinct.partition(_.offset >= start)
    val bytes = (near.map(r => r -> this.near(r)) ++ far.zip(cache.read(file, far, counts))).toMap
    ranges.map(bytes)
  }

  /** The tail from `from` on, if little is missing: one read more, and all metadata is there. */
  def reaching(from: Long): FileTail =
    if (from >= start || start - from > FileTail.MaxExtension) this
    else {
      val head = cache.read(file, Vector(ByteRange(from, start - from)), counts).head
      new FileTail(file, cache, counts, from, Slice(head.toArray ++ content.toArray))
    }

  private def near(range: ByteRange): Slice = content.slice(range.offset - start, range.length, "metadata")
}

private[file] object FileTail {

  /** Bytes that are read to begin with. A request for so few costs object stores no more than one for the
    * footer.
    */
  final val Bytes = 64L << 10
  final private val MaxExtension = 448L << 10

  def read(file: ReadableFile, cache: MetadataCache, counts: ScanCounts): FileTail = {
    val start = math.max(0, file.size - Bytes)
    val content = cache.read(file, Vector(ByteRange(start, file.size - start)), counts).head
    new FileTail(file, cache, counts, start, content)
  }
}
