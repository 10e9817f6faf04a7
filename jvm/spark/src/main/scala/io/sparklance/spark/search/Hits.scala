package io.sparklance.spark.search

/** Rows of a search's result: the number of the query, the address of the row, and values of the columns that
  * the search adds. Parallel arrays, in the order of the result: by query, then the best first.
  */
final private[search] case class Hits(
    queries: Array[Int],
    addresses: Array[Long],
    values: Vector[Array[Float]]
) {
  def size: Int = addresses.length
}

private[search] object Hits {

  /** Returns the result of a search in parts of at most `most` rows, at least one part.
    *
    * @param columns
    *   number of columns that the search adds
    */
  def of(answers: Vector[RankedRows], columns: Int, most: Int): Vector[Hits] = {
    val queries = answers.iterator.zipWithIndex.flatMap { case (found, query) =>
      Iterator.fill(found.size)(query)
    }.toArray
    val addresses = answers.iterator.flatMap(_.addresses).toArray
    val values = Vector.tabulate(columns)(i => answers.iterator.flatMap(_.values(i)).toArray)
    (0 until math.max(1, addresses.length) by most).map { from =>
      Hits(
        queries.slice(from, from + most),
        addresses.slice(from, from + most),
        values.map(_.slice(from, from + most))
      )
    }.toVector
  }
}
