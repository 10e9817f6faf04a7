package io.sparklance.index.text.build

import java.nio.charset.StandardCharsets.UTF_8

import io.sparklance.LanceFormatException
import io.sparklance.data.{DataBlock, ListBlock, VariableBlock}
import io.sparklance.index.build.{IndexedRows, WrittenIndexFile}

/** A partition whose files are written.
  *
  * @param documents
  *   number of its documents
  */
final private[sparklance] case class WrittenPartition(
    number: Long,
    documents: Int,
    files: Vector[WrittenIndexFile]
) {
  def sizeInBytes: Long = files.iterator.map(_.sizeBytes).sum
}

/** Collects the texts of rows, and writes a partition each time its memory is full. Belongs to one thread.
  *
  * @param memory
  *   bytes for the texts of a partition
  * @param number
  *   gives a new partition its number
  */
final private[sparklance] class TextDocuments(files: TextFiles, memory: Long, number: Int => Long) {
  private val analyzer = files.form.parameters.analysis.analyzer()
  private var buffer = new PartitionBuffer(files.form.withPosition)
  private val written = Vector.newBuilder[WrittenPartition]
  private var count = 0

  /** Adds the rows of a batch. */
  def add(rows: IndexedRows): Unit = {
    val values = rows.values.values
    var row = 0
    while (row < rows.count) {
      if (!rows.isNull(row)) add(TextDocuments.text(values, row), rows.number(row))
      row += 1
    }
  }

  private def add(text: String, rowId: Long): Unit = {
    buffer.add(text, rowId, analyzer)
    if (buffer.sizeInBytes >= memory || buffer.documents == TextDocuments.MostDocuments) flush()
  }

  /** Writes the last partition. Returns all. */
  def finish(): Vector[WrittenPartition] = {
    flush()
    written.result()
  }

  private def flush(): Unit = if (!buffer.isEmpty) {
    val own = number(count)
    written += WrittenPartition(own, buffer.documents, buffer.write(files, own))
    count += 1
    buffer = new PartitionBuffer(files.form.withPosition)
  }
}

private[text] object TextDocuments {

  /** Most documents of a partition. */
  final private val MostDocuments = 1 << 27

  /** Returns the text of a row: a string, or the strings of a list, nulls left out, with blanks between. */
  def text(values: DataBlock, row: Int): String = values match {
    case texts: VariableBlock => string(texts, row)
    case lists: ListBlock => lists.items.values match {
        case texts: VariableBlock =>
          val all = new java.lang.StringBuilder
          var item = lists.offsets(row)
          while (item < lists.offsets(row + 1)) {
            if (!lists.items.nulls.isNull(item)) {
              if (all.length > 0) all.append(' ')
              all.append(string(texts, item))
            }
            item += 1
          }
          all.toString
        case other => throw wrong(other)
      }
    case other => throw wrong(other)
  }

  private def wrong(block: DataBlock) =
    new LanceFormatException(s"texts in a column of ${block.getClass.getSimpleName}")

  private def string(texts: VariableBlock, row: Int): String =
    new String(texts.bytes, texts.offsets(row), texts.offsets(row + 1) - texts.offsets(row), UTF_8)
}
