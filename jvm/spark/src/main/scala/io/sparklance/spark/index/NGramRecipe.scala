package io.sparklance.spark.index

import io.sparklance.index.IndexKind
import io.sparklance.index.build._
import io.sparklance.schema.LogicalType

/** Builds n-gram indices of texts. */
final private[index] class NGramRecipe extends PostingsRecipe(IndexKind.NGram) {

  def fits(column: IndexedColumn): Boolean = column.field.logicalType match {
    case LogicalType.Utf8(_) => true
    case _ => false
  }

  def takes: String = "strings"

  def build(work: IndexWork): BuiltSegment =
    run(work, PostingsSource.Tokens(IndexKeys.ofNumbers))(NGramTask(_, _))(PostingsRecipe.LongKeys)
}

/** Writes an n-gram index from sorted sets, in a task. */
private object NGramTask {
  def apply(place: SegmentPlace, rows: Iterator[KeyedPostings[java.lang.Long]]): WrittenIndexFile = {
    val writer = new NGramWriter(place.store, place.directory, place.version)
    UnfinishedFile.writing(writer) { writer =>
      MergedPostings.of(rows.buffered, IndexKeys.ofNumbers).foreach { case (token, set) =>
        token.foreach(number => writer.append(number.intValue, set))
      }
      writer.finish()
    }
  }
}
