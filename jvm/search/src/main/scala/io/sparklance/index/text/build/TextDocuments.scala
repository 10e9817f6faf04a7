package io.sparklance.index.text.build

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
  private var buffer = empty
  private val joined = new Bytes
  private val written = Vector.newBuilder[WrittenPartition]
  private var count = 0

  /** Adds the rows of a batch. */
  def add(rows: IndexedRows): Unit = {
    val values = rows.values.values
    var row = 0
    while (row < rows.count) {
      if (!rows.isNull(row)) add(values, row, rows.number(row))
      row += 1
    }
  }

  private def add(values: DataBlock, row: Int, rowId: Long): Unit = {
    values match {
      case texts: VariableBlock =>
        buffer.add(texts.bytes, texts.offsets(row), texts.offsets(row + 1), rowId)
      case lists: ListBlock =>
        join(lists, row)
        buffer.add(joined.array, 0, joined.size, rowId)
      case other => throw TextDocuments.wrong(other)
    }
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
    buffer = empty
  }

  private def empty = new PartitionBuffer(files.form.withPosition, files.form.parameters.analysis)

  /** Joins the strings of a list, nulls left out, with blanks between. */
  private def join(lists: ListBlock, row: Int): Unit = lists.items.values match {
    case texts: VariableBlock =>
      joined.clear()
      var item = lists.offsets(row)
      while (item < lists.offsets(row + 1)) {
        if (!lists.items.nulls.isNull(item)) {
          if (joined.size > 0) joined.byte(' ')
          joined.append(texts.bytes, texts.offsets(item), texts.offsets(item + 1) - texts.offsets(item))
        }
        item += 1
      }
    case other => throw TextDocuments.wrong(other)
  }
}

private object TextDocuments {

  /** Most documents of a partition. */
  final private val MostDocuments = 1 << 27

  private def wrong(block: DataBlock) =
    new LanceFormatException(s"texts in a column of ${block.getClass.getSimpleName}")
}
