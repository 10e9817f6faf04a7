package io.sparklance.spark.history

/** A `df.write.save(path)`, which reaches the catalog as a statement that makes or replaces a table. */
private[spark] object SavedRows {
  private val current = new ThreadLocal[Option[Statement]] {
    override def initialValue: Option[Statement] = None
  }

  /** The write that the current thread carries out. */
  def statement: Option[Statement] = current.get

  /** @param mode of the write, as Spark calls it */
  def during[A](mode: String)(body: => A): A = {
    val before = current.get
    current.set(Some(Statement.write(mode)))
    try body
    finally current.set(before)
  }
}
