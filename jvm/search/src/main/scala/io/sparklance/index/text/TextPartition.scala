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

  private val place = s"${files.directory}/$number"
  private def name(kind: String): String = fileName(number, kind)

  private def reading[A](kind: String)(use: TextFile => A): A =
    LanceFormatException.locating(Location(file = Some(StorePath.join(files.directory, name(kind))))) {
      Using.resource(TextFile.open(store, files, name(kind)))(use)
    }

  private val keptDocuments =
    new Once(cached(PartKey(place, "docs"))((d: Documents) => d.weight)(readDocuments()))
  def documents: Documents = keptDocuments.value

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

  private val keptVocabulary =
    new Once(cached(PartKey(
      place,
      "tokens"
    ))((v: Vocabulary) => v.weight)(readVocabulary(heads.frequencies.length)))
  def vocabulary: Vocabulary = keptVocabulary.value

  /** @param lists
    *   number of posting lists
    */
  private def readVocabulary(lists: => Int): Vocabulary = reading("tokens") { file =>
    if (!isFst) {
      val _ = countOf(file)
      Vocabulary.ofTable(file)
    } else {
      if (file.rows != 1) throw new LanceFormatException(s"${file.rows} transducers of a text index")
      val columns = file.read(Vector("_token_fst_bytes", "_token_total_length"), 0, 1)
      val bytes = TextFile.slice(TextFile.byteStrings(columns.head.values), 0)
      Vocabulary.ofFst(bytes, lists, TextFile.longs(columns(1)).head)
    }
  }

  /** Returns the numbers of documents and of tokens. */
  def sizes: (Long, Long) = (reading("docs")(_.rows), reading("invert")(_.rows))

  /** Reads what all searches need: each of these parts from a file of its own, so that they go side by side.
    */
  def opening: Vector[() => Unit] = Vector(
    () => { val _ = documents },
    () => { val _ = heads },
    () => { val _ = vocabulary }
  )

  /** Does so. */
  def prewarm(): Unit = opening.foreach(_.apply())

  /** Opens all lists, to be read once, in the order of the file. Nothing of them is kept in memory. */
  def cursor(): PostingCursor =
    new PostingCursor(
      TextFile.open(store, files, name("invert")),
      readDocuments(),
      readVocabulary(reading("invert")(countOf))
    )

  private val keptHeads = new Once(
    cached(PartKey(place, "heads"))((all: PostingHeads) => 4L * all.frequencies.length + 64)(
      reading("invert") { file =>
        val frequencies = TextFile.ints(file.read(Vector("_length"), 0, countOf(file)).head)
        new PostingHeads(PostingForm.of(file.metadata), frequencies)
      }
    )
  )
  private def heads: PostingHeads = keptHeads.value
  private def form: PostingForm = heads.form

  /** Returns the number of the documents that have a token. */
  def frequency(token: Int): Int = heads.frequencies(token)

  /** Returns the documents that have a token, with their scores. */
  def scored(token: Int, scorer: Bm25): ScoredList =
    cached(listKey(token, scorer))((list: ScoredList) => list.weight)(
      scored(reading("invert")(file => file.readRow(PostingColumns, token.toLong)(postings(_, 0))), scorer)
    )

  /** Caches the documents of several tokens.
    *
    * @param tokens
    *   ascending
    */
  def load(tokens: Array[Int], scorer: Bm25): Unit = {
    val missing = tokens.filter(token => parts.find(listKey(token, scorer)).isEmpty)
    if (missing.nonEmpty) reading("invert") { file =>
      file.readRows(PostingColumns, missing) { (columns, row, token) =>
        val list = scored(postings(columns, row), scorer)
        parts.put(listKey(token, scorer), list, list.weight + KeyWeight)
      }
    }
  }

  private def listKey(token: Int, scorer: Bm25) = PartKey(place, "list", token, scorer.scale)

  private def scored(postings: Postings, scorer: Bm25): ScoredList =
    ScoredList.of(postings, documents.lengths, isRounded = form.block == 256, scorer)

  private def postings(columns: Vector[Column], row: Int): Postings =
    decode(form, columns, row, documents.size)

  /** Returns where documents have a token. */
  def places(token: Int): Places = cached(PartKey(place, "places", token))((p: Places) => p.weight) {
    reading("invert") { file =>
      val postings = file.readRow(PostingColumns, token.toLong)(this.postings(_, 0))
      val decoder = new PostingDecoder(form)
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

/** The form of the posting lists of a partition, and their lengths.
  *
  * @param frequencies
  *   number of the documents in each
  */
final private class PostingHeads(val form: PostingForm, val frequencies: Array[Int])

/** A part of a partition that is kept in memory.
  *
  * @param token
  *   its number, if the part belongs to one
  * @param scale
  *   of the scores in it, see [[Bm25.scale]]
  */
final private case class PartKey(partition: String, what: String, token: Int = -1, scale: Int = 0)

private[text] object TextPartition {
  final private val MaxRows = 1L << 28

  /** Columns of postings, and of positions. */
  private[text] val PostingColumns: Vector[String] = Vector("_posting", "_length")
  private[text] val PlaceColumns: Vector[String] = Vector("_compressed_position", "_position_block_offset")

  /** Returns the name of a file of a partition. */
  def fileName(number: Long, kind: String): String =
    s"part_${java.lang.Long.toUnsignedString(number)}_$kind.lance"

  private val parts =
    new WeightedCache[PartKey, AnyRef](math.min(1L << 30, Runtime.getRuntime.maxMemory / 6))

  /** Bytes of an entry besides its value, about. */
  final private val KeyWeight = 128L

  /** Returns a part that is kept, or reads it. */
  private[text] def cached[A <: AnyRef](key: PartKey)(weigh: A => Long)(read: => A): A =
    parts.getOrElseUpdate(key, value => weigh(value.asInstanceOf[A]) + KeyWeight)(read).asInstanceOf[A]

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
