package io.sparklance.spark.index

import org.apache.spark.sql.{Encoder, Encoders, SparkSession}

import io.sparklance.index.IndexKind
import io.sparklance.index.build._
import io.sparklance.schema.{Field, LogicalType}

/** Builds indices that have a row set for each key: tasks collect the sets of their rows, and one task merges
  * the sets of each key and writes them.
  */
abstract private[index] class PostingsRecipe(kind: IndexKind) extends IndexRecipe(SegmentKind(kind)) {

  final protected def run[K <: AnyRef](work: IndexWork, source: PostingsSource[K])(
      write: (SegmentPlace, Iterator[KeyedPostings[K]]) => WrittenIndexFile
  )(implicit keyEncoder: Encoder[K]): BuiltSegment = {
    val (location, depth) = (work.forTasks, work.column.path.size - 1)
    val sets = work.splits.flatMap { split =>
      new PostingsRows(KeyedRows.open(location, split, depth), source).map(set =>
        (set.group, set.key, set.rows)
      )
    }
    val encoder = Encoders.tuple(Encoders.scalaInt, keyEncoder, Encoders.BINARY)
    val rows = SparkSession.active.createDataset(sets)(encoder)
    OneWriter.write(rows, Vector("_1", "_2"), work.files) { (place, sorted) =>
      write(place, sorted.map { case (group, key, rows) => KeyedPostings(group, key, rows) })
    }
  }
}

private[index] object PostingsRecipe {
  val LongKeys: Encoder[java.lang.Long] = Encoders.LONG
  val ByteKeys: Encoder[Array[Byte]] = Encoders.BINARY

  /** Merges consecutive sets of the same key. */
  def merged[K <: AnyRef](
      sorted: scala.collection.BufferedIterator[KeyedPostings[K]],
      keys: IndexKeys[K]
  ): Iterator[(Option[K], Postings)] = new Iterator[(Option[K], Postings)] {
    def hasNext: Boolean = sorted.hasNext
    def next(): (Option[K], Postings) = {
      val key = Option(sorted.head.key)
      val rows = new Postings
      while (sorted.hasNext && same(key, Option(sorted.head.key))) rows.addEncoded(sorted.next().rows)
      (key, rows)
    }

    private def same(a: Option[K], b: Option[K]): Boolean =
      a.isEmpty && b.isEmpty || a.exists(x => b.exists(keys.compare(x, _) == 0))
  }

  /** Takes the null lists, which come first. */
  def nullLists[K](sorted: scala.collection.BufferedIterator[KeyedPostings[K]]): Postings = {
    val rows = new Postings
    while (sorted.headOption.exists(_.group == KeyedPostings.NullLists)) rows.addEncoded(sorted.next().rows)
    rows
  }
}

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
    val nullLists = PostingsRecipe.nullLists(sorted)
    val nulls = Option.when(ofItems)(nullLists.encode)
    val writer = new BitmapWriter(place.store, place.directory, field, place.version, keys, nulls)
    OneWriter.guarded(writer.abort()) {
      PostingsRecipe.merged(sorted, keys).foreach { case (key, set) => writer.append(key, set.encode) }
      writer.finish()
    }
  }
}

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
    OneWriter.guarded(writer.abort()) {
      PostingsRecipe.merged(rows.buffered, IndexKeys.ofNumbers).foreach { case (token, set) =>
        token.foreach(number => writer.append(number.intValue, set))
      }
      writer.finish()
    }
  }
}
