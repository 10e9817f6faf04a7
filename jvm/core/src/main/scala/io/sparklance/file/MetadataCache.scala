package io.sparklance.file

import scala.collection.mutable

import io.sparklance.data.{ByteRange, Slice}
import io.sparklance.io.{FileStamp, ReadableFile}

/** The bytes in which files tell of their contents, kept for all tasks of a JVM: those that were used last,
  * up to a number of bytes. [[FileStamp]] distinguishes a file from another one that replaced it.
  */
final private[file] class MetadataCache(maxBytes: Long) {
  // Ordered by use, last used last.
  private val entries = mutable.LinkedHashMap.empty[(FileStamp, ByteRange), Slice]
  private var heldBytes = 0L

  /** The bytes of each of `ranges`, which do not change. */
  def read(file: ReadableFile, ranges: Vector[ByteRange], counts: ScanCounts): Vector[Slice] =
    file.stamp.fold(FileRanges.read(file, ranges)) { stamp =>
      val known = ranges.map(range => get((stamp, range)))
      val wanted = ranges.zip(known).collect { case (range, None) => range }
      counts.lookedUp(ranges.size - wanted.size, wanted.size)
      val fresh = FileRanges.read(file, wanted).iterator
      ranges.zip(known).map { case (range, slice) =>
        slice.getOrElse {
          // A copy, since what was read by one request is one array.
          val bytes = Slice(fresh.next().toArray)
          put((stamp, range), bytes)
          bytes
        }
      }
    }

  def size: Long = synchronized(heldBytes)

  private def get(key: (FileStamp, ByteRange)): Option[Slice] = synchronized {
    entries.remove(key).map { slice =>
      entries.put(key, slice)
      slice
    }
  }

  private def put(key: (FileStamp, ByteRange), slice: Slice): Unit = synchronized {
    entries.put(key, slice).foreach(heldBytes -= MetadataCache.weight(_))
    heldBytes += MetadataCache.weight(slice)
    while (heldBytes > maxBytes) {
      val (oldest, dropped) = entries.head
      entries.remove(oldest)
      heldBytes -= MetadataCache.weight(dropped)
    }
  }
}

private[file] object MetadataCache {

  /** A key, with its path, takes some room as well. */
  private def weight(slice: Slice): Long = slice.length + 300L

  /** The cache of this JVM. */
  val shared: MetadataCache = new MetadataCache(math.min(64L << 20, Runtime.getRuntime.maxMemory / 16))
}
