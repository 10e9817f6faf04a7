package io.sparklance.benchmarks

import io.sparklance.data.{Column, RowRanges}
import io.sparklance.dataset.Dataset
import io.sparklance.dataset.scan.{ScanPlan, SplitReader, SplitTarget}
import io.sparklance.index.search.BrokenIndices
import io.sparklance.index.vector.{Probes, VectorIndexSearch}
import io.sparklance.vector.{NearestSpec, Query, VectorColumn}

/** Times searches by the index of a column for many queries together, by the core alone, on one thread.
  * Arguments: the table, the column, a table with queries in a column of this name, how many of them, the
  * number of probes, and that of rounds.
  * {{{
  * IVF_PQ, 3000 queries    0.812 s of CPU, 3694 queries/s, 231.4 M rows compared
  * }}}
  */
object CoreJoin {
  def main(args: Array[String]): Unit = {
    val store = DistantStore.configured
    val dataset = Dataset.open(store, args(0))
    val column = dataset.schema.fields.find(_.name == args(1)).flatMap(VectorColumn.of)
      .getOrElse(throw new IllegalArgumentException(s"no vectors in ${args(1)}"))
    val queries = read(Dataset.open(store, args(2)), args(1), args(3).toInt).map(Query.fitted(_, column))
    val index = VectorIndexSearch.of(dataset, column, BrokenIndices.Fail)
      .getOrElse(throw new IllegalArgumentException("no index"))
    val spec = NearestSpec(column, index.metric.get, queries, 50)
    (1 to args(5).toInt).foreach { _ =>
      val start = CoreScan.threadNanos
      val found = index.find(spec, spec.k, Probes.exactly(args(4).toInt), None).get
      val seconds = (CoreScan.threadNanos - start) / 1e9
      println(
        f"${found.index._2}, ${queries.size} queries $seconds%8.3f s of CPU, ${queries.size / seconds}%.0f queries/s, " +
          f"${found.compared / 1e6}%.1f M rows compared, sum ${found.answers.map(_.distances.sum.toDouble).sum}%.3f"
      )
    }
  }

  private def read(dataset: Dataset, name: String, most: Int): Vector[Query] = {
    val field = dataset.schema.fields.filter(_.name == name)
    val column = field.flatMap(VectorColumn.of(_)).head
    val splits = ScanPlan.splits(
      dataset,
      field,
      SplitTarget.Rows(1L << 40),
      RowRanges.of(Vector(io.sparklance.data.RowRange(0L, most.toLong)))
    )
    val reader = new SplitReader(dataset.store, splits.head, most)
    try {
      val found = Vector.newBuilder[Query]
      var count = 0
      while (reader.next()) {
        found ++= vectors(reader.columns.head, reader.rowCount, column.dimension); count += 1
      }
      found.result()
    } finally reader.close()
  }

  private def vectors(column: Column, rows: Int, dimension: Int): Vector[Query] = column.values match {
    case lists: io.sparklance.data.FixedSizeListBlock => lists.items match {
        case block: io.sparklance.data.Fixed32Block => Vector.tabulate(rows)(row =>
            new Query(Vector(Array.tabulate(dimension)(i =>
              java.lang.Float.intBitsToFloat(block.values(row * dimension + i)).toDouble
            )))
          )
        case other => throw new IllegalArgumentException(s"items in a ${other.getClass}")
      }
    case other => throw new IllegalArgumentException(s"vectors in a ${other.getClass}")
  }
}
