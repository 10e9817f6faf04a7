package io.sparklance.index.text.build

import java.nio.charset.StandardCharsets.UTF_8
import java.util.Arrays

import io.sparklance.index.build.{UnfinishedFile, WrittenIndexFile}
import io.sparklance.text.{Analysis, Tokens, Utf8Words, WordReceiver}

/** The documents of a partition, in memory: for each, its tokens with their frequencies, in the order of
  * their first places; with positions these, for one token after the other. Belongs to one thread.
  */
final private[build] class PartitionBuffer(withPosition: Boolean, analysis: Analysis) {
  private val tokens = new TokenTable
  private val analyzer = analysis.analyzer()
  private val words = Utf8Words.of(analysis.tokenizer)
  private val known = new WordTable
  private var text = Array.emptyByteArray
  private var rowIds = new Array[Long](1 << 10)

  // By document: number of its tokens, end of its entries.
  private val lengths, ends = new Ints

  // By entry: token, frequency.
  private val entryTokens, entryFrequencies = new Ints
  private val positions = new Ints

  // By token: number of its entries, of its places, and its last entry.
  private var entryCounts, placeCounts = new Array[Int](1 << 10)
  private var lastEntries = filled(1 << 10)

  // Of the document at hand, by place: entry, position.
  private val places, placePositions = new Ints
  private var starts = new Array[Int](64)

  private val collect: Tokens = (token, position) => add(tokens.number(token), position)

  private val collectWords: WordReceiver = (from, until, hash, position) => {
    val token = known.find(text, from, until, hash) match {
      case WordTable.Unknown => numbered(from, until, hash)
      case token => token
    }
    if (token >= 0) add(token, position)
  }

  def isEmpty: Boolean = lengths.size == 0
  def documents: Int = lengths.size

  /** Bytes in memory, and of the arrays that [[write]] adds, about. */
  def sizeInBytes: Long =
    tokens.sizeInBytes + known.sizeInBytes + 36L * lengths.size + 16L * entryTokens.size + 8L * positions.size

  /** Adds a text, unless it has no tokens. */
  def add(bytes: Array[Byte], from: Int, until: Int, rowId: Long): Unit = {
    val first = entryTokens.size
    places.clear()
    placePositions.clear()
    words match {
      case Some(words) =>
        text = bytes
        words.split(bytes, from, until, collectWords)
      case None => analyzer.analyze(new String(bytes, from, until - from, UTF_8), collect)
    }
    if (places.size > 0) {
      if (withPosition) sortPositions(first)
      if (lengths.size == rowIds.length) rowIds = Arrays.copyOf(rowIds, Ints.grown(rowIds.length))
      rowIds(lengths.size) = rowId
      lengths.add(places.size)
      ends.add(entryTokens.size)
    }
  }

  /** Returns the number of a new word's token, which is remembered; [[WordTable.Removed]] if it has none. */
  private def numbered(from: Int, until: Int, hash: Int): Int = {
    val token =
      analyzer.token(new String(text, from, until - from, UTF_8)).fold(WordTable.Removed)(tokens.number)
    known.add(text, from, until, hash, token)
    token
  }

  private def add(token: Int, position: Int): Unit = {
    if (token == entryCounts.length) growTokens()
    val first = if (ends.size == 0) 0 else ends.array(ends.size - 1)
    var entry = lastEntries(token)
    if (entry < first) {
      entry = entryTokens.size
      entryTokens.add(token)
      entryFrequencies.add(0)
      entryCounts(token) += 1
      lastEntries(token) = entry
    }
    entryFrequencies.array(entry) += 1
    placeCounts(token) += 1
    places.add(entry)
    if (withPosition) placePositions.add(position)
  }

  /** Appends the positions of the document at hand, by entry. */
  private def sortPositions(first: Int): Unit = {
    val count = entryTokens.size - first
    if (starts.length < count) starts = new Array[Int](2 * count)
    var (at, i) = (positions.size, 0)
    while (i < count) {
      starts(i) = at
      at += entryFrequencies.array(first + i)
      i += 1
    }
    i = 0
    while (i < places.size) { positions.add(0); i += 1 }
    i = 0
    while (i < places.size) {
      val entry = places.array(i) - first
      positions.array(starts(entry)) = placePositions.array(i)
      starts(entry) += 1
      i += 1
    }
  }

  private def growTokens(): Unit = {
    val (before, size) = (lastEntries.length, Ints.grown(lastEntries.length))
    entryCounts = Arrays.copyOf(entryCounts, size)
    placeCounts = Arrays.copyOf(placeCounts, size)
    lastEntries = Arrays.copyOf(lastEntries, size)
    Arrays.fill(lastEntries, before, size, -1)
  }

  private def filled(size: Int): Array[Int] = Array.fill(size)(-1)

  /** Writes the files of the partition. */
  def write(files: TextFiles, number: Long): Vector[WrittenIndexFile] = {
    val writer = new PartitionWriter(files, number, new WrittenDocuments(rowIds, lengths.array, lengths.size))
    UnfinishedFile.writing(writer) { writer =>
      new InvertedEntries().write(writer)
      writer.finish()
    }
  }

  /** The entries by token. */
  final private class InvertedEntries {
    private val sorted = tokens.sorted
    private val entryStarts = startsOf(entryCounts)
    private val documents, frequencies = new Array[Int](entryTokens.size)
    private val placeStarts = if (withPosition) startsOf(placeCounts) else Array.emptyIntArray
    private val inverted = new Array[Int](positions.size)
    invert()

    def write(writer: PartitionWriter): Unit = sorted.foreach { token =>
      val (count, end) = (entryCounts(token.number), entryStarts(token.number))
      val placesFrom = if (withPosition) placeStarts(token.number) - placeCounts(token.number) else 0
      writer.append(
        token.bytes,
        new PostingRange(documents, frequencies, end - count, count, inverted, placesFrom)
      )
    }

    private def startsOf(counts: Array[Int]): Array[Int] = {
      val starts = new Array[Int](tokens.size)
      var sum = 0
      sorted.foreach { token =>
        starts(token.number) = sum
        sum += counts(token.number)
      }
      starts
    }

    /** Moves the starts of tokens to the ends of their entries. */
    private def invert(): Unit = {
      var (entry, place, document) = (0, 0, 0)
      while (document < lengths.size) {
        val end = ends.array(document)
        while (entry < end) {
          val (token, frequency) = (entryTokens.array(entry), entryFrequencies.array(entry))
          val to = entryStarts(token)
          documents(to) = document
          frequencies(to) = frequency
          entryStarts(token) = to + 1
          if (withPosition) {
            System.arraycopy(positions.array, place, inverted, placeStarts(token), frequency)
            placeStarts(token) += frequency
            place += frequency
          }
          entry += 1
        }
        document += 1
      }
    }
  }
}
