package io.sparklance.spark.session

/** Names in SQL. */
private[spark] object SqlNames {

  /** Quotes a name with backquotes; it may contain any characters. */
  def quoted(name: String): String = s"`${name.replace("`", "``")}`"
}
