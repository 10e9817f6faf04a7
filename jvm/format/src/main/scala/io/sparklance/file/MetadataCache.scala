package io.sparklance.file

import scala.collection.mutable

import io.sparklance.data.{ByteRange, Slice}
import io.sparklance.io.{FileStamp, ReadableFile}

/** Metadata of files and the index structures of their pages, kept as stored for all tasks of a JVM: those
  * that were used last, up to a number of bytes. [[FileStamp]] distinguishes a file from another one that
  * replaced it.
  */
final private[file] class MetadataCache(initialBytes: Long) {
  // Ordered by use, last used last.
  private val entries = mutable.LinkedHashMap.empty[(FileStamp, ByteRange), Slice]
  private var heldBytes = 0L
  private var maxBytes = initialBytes

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

  /** Returns the kept bytes of a range, which do not change. */
  def find(file: ReadableFile, range: ByteRange): Option[Slice] =
    file.stamp.flatMap(stamp => get((stamp, range)))

  /** Keeps a copy of the bytes of a range, unless they would displace much else. */
  def keep(file: ReadableFile, range: ByteRange, bytes: Slice): Unit =
    file.stamp.filter(_ => bytes.length > 0 && bytes.length <= largest).foreach { stamp =>
      if (get((stamp, range)).isEmpty) put((stamp, range), Slice(bytes.toArray))
    }

  def size: Long = synchronized(heldBytes)

  /** Keeps at most `bytes` from now on. */
  def limit(bytes: Long): Unit = synchronized {
    maxBytes = bytes
    evict()
  }

  private def largest: Long = synchronized(maxBytes) / MetadataCache.LargestShare

  private def get(key: (FileStamp, ByteRange)): Option[Slice] = synchronized {
    entries.remove(key).map { slice =>
      entries.put(key, slice)
      slice
    }
  }

  private def put(key: (FileStamp, ByteRange), slice: Slice): Unit = synchronized {
    entries.put(key, slice).foreach(heldBytes -= MetadataCache.weight(_))
    heldBytes += MetadataCache.weight(slice)
    evict()
  }

  private def evict(): Unit = while (heldBytes > maxBytes) {
    val (oldest, dropped) = entries.head
    entries.remove(oldest)
    heldBytes -= MetadataCache.weight(dropped)
  }
}

private[file] object MetadataCache {

  /** An index structure takes at most this part of the cache. */
  final private val LargestShare = 8

  /** A key, with its path, takes some room as well. */
  private def weight(slice: Slice): Long = slice.length + 300L

  /** The cache of this JVM. */
  val shared: MetadataCache = new MetadataCache(math.min(64L << 20, Runtime.getRuntime.maxMemory / 16))
}
