package io.sparklance.spark.index

import io.sparklance.index.IndexKind
import io.sparklance.index.build._

/** Builds B-trees. A small one is sorted and written by one task. For others, a sample of the keys shows
  * whether the table is sorted by them: then tasks sort and write its splits as they are. Otherwise tasks
  * divide keys and addresses into ranges, Spark shuffles them, and a task sorts and writes each range.
  *
  * @param pageRows
  *   number of rows of a page
  * @param ranges
  *   number of ranges, if given
  */
final private[index] class BTreeRecipe(pageRows: Int, ranges: Option[Int])
    extends ScalarRecipe(SegmentKind(IndexKind.BTree)) {

  def fits(column: IndexedColumn): Boolean = IndexKeys.of(column.field.logicalType).isDefined

  def takes: String =
    "booleans, numbers, strings, binary values, dates, times, timestamps and durations"

  def build(work: IndexWork): BuiltSegment = IndexKeys.of(work.column.field.logicalType) match {
    case Some(keys: NumberIndexKeys) => build(work, keys)
    case Some(keys: ByteIndexKeys) => build(work, keys)
    case None => throw new IllegalStateException(s"no keys of ${work.column.field.logicalType}")
  }

  private def build[K <: AnyRef](work: IndexWork, keys: IndexKeys[K]): BuiltSegment = {
    val jobs = new BTreeJobs(work, keys, pageRows)
    if (ranges.fold(KeyRanges.isSmall(work.rows, keys))(_ == 1)) jobs.inOneTask()
    else {
      val sample = KeyRanges.sample(work, keys)
      val count = ranges.getOrElse(KeyRanges.count(work.rows, sample, keys))
      if (count == 1) jobs.inOneTask()
      else jobs.ofSplits(count, sample).getOrElse(jobs.shuffled(KeyBounds.of(keys, sample, count)))
    }
  }
}

private[index] object BTreeRecipe {
  def of(settings: IndexSettings): BTreeRecipe = {
    settings.only("zone_size", "num_ranges")
    new BTreeRecipe(
      settings.number("zone_size", 1, Int.MaxValue.toLong).fold(BTree.PageRows)(_.toInt),
      settings.number("num_ranges", 1, 10000).map(_.toInt)
    )
  }
}
