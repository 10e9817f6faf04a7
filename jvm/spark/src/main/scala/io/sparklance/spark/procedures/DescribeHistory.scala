package io.sparklance.spark.procedures

import org.apache.spark.sql.types.StructType

import io.sparklance.dataset.KnownVersion
import io.sparklance.spark.history.CommitDescription

/** Lists the history of a table in the columns of Delta Lake's `DESCRIBE HISTORY`. */
private[sparklance] object DescribeHistory extends LanceProcedure(
      "history",
      "Lists the statements that made the versions of a table, newest first."
    ) {
  val parameters: Vector[Parameter[_]] = Vector(Parameter.table, Parameter.limit)

  val result: StructType = StructType.fromDDL(
    "version BIGINT NOT NULL, timestamp TIMESTAMP NOT NULL, userName STRING, operation STRING, " +
      "operationParameters MAP<STRING, STRING>, operationMetrics MAP<STRING, STRING>, engineInfo STRING, " +
      "transaction STRING, read_version BIGINT, uuid STRING, properties MAP<STRING, STRING>"
  )

  def call(arguments: Arguments): Iterator[Seq[Any]] =
    arguments.limited(KnownVersion.all(arguments.latest, withTransactions = true).iterator).map { version =>
      val made = version.transaction
      val known = made.map(new CommitDescription(_))
      Seq(
        version.version,
        version.timestamp,
        known.flatMap(_.user),
        known.map(_.operation),
        known.flatMap(_.parameters),
        known.flatMap(_.metrics),
        version.manifest.writer,
        made.map(_.operation.name),
        made.map(_.readVersion),
        made.map(_.uuid),
        made.map(_.properties)
      )
    }
}
