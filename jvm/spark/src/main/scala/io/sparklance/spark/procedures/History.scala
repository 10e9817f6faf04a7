package io.sparklance.spark.procedures

import org.apache.spark.sql.types.StructType

import io.sparklance.dataset
import io.sparklance.spark.history.CommitDescription

object History extends LanceProcedure("history", "Lists what made each version of a table, newest first.") {
  private val limit = Parameter.number("limit").optional
  val parameters: Vector[Parameter[_]] = Vector(Parameter.table, limit)

  val result: StructType = StructType.fromDDL(
    "version BIGINT NOT NULL, timestamp TIMESTAMP NOT NULL, userName STRING, operation STRING, " +
      "operationParameters MAP<STRING, STRING>, operationMetrics MAP<STRING, STRING>, engineInfo STRING, " +
      "transaction STRING, read_version BIGINT, uuid STRING, properties MAP<STRING, STRING>"
  )

  def call(arguments: Arguments): Iterator[Seq[Any]] =
    Limited(new dataset.History(arguments.latest).commits, arguments(limit)).map { commit =>
      val made = commit.transaction
      val known = made.map(new CommitDescription(_))
      Seq(
        commit.version,
        commit.timestamp,
        known.flatMap(_.user),
        known.map(_.operation),
        known.flatMap(_.parameters),
        known.flatMap(_.metrics),
        commit.manifest.writer,
        made.map(_.operation.name),
        made.map(_.readVersion),
        made.map(_.uuid),
        made.map(_.properties)
      )
    }
}
