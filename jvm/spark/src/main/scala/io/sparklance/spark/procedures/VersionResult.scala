package io.sparklance.spark.procedures

import org.apache.spark.sql.types.StructType

/** Result of procedures that change columns: the new version. */
private[procedures] object VersionResult {
  val columns: StructType = StructType.fromDDL("version BIGINT NOT NULL")

  def rows(arguments: Arguments): Iterator[Seq[Any]] = Iterator(Seq[Any](arguments.latest.version))
}
