package io.sparklance.index.text

/** The scores of BM25, in the arithmetic of the reference.
  *
  * @param documents
  *   number of all documents
  * @param tokens
  *   number of all tokens
  */
final private[text] class Bm25(documents: Long, tokens: Long) {
  import Bm25._

  private val meanLength = tokens.toFloat / documents.toFloat

  /** Identifies scorers that give equal scores at equal weights. */
  val scale: Int = java.lang.Float.floatToRawIntBits(meanLength)

  /** Returns the weight of a token that some of the documents have. */
  def weight(frequency: Long): Float =
    if (frequency == 0) 0f
    else {
      val (all, some) = (documents.toFloat, frequency.toFloat)
      math.log((((all - some + 0.5f) / (some + 0.5f)) + 1f).toDouble).toFloat
    }

  /** Returns how much a document's length lowers its score. */
  def norm(length: Int): Float = K1 * (1f - B + B * length.toFloat / meanLength)

  def score(frequency: Int, norm: Float): Float = {
    val f = frequency.toFloat
    (K1 + 1f) * f / (f + norm)
  }
}

private[text] object Bm25 {
  final private val K1 = 1.2f
  final private val B = 0.75f

  /** Limit of the score of a token with weight 1. */
  final val Most = K1 + 1f

  /** Returns the length that indices with blocks of 256 documents keep of a length. */
  def rounded(length: Int): Int =
    if (length < 8) length
    else {
      val shift = 28 - Integer.numberOfLeadingZeros(length)
      ((length >>> shift) & 7 | 8) << shift
    }

  /** Returns the code of a rounded length, of 8 bits, in the order of the lengths. */
  def code(length: Int): Int =
    if (length < 8) length
    else {
      val shift = 28 - Integer.numberOfLeadingZeros(length)
      (length >>> shift) & 7 | (shift + 1) << 3
    }

  /** Returns the rounded length of a code. */
  def length(code: Int): Int = if (code < 8) code else (code & 7 | 8) << (code >> 3) - 1
}
