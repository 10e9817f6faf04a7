package io.sparklance.index.text.build

import java.util.Arrays

import io.sparklance.LanceFormatException
import io.sparklance.index.SegmentFiles
import io.sparklance.index.build.UnfinishedFile
import io.sparklance.index.text.{PostingCursor, TextPartition}

/** Joins partitions that this package wrote, whose lists are in the order of their tokens, to one. Memory is
  * that of all documents and tokens, and of the lists of one token.
  */
private[sparklance] object PartitionMerge {

  /** @param number of the new partition */
  def run(files: TextFiles, parts: Vector[WrittenPartition], number: Long): WrittenPartition = {
    val cursors = parts.map { part =>
      val sizes = part.files.map(file => file.name -> file.sizeBytes).toMap
      new TextPartition(files.store, SegmentFiles(files.directory, sizes), part.number, isFst = true).cursor()
    }
    try {
      val documents = joined(cursors)
      val writer = new PartitionWriter(files, number, documents)
      val written = UnfinishedFile.writing(writer) { writer =>
        new PartitionMerge(cursors, files.form.withPosition).write(writer)
        writer.finish()
      }
      WrittenPartition(number, documents.size, written)
    } finally cursors.foreach(_.close())
  }

  private def joined(cursors: Vector[PostingCursor]): WrittenDocuments = {
    val size = cursors.iterator.map(_.documents.size).foldLeft(0)(Math.addExact)
    val (rowIds, lengths) = (new Array[Long](size), new Array[Int](size))
    cursors.foldLeft(0) { (at, cursor) =>
      System.arraycopy(cursor.documents.rowIds, 0, rowIds, at, cursor.documents.size)
      System.arraycopy(cursor.documents.lengths, 0, lengths, at, cursor.documents.size)
      at + cursor.documents.size
    }
    new WrittenDocuments(rowIds, lengths, size)
  }
}

final private class PartitionMerge(cursors: Vector[PostingCursor], withPosition: Boolean) {
  private val firsts = cursors.map(_.documents.size).scanLeft(0)(_ + _)
  private var documents, frequencies, positions = new Array[Int](1 << 10)
  private var count, places = 0

  def write(writer: PartitionWriter): Unit = {
    cursors.foreach(advance)
    var token = least()
    while (token != null) {
      count = 0
      places = 0
      var i = 0
      while (i < cursors.size) {
        if (cursors(i).token != null && Arrays.equals(cursors(i).token, token)) {
          append(cursors(i), firsts(i))
          advance(cursors(i))
        }
        i += 1
      }
      writer.append(token, new PostingRange(documents, frequencies, 0, count, positions, 0))
      token = least()
    }
  }

  private def advance(cursor: PostingCursor): Unit = {
    val before = cursor.token
    cursor.next()
    if (before != null && cursor.token != null && Arrays.compareUnsigned(before, cursor.token) >= 0)
      throw new LanceFormatException("a partition of a text index whose lists are not sorted by token")
  }

  private def least(): Array[Byte] = {
    var least: Array[Byte] = null
    var i = 0
    while (i < cursors.size) {
      val token = cursors(i).token
      if (token != null && (least == null || Arrays.compareUnsigned(token, least) < 0)) least = token
      i += 1
    }
    least
  }

  private def append(cursor: PostingCursor, first: Int): Unit = {
    val list = cursor.postings
    documents = sized(documents, count, list.size)
    frequencies = sized(frequencies, count, list.size)
    var i = 0
    while (i < list.size) { documents(count + i) = first + list.documents(i); i += 1 }
    System.arraycopy(list.frequencies, 0, frequencies, count, list.size)
    count += list.size
    if (withPosition) {
      val all = cursor.places.values
      positions = sized(positions, places, all.length)
      System.arraycopy(all, 0, positions, places, all.length)
      places += all.length
    }
  }

  private def sized(array: Array[Int], used: Int, more: Int): Array[Int] = {
    val needed = Math.addExact(used, more)
    if (needed <= array.length) array else Arrays.copyOf(array, math.max(needed, Ints.grown(array.length)))
  }
}
