package io.sparklance.spark.search

import io.sparklance.vector.Neighbors

/** Rows of a search's result: the number of the query, and address and distance of the row. Parallel arrays,
  * in the order of the result: by query, then the nearest first.
  */
final private[search] case class Hits(queries: Array[Int], addresses: Array[Long], distances: Array[Float]) {
  def size: Int = addresses.length
}

private[search] object Hits {

  /** Returns the result of a search in parts of at most `most` rows, at least one part. */
  def of(answers: Vector[Neighbors], most: Int): Vector[Hits] = {
    val queries = answers.iterator.zipWithIndex.flatMap { case (found, query) =>
      Iterator.fill(found.size)(query)
    }
    val all = Hits(
      queries.toArray,
      answers.iterator.flatMap(_.addresses).toArray,
      answers.iterator.flatMap(_.distances).toArray
    )
    (0 until math.max(1, all.size) by most).map { from =>
      Hits(
        all.queries.slice(from, from + most),
        all.addresses.slice(from, from + most),
        all.distances.slice(from, from + most)
      )
    }.toVector
  }
}
