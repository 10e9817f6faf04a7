package io.sparklance.spark.procedures

import org.apache.spark.sql.types.StructType

import io.sparklance.dataset

object History extends LanceProcedure("history", "Lists what made each version of a table, newest first.") {
  private val limit = Parameter.number("limit").optional
  val parameters: Vector[Parameter[_]] = Vector(Parameter.table, limit)

  val result: StructType = StructType.fromDDL(
    "version BIGINT NOT NULL, timestamp TIMESTAMP NOT NULL, operation STRING, read_version BIGINT, uuid STRING, " +
      "properties MAP<STRING, STRING>"
  )

  def call(arguments: Arguments): Iterator[Seq[Any]] =
    Limited(new dataset.History(arguments.latest).commits, arguments(limit)).map { commit =>
      val made = commit.transaction
      Seq(
        commit.version,
        commit.timestamp,
        made.map(_.operation.name),
        made.map(_.readVersion),
        made.map(_.uuid),
        made.map(_.properties)
      )
    }
}
