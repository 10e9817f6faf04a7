package io.sparklance.benchmarks

import io.sparklance.data.RowRanges
import io.sparklance.dataset.Dataset
import io.sparklance.dataset.nearest.NearestReader
import io.sparklance.dataset.predicate.Predicate
import io.sparklance.dataset.scan.{ReadStats, SplitTarget}
import io.sparklance.vector.{Metric, NearestSpec, Neighbors, Query, VectorColumn}

/** Times exact searches of a table by the core alone, on one thread, and prints the throughput of each round.
  * Arguments: the table, a column of vectors, the metric, the number of queries and of rounds.
  * {{{
  * l2 1 queries    0.021 s, 4.87 GB/s of vectors, 2 pages
  * }}}
  */
object CoreSearch {
  def main(args: Array[String]): Unit = {
    val dataset = Dataset.open(DistantStore.configured, args(0))
    val column = dataset.schema.fields.find(_.name == args(1)).flatMap(VectorColumn.of)
      .getOrElse(throw new IllegalArgumentException(s"no vectors in ${args(1)}"))
    val metric = Metric.parse(args(2)).getOrElse(throw new IllegalArgumentException(args(2)))
    val random = new scala.util.Random(1)
    val queries = Vector.fill(args(3).toInt)(
      Query.fitted(new Query(Vector(Array.fill(column.dimension)(random.nextGaussian()))), column)
    )
    val spec = NearestSpec(column, metric, queries, 10)
    (1 to args(4).toInt).foreach(_ => round(dataset, spec))
  }

  private def round(dataset: Dataset, spec: NearestSpec): Unit = {
    val target = SplitTarget.Balanced(maxBytes = 64L << 20, openBytes = 1L << 20, minSplits = 1)
    val start = CoreScan.threadNanos
    val splits =
      NearestReader.splits(dataset, spec, Vector.empty, target, RowRanges.all, Predicate.Always)
    val parts = splits.map(NearestReader.answer(dataset.store, _, spec, None, () => ()))
    val nearest = Neighbors.nearest(spec.k, parts.iterator.map(_.answers.head))
    val seconds = (CoreScan.threadNanos - start) / 1e9
    val stats = parts.iterator.map(_.stats).foldLeft(ReadStats.none)(_ + _)
    val bytes = parts.iterator.map(_.compared).sum.toDouble * spec.column.width
    println(
      f"${spec.metric.name} ${spec.queries.size} queries $seconds%8.3f s of CPU, ${bytes / seconds / 1e9}%6.2f GB/s of " +
        f"vectors, ${stats.pagesRead} pages, nearest ${nearest.distances.head}%.4f"
    )
  }
}
