package io.sparklance.index.text

import io.sparklance.LanceFormatException

/** The documents that have a token.
  *
  * @param documents
  *   their numbers, ascending
  * @param frequencies
  *   how often each has it
  */
final private[text] class Postings(val documents: Array[Int], val frequencies: Array[Int]) {
  def size: Int = documents.length
}

/** The places at which documents have a token.
  *
  * @param starts
  *   for each document, where its places begin, and the end of all
  */
final private[text] class Places(val starts: Array[Int], val values: Array[Int]) {
  def weight: Long = 4L * (starts.length + values.length) + 64
}

/** The form in which a file stores posting lists.
  *
  * @param block
  *   documents of a block
  * @param isVarint
  *   whether the last block has numbers of variable length
  * @param packsPositions
  *   whether positions are in groups of 128
  */
final private[text] case class PostingForm(block: Int, isVarint: Boolean, packsPositions: Boolean)

private[text] object PostingForm {
  def of(metadata: Map[String, String]): PostingForm = {
    val block = metadata.getOrElse("posting_block_size", "128") match {
      case "128" => 128
      case "256" => 256
      case other => throw new LanceFormatException(s"posting lists in blocks of $other documents")
    }
    val isVarint = metadata.getOrElse("posting_tail_codec", "fixed32_v1") match {
      case "fixed32_v1" => false
      case "varint_delta_v1" => true
      case other => throw new LanceFormatException(s"posting lists with the codec '$other'")
    }
    val packs = metadata.get("positions_codec") match {
      case Some("packed_delta_v1") => true
      case None | Some("varint_doc_delta_v2") => false
      case Some(other) => throw new LanceFormatException(s"positions with the codec '$other'")
    }
    PostingForm(block, isVarint, packs)
  }
}
