package io.sparklance.index.text.build

import io.sparklance.data.{FileVersion, Fixed32Block, ListBlock, VariableBlock}
import io.sparklance.index.build.{IndexFileWriter, UnfinishedFile, WrittenIndexFile}
import io.sparklance.index.text.{Bm25, TextPartition}
import io.sparklance.io.ObjectStore
import io.sparklance.schema.{Field, LanceSchema, LogicalType}

/** Place and form of the files of a segment.
  *
  * @param directory
  *   of the segment
  */
final private[sparklance] case class TextFiles(
    store: ObjectStore,
    directory: String,
    version: FileVersion,
    form: TextForm
)

/** The rows of a partition's documents, with the numbers of their tokens. */
final private[build] class WrittenDocuments(val rowIds: Array[Long], val lengths: Array[Int], val size: Int) {
  val tokens: Long = lengths.iterator.take(size).map(_.toLong).sum
}

/** The posting list of a token: some of the documents, ascending, with the frequencies of the token, and its
  * positions in them.
  */
final private[build] class PostingRange(
    val documents: Array[Int],
    val frequencies: Array[Int],
    val from: Int,
    val count: Int,
    val positions: Array[Int],
    val positionsFrom: Int
)

/** Writes the files of a partition, whose tokens come in the order of their bytes: see
  * [[io.sparklance.index.text.TextPartition]].
  */
final private[build] class PartitionWriter(files: TextFiles, number: Long, documents: WrittenDocuments)
    extends UnfinishedFile {
  import PartitionWriter._

  private val form = files.form
  private val lists = writer("invert", invertFields(form))
  private val fst = new FstWriter
  private val blocks = new PostingBlocks(form.block)
  private val scorer = new Bm25(documents.size.toLong, documents.tokens)
  private val norms = Array.tabulate(documents.size)(i => scorer.norm(documents.lengths(i)))
  private val codes = Array.tabulate(documents.size)(i => Bm25.code(documents.lengths(i)).toByte)
  private val (ofBlock, ofGroup) = (new Impacts(codes), new Impacts(codes))
  private val bytes, groups = new Bytes
  private val groupEnds = new Ints
  private var tokenBytes, tokenCount = 0L

  def append(token: Array[Byte], list: PostingRange): Unit = {
    fst.add(token)
    tokenBytes += token.length
    tokenCount += 1
    val best = appendBlocks(list)
    lists.appendNumber(1, java.lang.Float.floatToRawIntBits(best).toLong)
    lists.appendNumber(2, list.count.toLong)
    if (form.withPosition) appendPositions(list)
    lists.rowWritten()
  }

  /** Appends the blocks and their impacts. Returns the greatest score. */
  private def appendBlocks(list: PostingRange): Float = {
    val weight = scorer.weight(list.count.toLong) * Bm25.Most
    val (postings, impacts) = (listOf(0), listOf(3))
    var best = 0f
    groups.clear()
    groupEnds.clear()
    var (from, block) = (list.from, 0)
    val end = list.from + list.count
    val isLong = list.count > form.block
    while (from < end) {
      val count = math.min(form.block, end - from)
      val score = share(list, from, count) * weight
      best = math.max(best, score)
      bytes.clear()
      blocks.encode(list.documents, list.frequencies, from, count, score, bytes)
      appendItem(postings)
      ofBlock.add(list.documents, list.frequencies, from, count)
      if (isLong) ofGroup.add(list.documents, list.frequencies, from, count)
      bytes.clear()
      ofBlock.drain(list.documents(from + count - 1), bytes)
      appendItem(impacts)
      from += count
      block += 1
      if (isLong && (block % Impacts.GroupBlocks == 0 || from == end)) {
        ofGroup.drain(list.documents(from - 1), groups)
        groupEnds.add(groups.size)
      }
    }
    // A group of one block has the bytes of that block.
    if (isLong) appendGroups(impacts) else appendItem(impacts)
    endList(0)
    endList(3)
    best
  }

  /** Returns the greatest share of a document's frequency in its score. */
  private def share(list: PostingRange, from: Int, count: Int): Float = {
    var best = 0f
    var i = from
    while (i < from + count) {
      val frequency = list.frequencies(i).toFloat
      best = math.max(best, frequency / (frequency + norms(list.documents(i))))
      i += 1
    }
    best
  }

  private def appendGroups(impacts: ListBlock): Unit = {
    var (group, start) = (0, 0)
    while (group < groupEnds.size) {
      val end = groupEnds.array(group)
      append(impacts, groups.array, start, end - start)
      start = end
      group += 1
    }
  }

  private def appendPositions(list: PostingRange): Unit = {
    val offsets = listOf(5)
    bytes.clear()
    var (from, at) = (list.from, list.positionsFrom)
    val end = list.from + list.count
    while (from < end) {
      val count = math.min(form.block, end - from)
      appendOffset(offsets, bytes.size)
      blocks.positions(list.frequencies, from, count, list.positions, at, bytes)
      var i = from
      while (i < from + count) { at += list.frequencies(i); i += 1 }
      from += count
    }
    lists.columns(4).values.asInstanceOf[VariableBlock].append(bytes.array, 0, bytes.size)
    lists.columns(4).nulls.appendValid(1)
    endList(5)
  }

  private def listOf(column: Int): ListBlock = lists.columns(column).values.asInstanceOf[ListBlock]

  private def endList(column: Int): Unit = {
    listOf(column).endList()
    lists.columns(column).nulls.appendValid(1)
  }

  private def appendItem(to: ListBlock): Unit = append(to, bytes.array, 0, bytes.size)

  private def append(to: ListBlock, array: Array[Byte], from: Int, size: Int): Unit = {
    to.items.values.asInstanceOf[VariableBlock].append(array, from, size)
    to.items.nulls.appendValid(1)
  }

  private def appendOffset(to: ListBlock, offset: Int): Unit = {
    to.items.values.asInstanceOf[Fixed32Block].append(offset)
    to.items.nulls.appendValid(1)
  }

  /** Completes the files. */
  def finish(): Vector[WrittenIndexFile] =
    Vector(lists.finish(form.listMetadata), writeTokens(), writeDocuments())

  private def writeTokens(): WrittenIndexFile =
    UnfinishedFile.writing(writer("tokens", TokenFields)) { writer =>
      writer.appendBytes(0, fst.finish())
      writer.appendNumber(1, tokenCount)
      writer.appendNumber(2, tokenBytes)
      writer.rowWritten()
      writer.finish()
    }

  private def writeDocuments(): WrittenIndexFile =
    UnfinishedFile.writing(writer("docs", DocumentFields)) { writer =>
      var i = 0
      while (i < documents.size) {
        writer.appendNumber(0, documents.rowIds(i))
        writer.appendNumber(1, documents.lengths(i).toLong)
        writer.rowWritten()
        i += 1
      }
      writer.finish(Map("total_tokens" -> documents.tokens.toString))
    }

  private def writer(kind: String, fields: Vector[Field]) = new IndexFileWriter(
    files.store,
    files.directory,
    TextPartition.fileName(number, kind),
    LanceSchema(fields),
    files.version
  )

  /** Removes the file of posting lists; those of tokens and documents are written as a whole. */
  def abort(): Unit = lists.abort()
}

private object PartitionWriter {
  private def flat(id: Int, name: String, logicalType: LogicalType): Field =
    Field(id, name, logicalType, nullable = false)

  private def list(id: Int, name: String, item: LogicalType): Field = Field(
    id,
    name,
    LogicalType.List(large = false, ofStruct = false),
    nullable = false,
    Vector(Field(id + 1, "item", item, nullable = true))
  )

  private val bytes = LogicalType.Binary(large = true)
  private val u32 = LogicalType.Integer(32, signed = false)
  private val u64 = LogicalType.Integer(64, signed = false)

  private val TokenFields = Vector(
    flat(0, "_token_fst_bytes", bytes),
    flat(1, "_token_next_id", u32),
    flat(2, "_token_total_length", u64)
  )

  private val DocumentFields = Vector(flat(0, "_rowid", u64), flat(1, "_num_tokens", u32))

  private def invertFields(form: TextForm): Vector[Field] = {
    val ofLists = Vector(
      list(0, "_posting", bytes),
      flat(2, "_max_score", LogicalType.FloatingPoint(32)),
      flat(3, "_length", u32),
      list(4, "_impacts", bytes)
    )
    if (form.withPosition)
      ofLists ++ Vector(flat(6, "_compressed_position", bytes), list(7, "_position_block_offset", u32))
    else ofLists
  }
}
