package io.sparklance.index.text

import scala.util.Using

import io.sparklance.data.{Column, Slice}
import io.sparklance.index.SegmentFiles
import io.sparklance.io.{ObjectStore, StorePath}
import io.sparklance.{LanceFormatException, Location, UnsupportedLanceFeatureException, WeightedCache}

/** The documents of a partition.
  *
  * @param rowIds
  *   the row of each document
  * @param lengths
  *   number of its tokens
  */
final private[text] class Documents(val rowIds: Array[Long], val lengths: Array[Int], val tokens: Long) {
  def size: Int = rowIds.length
  def weight: Long = 12L * size + 64
}

/** One part of a segment:
  * {{{
  * part_<n>_tokens.lance   _token_fst_bytes, …       Fst; or _token, _token_id
  * part_<n>_invert.lance   _posting, _length, …      a row for each token: PostingDecoder
  * part_<n>_docs.lance     _rowid, _num_tokens       a row for each document
  * }}}
  * Tokens, documents and posting lists that were used last are kept in memory. Files of a segment never
  * change.
  */
final private[text] class TextPartition(
    store: ObjectStore,
    files: SegmentFiles,
    number: Long,
    isFst: Boolean
) {
  import TextPartition._

  private def key(what: String): String = s"${files.directory}/$number/$what"
  private def name(kind: String): String = fileName(number, kind)

  private def reading[A](kind: String)(use: TextFile => A): A =
    LanceFormatException.locating(Location(file = Some(StorePath.join(files.directory, name(kind))))) {
      Using.resource(TextFile.open(store, files, name(kind)))(use)
    }

  lazy val documents: Documents = cached(key("docs"))((d: Documents) => d.weight)(readDocuments())

  private def readDocuments(): Documents = reading("docs") { file =>
    if (file.has("_doc_index_0"))
      throw new UnsupportedLanceFeatureException("a text index whose documents are the elements of lists")
    val columns = file.read(Vector("_rowid", "_num_tokens"), 0, countOf(file))
    val lengths = TextFile.ints(columns(1))
    var tokens = 0L
    var i = 0
    while (i < lengths.length) { tokens += lengths(i) & 0xffffffffL; i += 1 }
    new Documents(TextFile.longs(columns.head), lengths, tokens)
  }

  lazy val vocabulary: Vocabulary =
    cached(key("tokens"))((v: Vocabulary) => v.weight)(readVocabulary())

  private def readVocabulary(): Vocabulary = reading("tokens") { file =>
    if (!isFst) {
      val _ = countOf(file)
      Vocabulary.ofTable(file)
    } else {
      if (file.rows != 1) throw new LanceFormatException(s"${file.rows} transducers of a text index")
      val columns = file.read(Vector("_token_fst_bytes", "_token_total_length"), 0, 1)
      val bytes = TextFile.slice(TextFile.byteStrings(columns.head.values), 0)
      Vocabulary.ofFst(bytes, postingCount, TextFile.longs(columns(1)).head)
    }
  }

  /** Opens all lists, to be read once, in the order of the file. Nothing of them is kept in memory. */
  def cursor(): PostingCursor =
    new PostingCursor(TextFile.open(store, files, name("invert")), readDocuments(), readVocabulary())

  /** Whether lengths of documents count as the lower end of their group. */
  lazy val isRounded: Boolean = reading("invert")(file => PostingForm.of(file.metadata).block == 256)

  private def postingCount: Int = reading("invert")(countOf)

  /** Returns the number of the documents that have a token. */
  def frequency(token: Int): Int = cached(key("lengths"))((lengths: Array[Int]) => 4L * lengths.length)(
    reading("invert")(file => TextFile.ints(file.read(Vector("_length"), 0, countOf(file)).head))
  )(token)

  def postings(token: Int): Postings = cached(key(s"list $token"))((p: Postings) => p.weight)(
    reading("invert") { file =>
      file.readRow(PostingColumns, token.toLong)(
        decode(PostingForm.of(file.metadata), _, row = 0, documents.size)
      )
    }
  )

  /** Returns where documents have a token. */
  def places(token: Int): Places = cached(key(s"places $token"))((p: Places) => 4L * p.values.length) {
    val postings = this.postings(token)
    reading("invert") { file =>
      val decoder = new PostingDecoder(PostingForm.of(file.metadata))
      if (file.has("_compressed_position"))
        file.readRow(PlaceColumns, token.toLong)(decodePlaces(decoder, postings, _, row = 0))
      else file.readRow(Vector("_position"), token.toLong)(columns =>
        placesByDocument(decoder, postings, columns.head)
      )
    }
  }

  private def placesByDocument(decoder: PostingDecoder, postings: Postings, column: Column): Places = {
    val lists = TextFile.lists(column.values)
    val inner = TextFile.lists(lists.items.values)
    val items = TextFile.byteStrings(inner.items.values)
    if (lists.itemCount != postings.size)
      throw new LanceFormatException(s"positions of ${lists.itemCount} documents, of ${postings.size}")
    decoder.placesByDocument(
      postings,
      i => (inner.offsets(i) until inner.offsets(i + 1)).map(TextFile.slice(items, _)).toVector
    )
  }

  private def countOf(file: TextFile): Int = {
    if (file.rows > MaxRows) throw new LanceFormatException(s"a part of a text index with ${file.rows} rows")
    file.rows.toInt
  }
}

private[text] object TextPartition {
  final private val MaxRows = 1L << 28

  /** Columns of postings, and of positions. */
  private[text] val PostingColumns: Vector[String] = Vector("_posting", "_length")
  private[text] val PlaceColumns: Vector[String] = Vector("_compressed_position", "_position_block_offset")

  /** Returns the name of a file of a partition. */
  def fileName(number: Long, kind: String): String =
    s"part_${java.lang.Long.toUnsignedString(number)}_$kind.lance"

  private val parts = new WeightedCache[String, AnyRef](math.min(1L << 30, Runtime.getRuntime.maxMemory / 6))

  private def cached[A <: AnyRef](key: String)(weigh: A => Long)(read: => A): A =
    parts.getOrElseUpdate(key, value => weigh(value.asInstanceOf[A]) + 2L * key.length)(read).asInstanceOf[A]

  /** Forgets all parts. */
  def clear(): Unit = parts.clear()

  /** Decodes the list of a row of the first columns.
    *
    * @param most
    *   number of documents of the partition
    */
  private[text] def decode(form: PostingForm, columns: Vector[Column], row: Int, most: Int): Postings = {
    val blocks = TextFile.lists(columns.head.values)
    val items = TextFile.byteStrings(blocks.items.values)
    val count = TextFile.int(columns(1), row)
    val (first, found) = (blocks.offsets(row), blocks.offsets(row + 1) - blocks.offsets(row))
    if (count < 0 || count > most || found != (count + form.block - 1) / form.block)
      throw new LanceFormatException(s"a posting list of $count among $most documents, in $found blocks")
    new PostingDecoder(form).postings(count, most, block => TextFile.slice(items, first + block))
  }

  /** Decodes the positions of a row of two columns. */
  private[text] def decodePlaces(
      decoder: PostingDecoder,
      postings: Postings,
      columns: Vector[Column],
      row: Int
  ): Places = {
    val bytes = TextFile.slice(TextFile.byteStrings(columns.head.values), row)
    val lists = TextFile.lists(columns(1).values)
    val all = TextFile.ints(lists.items)
    val offsets = java.util.Arrays.copyOfRange(all, lists.offsets(row), lists.offsets(row + 1))
    decoder.places(postings, chunk(bytes, offsets, _))
  }

  private def chunk(bytes: Slice, offsets: Array[Int], i: Int): Slice = {
    if (i >= offsets.length) throw new LanceFormatException(s"${offsets.length} chunks of positions, too few")
    val end = if (i + 1 < offsets.length) offsets(i + 1) else bytes.length
    bytes.slice(offsets(i).toLong, end.toLong - offsets(i), "a chunk of positions")
  }
}
