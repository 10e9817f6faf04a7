package io.sparklance.table

/** Keys of a table's config that hold statistics of columns for Spark's optimizer. */
private[sparklance] object StatisticsKeys {
  val Prefix = "sparklance.column-statistics."

  /** Returns the config of a table whose rows and field ids are replaced: statistics of the old ones would
    * count for other columns.
    */
  def removed(config: Map[String, String]): Map[String, String] = config.filterNot(_._1.startsWith(Prefix))
}
