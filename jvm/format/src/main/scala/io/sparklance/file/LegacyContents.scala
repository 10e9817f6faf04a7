package io.sparklance.file

import io.sparklance.data.{ByteRange, FileVersion, Slice}
import io.sparklance.encoding.v01.BatchEncoding
import io.sparklance.io.ReadableFile
import io.sparklance.proto.file.{Metadata, Schema}
import io.sparklance.schema.{LanceSchema, LogicalType, SchemaCodec}
import io.sparklance.{LanceFormatException, ProtoBytes, UnsupportedLanceFeatureException}

import scalapb.{GeneratedMessage, GeneratedMessageCompanion}

/** The container of version 0.1, whose rows are in batches and whose columns are called by the ids of fields:
  * {{{
  * pages, batch by batch | page table | statistics | dictionaries | schema | metadata | footer
  *
  * page table          (i64 position, i64 length) for each batch of the field with the least id of the schema, then of
  *                     the next id, and so on; zeroes where a field, or an id that no field has, is without pages
  * schema, metadata    u32 size | message. The schema is a whole manifest, of which this is what counts
  * }}}
  */
final private[file] class LegacyContents(file: ReadableFile, tail: FileTail, footer: LegacyFooter)
    extends FileContents {
  import FileContents.locating

  def version: FileVersion = FileVersion.V0_1

  private val metadata: Metadata = locating(file, None)(record(Metadata, footer.metadata, "the metadata"))

  private lazy val written: Schema = locating(file, None) {
    if (metadata.manifestPosition == 0)
      throw new UnsupportedLanceFeatureException("a 0.1 file without its schema")
    record(Schema, metadata.manifestPosition, "the schema")
  }

  private lazy val fieldIds: Set[Int] = written.fields.iterator.map(_.id).toSet
  private lazy val firstId: Int =
    fieldIds.minOption.getOrElse(throw new LanceFormatException("the schema of the file has no field"))

  /** Rows of each batch. */
  private lazy val batches: Vector[Long] = locating(file, None) {
    val offsets = metadata.batchOffsets.toVector
    val sizes = offsets.zip(offsets.drop(1)).map { case (from, to) => to.toLong - from }
    if (offsets.headOption.exists(_ != 0) || sizes.exists(_ < 0))
      throw new LanceFormatException("the batches of the file do not follow one another")
    sizes
  }

  def column(number: Int, first: Option[Int]): Int = locating(file, None) {
    if (fieldIds(number)) number else first.fold(number)(now => number - now + firstId)
  }

  def numRows: Long = batches.sum

  def schema: LanceSchema = locating(file, None)(SchemaCodec.decode(written.fields, written.metadata))

  /** Returns no buffers: this version has none. */
  def columnBuffers(request: ColumnRequest, maxBytes: Long): Vector[Slice] = Vector.empty

  /** Does nothing: there are none. */
  def loadGlobals(maxBytes: Long): Unit = ()

  def globalBuffer(number: Int, maxBytes: Long): Slice =
    throw new LanceFormatException(s"global buffer $number wanted of a file of version 0.1, which has none")

  /** Does nothing: the page table is read with the columns. */
  def load(requests: Vector[ColumnRequest]): Unit = ()

  def columns(requests: Vector[ColumnRequest], bytes: ScanBytes): Vector[Vector[ColumnMetadata]] = {
    val paths = requests.map(r => locating(file, Some(r))(LegacyColumns.of(r)))
    val ids = paths.flatten.map(_.id).distinct
    val entries = locating(file, None)(ids.zip(tail.fetch(ids.map(entriesOf))).toMap)
    requests.zip(paths).map { case (request, path) =>
      locating(file, Some(request)) {
        val columns = new LegacyColumns(path, batches, file.size)
        columns.metadata(path.map(c => entries(c.id)), dictionaryOf(request, bytes))
      }
    }
  }

  /** Range of a field's entries in the page table. */
  private def entriesOf(id: Int): ByteRange = {
    if (!fieldIds(id)) throw new LanceFormatException(s"the file has no field $id, as the table says")
    val size = LegacyColumns.EntrySize * batches.size.toLong
    val before = Math.multiplyExact(id.toLong - firstId, size)
    val position = Math.addExact(metadata.pageTablePosition, before)
    FileRanges.checked(position, size, file.size, "the page table")
  }

  /** Returns the values of a dictionary column. */
  private def dictionaryOf(request: ColumnRequest, bytes: ScanBytes): Option[BatchEncoding.Dictionary] =
    request.leaf.field.logicalType match {
      case dictionary: LogicalType.Dictionary =>
        val stored = written.fields.find(_.id == request.columnIndex).flatMap(_.dictionary)
        val place = stored.getOrElse(throw new LanceFormatException("a dictionary column without values"))
        Some(LegacyDictionary.read(bytes, file.size, request.leaf.field, dictionary, place))
      case _ => None
    }

  private def record[A <: GeneratedMessage](
      companion: GeneratedMessageCompanion[A],
      position: Long,
      what: String
  ): A = {
    val size = fetch(FileRanges.checked(position, 4, file.size, what)).unsignedInt(0)
    val body = fetch(FileRanges.checked(position + 4, size, file.size, what))
    ProtoBytes.parse(companion, body.toArray, what)
  }

  private def fetch(range: ByteRange): Slice = tail.fetch(Vector(range)).head
}
