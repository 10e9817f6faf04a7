package io.sparklance.spark.index

import org.apache.spark.TaskContext

import io.sparklance.index.build.{
  BTreeFiles,
  BTreePart,
  BTreePartWriter,
  IndexKeys,
  KeyBuffer,
  UnfinishedFile
}
import io.sparklance.schema.Field

/** Outcome of a task that sorts a range of a B-tree. */
sealed private[index] trait BTreeRange[+K] extends Product with Serializable

private[index] object BTreeRange {

  /** @param place the segment's, or the attempt's own */
  final case class Written[K](number: Int, place: SegmentPlace, part: BTreePart[K]) extends BTreeRange[K]

  /** The range has no rows. */
  case object Empty extends BTreeRange[Nothing]

  /** The range has keys outside of its limits, and was not written. */
  case object Exceeded extends BTreeRange[Nothing]
}

/** Limits of the keys of a range.
  *
  * @param least
  *   None for no limit; null for null
  */
final private[index] case class KeyLimits[K <: AnyRef](least: Option[K], most: Option[K])

/** Writes a range of a B-tree, in a task.
  *
  * @param pageRows
  *   number of rows of a page
  * @param isPartitioned
  *   whether there are several ranges, whose files are named by the attempts that write them
  */
final private[index] class BTreeTask[K <: AnyRef](
    place: SegmentPlace,
    field: Field,
    pageRows: Int,
    keys: IndexKeys[K],
    val isPartitioned: Boolean
) extends Serializable {

  def files(in: SegmentPlace): BTreeFiles = BTreeFiles(in.directory, field, in.version, pageRows)

  /** Sorts rows and writes them.
    *
    * @param fill
    *   adds the rows
    */
  def write(limits: KeyLimits[K])(fill: SortedKeys[K] => Unit): BTreeRange[K] = {
    val task = TaskContext.get()
    val rows = new SortedKeys(keys)
    task.addTaskCompletionListener[Unit](_ => rows.close())
    fill(rows)
    if (rows.isEmpty) BTreeRange.Empty
    else {
      val range = task.partitionId()
      val id = Option.when(isPartitioned)(range.toLong << 32 | task.taskAttemptId() & 0xffffffffL)
      val own = if (isPartitioned) place else place.ofAttempt(task.taskAttemptId())
      write(own, id, rows, limits).fold[BTreeRange[K]](BTreeRange.Exceeded)(BTreeRange.Written(range, own, _))
    }
  }

  /** Returns None, and removes the file, if the keys exceed the limits. */
  private def write(
      own: SegmentPlace,
      id: Option[Long],
      rows: SortedKeys[K],
      limits: KeyLimits[K]
  ): Option[BTreePart[K]] =
    UnfinishedFile.writing(new BTreePartWriter[K](own.store, files(own), id)) { writer =>
      var fits = true
      rows.foreach { sorted =>
        Cancelled.check()
        if (fits) fits = within(sorted, limits)
        if (fits) writer.append(sorted)
      }
      if (fits) {
        val part = writer.finish()
        Cancelled.check(part.file, own)
        Some(part)
      } else {
        writer.abort()
        None
      }
    }

  private def within(sorted: KeyBuffer[K], limits: KeyLimits[K]): Boolean = {
    def key(row: Int) = sorted.key(row).orNull[AnyRef].asInstanceOf[K]
    limits.least.forall(keys.compareOrNull(_, key(0)) <= 0) &&
    limits.most.forall(keys.compareOrNull(_, key(sorted.size - 1)) >= 0)
  }
}
