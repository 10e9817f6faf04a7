package io.sparklance.dataset.blob

import java.util.{LinkedHashMap, Map => JMap}

import scala.jdk.CollectionConverters._

import io.sparklance.data.{
  ByteRange,
  DataBlock,
  Fixed32Block,
  Fixed64Block,
  Fixed8Block,
  StructBlock,
  VariableBlock
}
import io.sparklance.dataset.scan.FragmentTask
import io.sparklance.io.{
  Closing,
  IoClient,
  IoScheduler,
  IoStats,
  ObjectStore,
  RangeCoalescer,
  Read,
  ReadableFile
}
import io.sparklance.schema.{BlobVersion, Field}
import io.sparklance.{LanceFormatException, Location, UnsupportedLanceFeatureException}

/** Reads the bytes of a column's blobs on demand.
  *
  * @param storeOf
  *   returns the store of a path
  * @param field
  *   the column, or a field within it
  */
final private[sparklance] class BlobReader(storeOf: String => ObjectStore, field: Field)
    extends AutoCloseable {
  private val version = field.blobVersion.getOrElse(throw new IllegalArgumentException(s"no blobs: $field"))
  private var places = new BlobPlaces("", Map.empty)
  private var described = Location(column = Some(field.name))
  private var fields: Vector[DataBlock] = Vector.empty

  private var closedStats = IoStats.none
  private val files = new LinkedHashMap[String, BlobFile](16, 0.75f, true) {
    override def removeEldestEntry(eldest: JMap.Entry[String, BlobFile]): Boolean = {
      val surplus = size > BlobReader.OpenFiles
      if (surplus) close(eldest.getValue)
      surplus
    }
  }

  /** Sets the descriptors of the next batch of `task`. */
  def show(task: FragmentTask, descriptors: DataBlock): Unit = {
    // If no file has the column, all of its rows are null, and no bytes are requested.
    val dataFile = task.files.find(_.columnOf(field.id).isDefined).fold("")(_.path)
    places = new BlobPlaces(dataFile, task.bases)
    described = Location(file = Some(dataFile), column = Some(field.name))
    fields = descriptors match {
      case structs: StructBlock => structs.children.map(_.values)
      case other => throw new IllegalStateException(s"descriptors of blobs in a ${other.getClass}")
    }
  }

  /** Returns the bytes of a valid blob. */
  def bytes(index: Int): Array[Byte] = {
    val place = LanceFormatException.locating(described)(placeOf(index))
    if (place.size.contains(0L)) Array.emptyByteArray
    else
      LanceFormatException.locating(Location(file = Some(place.path), offset = Some(place.position))) {
        val file = open(place.path)
        file.read(place.position, place.size.getOrElse(file.size - place.position))
      }
  }

  /** Copies a valid blob to a writer: its bytes, or the reference to an external blob. */
  def copy(index: Int, writer: BlobWriter): Unit = fields match {
    case Vector(
          kind: Fixed8Block,
          at: Fixed64Block,
          size: Fixed64Block,
          base: Fixed32Block,
          uri: VariableBlock
        )
        if kind.values(index) == BlobPlaces.External =>
      writer.refer(ExternalBlob(at.values(index), size.values(index), base.values(index), text(uri, index)))
    case _ => writer.append(bytes(index))
  }

  /** Requests so far. */
  def stats: IoStats = files.values.asScala.foldLeft(closedStats)(_ + _.stats)

  private def close(file: BlobFile): Unit = {
    closedStats += file.stats
    file.close()
  }

  def close(): Unit = {
    val open = files.values.asScala.toVector
    closedStats = stats
    files.clear()
    Closing.all(open)
  }

  private def placeOf(index: Int): BlobPlace = (version, fields) match {
    case (BlobVersion.V1, Vector(position: Fixed64Block, size: Fixed64Block)) =>
      places.of(0, position.values(index), size.values(index), 0, "")
    case (
          BlobVersion.V2,
          Vector(
            kind: Fixed8Block,
            at: Fixed64Block,
            size: Fixed64Block,
            id: Fixed32Block,
            uri: VariableBlock
          )
        ) =>
      places.of(
        kind.values(index) & 0xff,
        at.values(index),
        size.values(index),
        id.values(index),
        text(uri, index)
      )
    case (_, other) =>
      throw new IllegalStateException(s"descriptors of blobs in ${other.map(_.getClass).mkString(", ")}")
  }

  private def text(strings: VariableBlock, index: Int): String = {
    val (from, to) = (strings.offsets(index), strings.offsets(index + 1))
    new String(strings.bytes, from, to - from, java.nio.charset.StandardCharsets.UTF_8)
  }

  private def open(path: String): BlobFile = Option(files.get(path)).getOrElse {
    val store = storeOf(path)
    val file = new BlobFile(store.open(path), IoScheduler.shared.client(store.profile))
    val _ = files.put(path, file)
    file
  }
}

private object BlobReader {

  /** Largest number of open files: dedicated blobs have a file each. */
  final private val OpenFiles = 8
}

/** A file with blobs. It reads ahead while blobs are requested in file order, more each time; a blob
  * elsewhere is read alone.
  */
final private[dataset] class BlobFile(file: ReadableFile, io: IoClient) extends AutoCloseable {
  private var buffer = Array.emptyByteArray
  private var buffered = ByteRange(0, 0)
  private var nextPosition = Long.MaxValue
  private var ahead = 0

  def size: Long = file.size

  def read(position: Long, size: Long): Array[Byte] = {
    if (position < 0 || size < 0 || position > file.size - size)
      throw new LanceFormatException(s"a blob of $size bytes at $position, in a file of ${file.size}")
    if (size > BlobFile.MostBytes) throw new UnsupportedLanceFeatureException(s"a blob of $size bytes")
    val blob = new Array[Byte](size.toInt)
    if (size > 0) fill(blob, position)
    blob
  }

  private def fill(blob: Array[Byte], position: Long): Unit = {
    val end = position + blob.length
    if (position < buffered.offset || end > buffered.end) {
      val gap = position - nextPosition
      ahead = if (gap < 0 || gap > BlobFile.MostGap) 0
      else math.min(math.max(2 * ahead, BlobFile.FirstAhead), BlobFile.MostAhead)
      if (blob.length < ahead) readAhead(position)
    }
    if (position >= buffered.offset && end <= buffered.end)
      System.arraycopy(buffer, (position - buffered.offset).toInt, blob, 0, blob.length)
    else fetch(ByteRange(position, blob.length.toLong), blob)
    nextPosition = end
  }

  private def readAhead(position: Long): Unit = {
    val length = math.min(ahead.toLong, file.size - position).toInt
    if (buffer.length < length) buffer = new Array[Byte](length)
    buffered = ByteRange(0, 0)
    fetch(ByteRange(position, length.toLong), buffer)
    buffered = ByteRange(position, length.toLong)
  }

  /** Fetches a blob; parts of a large one are requested at the same time. */
  private def fetch(range: ByteRange, target: Array[Byte]): Unit = {
    val reads = RangeCoalescer.split(range, io.profile.maxLength).map { part =>
      new Read(file, part, row = 0, target, (part.offset - range.offset).toInt)
    }
    io.begin(reads)
    reads.foreach(io.await)
  }

  /** Requests so far. */
  def stats: IoStats = io.stats

  def close(): Unit =
    try io.close()
    finally file.close()
}

private object BlobFile {
  final private val MostBytes = Int.MaxValue - 8L

  /** Largest gap between blobs that is read; padding to 64 bytes is always there. */
  final private val MostGap = 16L << 10
  final private val FirstAhead = 64 << 10
  final private val MostAhead = 4 << 20
}
