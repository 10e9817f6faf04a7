package io.sparklance.spark.history

/** A statement that creates or replaces a table. */
sealed abstract private[spark] class Making(words: String) {

  /** @param bringsRows whether it has AS SELECT */
  def statement(bringsRows: Boolean): Statement =
    Statement(if (bringsRows) s"$words AS SELECT" else words)
}

private[spark] object Making {
  case object Create extends Making("CREATE TABLE")
  case object Replace extends Making("REPLACE TABLE")
  case object CreateOrReplace extends Making("CREATE OR REPLACE TABLE")
}
