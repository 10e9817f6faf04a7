package io.sparklance.spark.procedures

import org.apache.spark.sql.types.StructType

/** What procedures show that change columns: the version which the table has then. */
private[procedures] object VersionResult {
  val columns: StructType = StructType.fromDDL("version BIGINT NOT NULL")

  def rows(arguments: Arguments): Iterator[Seq[Any]] = Iterator(Seq[Any](arguments.latest.version))
}
