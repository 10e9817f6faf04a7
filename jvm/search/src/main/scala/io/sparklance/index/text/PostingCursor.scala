package io.sparklance.index.text

import io.sparklance.LanceFormatException

/** Reads the lists of a partition one after the other. [[token]] is null before the first call of [[next]]
  * and after the last list.
  */
final private[text] class PostingCursor(file: TextFile, val documents: Documents, vocabulary: Vocabulary)
    extends AutoCloseable {
  private val form = PostingForm.of(file.metadata)
  private val decoder = new PostingDecoder(form)
  private val hasPlaces = file.has("_compressed_position")
  private val scan =
    file.scan(TextPartition.PostingColumns ++ (if (hasPlaces) TextPartition.PlaceColumns else Vector.empty))
  private var at = -1
  private var current: Array[Byte] = _
  private var (row, filled) = (-1, 0)
  private var list: Postings = _

  def token: Array[Byte] = current
  def postings: Postings = list

  /** Moves on. Fails if the lists are not in the order of the tokens. */
  def next(): Unit = {
    at += 1
    row += 1
    if (at >= vocabulary.size) current = null
    else {
      if (row >= filled) fill()
      if (vocabulary.number(at) != at)
        throw new LanceFormatException("posting lists that are not in the order of their tokens")
      current = vocabulary.token(at)
      list = TextPartition.decode(form, scan.columns, row, documents.size)
    }
  }

  /** Returns the positions of the current list. */
  def places: Places = TextPartition.decodePlaces(decoder, list, scan.columns.drop(2), row)

  private def fill(): Unit = {
    scan.advance(filled)
    scan.columns.foreach(_.discardHead(filled))
    filled = scan.fill(PostingCursor.Rows)
    row = 0
    if (filled == 0) throw new LanceFormatException(s"$at posting lists for ${vocabulary.size} tokens")
  }

  def close(): Unit = file.close()
}

private object PostingCursor {

  /** Lists to read at once. */
  final private val Rows = 64
}
