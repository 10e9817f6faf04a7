package io.sparklance.spark.index

import org.apache.spark.sql.Encoder

import io.sparklance.index.IndexKind
import io.sparklance.index.build._
import io.sparklance.schema.{Field, LogicalType}

/** Builds bitmap indices, and label lists.
  *
  * @param ofItems
  *   whether keys are the items of lists
  */
final private[index] class BitmapRecipe(ofItems: Boolean)
    extends PostingsRecipe(if (ofItems) IndexKind.LabelList else IndexKind.Bitmap) {

  def fits(column: IndexedColumn): Boolean =
    keyed(column.field).exists(field => IndexKeys.of(field.logicalType).isDefined)

  def takes: String = {
    val flat = "booleans, numbers, strings, binary values, dates, times, timestamps and durations"
    if (ofItems) s"arrays of $flat" else flat
  }

  def build(work: IndexWork): BuiltSegment = {
    val field = keyed(work.column.field).getOrElse(work.column.field)
    IndexKeys.of(field.logicalType) match {
      case Some(keys: NumberIndexKeys) => build(work, field, keys)(PostingsRecipe.LongKeys)
      case Some(keys: ByteIndexKeys) => build(work, field, keys)(PostingsRecipe.ByteKeys)
      case None => throw new IllegalStateException(s"no keys of ${field.logicalType}")
    }
  }

  private def build[K <: AnyRef](work: IndexWork, field: Field, keys: IndexKeys[K])(implicit
      encoder: Encoder[K]
  ): BuiltSegment = {
    val source = if (ofItems) PostingsSource.Items(keys) else PostingsSource.Values(keys)
    val task = new BitmapTask(field, keys, ofItems)
    run(work, source)(task(_, _))
  }

  /** Returns the field whose values are keys. */
  private def keyed(field: Field): Option[Field] = field.logicalType match {
    case LogicalType.List(_, _) if ofItems => field.children.headOption
    case _ => Option.unless(ofItems)(field)
  }
}

/** Writes a bitmap index from sorted sets, in a task. */
final private class BitmapTask[K <: AnyRef](
    field: Field,
    keys: IndexKeys[K],
    ofItems: Boolean
) extends Serializable {
  def apply(place: SegmentPlace, rows: Iterator[KeyedPostings[K]]): WrittenIndexFile = {
    val sorted = rows.buffered
    val nullLists = MergedPostings.nullLists(sorted)
    val nulls = Option.when(ofItems)(nullLists.encode)
    val writer = new BitmapWriter(place.store, place.directory, field, place.version, keys, nulls)
    UnfinishedFile.writing(writer) { writer =>
      MergedPostings.of(sorted, keys).foreach { case (key, set) => writer.append(key, set.encode) }
      writer.finish()
    }
  }
}
