package io.sparklance.spark.procedures

/** The first of some rows, if not all are wanted. */
private[procedures] object Limited {
  def apply[A](rows: Iterator[A], limit: Option[Long]): Iterator[A] =
    limit.fold(rows)(n => rows.take(math.min(math.max(n, 0), Int.MaxValue.toLong).toInt))
}
