package io.sparklance.spark.index

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.{Dataset, Encoder, Encoders, SparkSession}

import io.sparklance.index.IndexKind
import io.sparklance.index.build._

/** Builds indices that have a row set for each key: tasks collect the sets of their rows, and one task merges
  * the sets of each key and writes them.
  */
abstract private[index] class PostingsRecipe(kind: IndexKind) extends ScalarRecipe(SegmentKind(kind)) {

  /** @param write writes the file in a place, from sets that are sorted by group and key */
  final protected def run[K <: AnyRef](work: IndexWork, source: PostingsSource[K])(
      write: (SegmentPlace, Iterator[KeyedPostings[K]]) => WrittenIndexFile
  )(implicit keyEncoder: Encoder[K]): BuiltSegment =
    new OneWriter(work.files).write(rows(collected(work, source)), Vector("_1", "_2")) { (place, sorted) =>
      write(place, sorted.map { case (group, key, rows) => KeyedPostings(group, key, rows) })
    }

  private def collected[K <: AnyRef](work: IndexWork, source: PostingsSource[K]): RDD[KeyedPostings[K]] = {
    val (location, depth) = (work.forTasks, work.column.path.size - 1)
    work.splits.flatMap(split => new PostingsRows(KeyRanges.open(location, split, depth), source))
  }

  private def rows[K <: AnyRef](sets: RDD[KeyedPostings[K]])(implicit
      keyEncoder: Encoder[K]
  ): Dataset[(Int, K, Array[Byte])] = {
    val encoder = Encoders.tuple(Encoders.scalaInt, keyEncoder, Encoders.BINARY)
    SparkSession.active.createDataset(sets.map(set => (set.group, set.key, set.rows)))(encoder)
  }
}

private[index] object PostingsRecipe {
  val LongKeys: Encoder[java.lang.Long] = Encoders.LONG
  val ByteKeys: Encoder[Array[Byte]] = Encoders.BINARY
}
