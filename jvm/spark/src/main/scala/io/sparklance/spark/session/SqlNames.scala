package io.sparklance.spark.session

/** Names as SQL takes them. */
private[spark] object SqlNames {

  /** Whatever characters it has, in backquotes. */
  def quoted(name: String): String = s"`${name.replace("`", "``")}`"
}
