package io.sparklance.encoding.physical

import java.util.Arrays

import io.sparklance.data.VariableBlock

/** Finds symbols that shorten the strings of a page. Each round encodes a sample with the symbols of the
  * previous round and keeps those symbols, and concatenations of neighbours, that save most. The best round
  * counts.
  *
  * @see
  *   Boncz, Neumann, Leis: FSST, Fast Random Access String Compression, VLDB 2020
  */
private[physical] object FsstTraining {
  private val SampleBytes = 1 << 15
  private val PieceBytes = 512

  /** Minimum frequency of a symbol in each round, in 128ths of [[Often]]: early rounds try many. The last
    * tries no new ones.
    */
  private val Rounds = Vector(8, 38, 68, 98, 98, 98, 98, 128)
  private val Often = 5

  /** Codes below this are bytes without a symbol; codes from here on are symbols. */
  private val FirstSymbol = 256
  private val Codes = 2 * FirstSymbol

  /** @param sample the result of [[sampleOf]] */
  def symbolsFor(sample: VariableBlock): FsstSymbols = {
    val codes = new Array[Byte](2 * sample.byteLength)
    Rounds.scanLeft(FsstSymbols.None)(improve(_, sample, _)).minBy(encode(_, sample, codes))
  }

  /** Encodes the sample string by string, each to the start of `codes`. Returns the total length of the
    * codes.
    */
  private def encode(symbols: FsstSymbols, sample: VariableBlock, codes: Array[Byte]): Int = {
    var size = 0
    var i = 0
    while (i < sample.length) {
      size += symbols.encode(sample.bytes, sample.offsets(i), sample.offsets(i + 1), codes, 0)
      i += 1
    }
    size
  }

  /** Samples pieces of strings from all over the page. */
  def sampleOf(strings: VariableBlock): VariableBlock = {
    val sample = new VariableBlock
    val average = math.max(1, math.min(PieceBytes.toLong, strings.byteLength.toLong / strings.length)).toInt
    val pieces = math.min(strings.length, SampleBytes / average)
    var i = 0
    while (i < pieces) {
      val row = (i.toLong * strings.length / pieces).toInt
      val size = strings.offsets(row + 1) - strings.offsets(row)
      val slack = math.max(0, size - PieceBytes)
      val skipped = if (slack == 0) 0 else ((i * 0x9e3779b1L & 0x7fffffffL) % slack).toInt
      sample.append(strings.bytes, strings.offsets(row) + skipped, size - slack)
      i += 1
    }
    sample
  }

  private def improve(symbols: FsstSymbols, sample: VariableBlock, part: Int): FsstSymbols = {
    val counts = new Counts
    var i = 0
    while (i < sample.length) { counts.add(symbols, sample, i, pairs = part < 128); i += 1 }
    counts.best(symbols, atLeast = Often * part / 128)
  }

  /** Frequencies of codes, and of pairs of codes. */
  final private class Counts {
    private val ones = new Array[Int](Codes)
    private val twos = new Array[Int](Codes * Codes)

    def add(symbols: FsstSymbols, sample: VariableBlock, row: Int, pairs: Boolean): Unit = {
      val end = sample.offsets(row + 1)
      var at = sample.offsets(row)
      var before = -1
      while (at < end) {
        val first = sample.bytes(at) & 0xff
        val found = symbols.find(FsstSymbols.word(sample.bytes, at, end - at), end - at)
        val length = if (found < 0) 1 else found & 15
        val code = if (found < 0) first else FirstSymbol + (found >> FsstSymbols.LengthBits)
        ones(code) += 1
        if (length > 1) ones(first) += 1
        if (pairs && before >= 0) {
          twos(before * Codes + code) += 1
          if (length > 1) twos(before * Codes + first) += 1
        }
        before = code
        at += length
      }
    }

    def best(symbols: FsstSymbols, atLeast: Int): FsstSymbols = {
      val candidates = new Candidates
      def word(code: Int) = if (code < FirstSymbol) code.toLong else symbols.words(code - FirstSymbol)
      def length(code: Int) = if (code < FirstSymbol) 1 else symbols.lengths(code - FirstSymbol)
      var a = 0
      while (a < Codes) {
        if (ones(a) > 0) {
          val size = length(a)
          // A byte without a symbol takes two.
          val weight = if (size == 1) 8 else 1
          if (ones(a) * weight >= atLeast) candidates.add(word(a), size, ones(a) * weight * size)
          var b = 0
          while (size < 8 && b < Codes) {
            val n = twos(a * Codes + b)
            if (n > 0 && n >= atLeast) {
              val both = math.min(8, size + length(b))
              candidates.add((word(a) | word(b) << 8 * size) & -1L >>> 64 - 8 * both, both, n * both)
            }
            b += 1
          }
        }
        a += 1
      }
      candidates.best
    }
  }

  /** Candidate symbols with their savings; a symbol that is found in several ways counts once. */
  final private class Candidates {
    private val Slots = 1 << 16
    private val words = new Array[Long](Slots)
    private val lengths = new Array[Int](Slots)
    private val gains = new Array[Int](Slots)
    private var count = 0

    def add(word: Long, length: Int, gain: Int): Unit = if (count < Slots / 2) {
      var slot = ((word + length) * 0x9e3779b97f4a7c15L >>> 48).toInt
      while (lengths(slot) != 0 && (words(slot) != word || lengths(slot) != length))
        slot = slot + 1 & Slots - 1
      if (lengths(slot) == 0) count += 1
      words(slot) = word
      lengths(slot) = length
      gains(slot) += gain
    }

    def best: FsstSymbols = {
      val ranked = new Array[Long](count)
      var n = 0
      var slot = 0
      while (slot < Slots) {
        if (lengths(slot) > 0) { ranked(n) = gains(slot).toLong << 32 | slot; n += 1 }
        slot += 1
      }
      Arrays.sort(ranked)
      val chosen = ranked.reverseIterator.take(255).map(_.toInt).toArray
      new FsstSymbols(chosen.map(words(_)), chosen.map(lengths(_)))
    }
  }
}
