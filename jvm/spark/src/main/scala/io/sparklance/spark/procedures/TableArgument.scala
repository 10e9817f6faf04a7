package io.sparklance.spark.procedures

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation

import io.sparklance.LanceUsageException
import io.sparklance.spark.{LanceTable, TableLocation, UnusableLanceTable}

/** Finds the table that is meant: by its path or, as any statement would, by its name. */
private[procedures] object TableArgument {

  def location(table: String): TableLocation =
    if (table.contains('/') && !table.contains('`')) TableLocation.of(table)
    else
      SparkSession.active.table(table).queryExecution.analyzed
        .collectFirst { case relation: DataSourceV2Relation => relation.table }
        .collect {
          case lance: LanceTable => lance.location
          case broken: UnusableLanceTable => throw broken.failure
        }
        .getOrElse(
          throw new LanceUsageException(
            s"'$table' is no Lance table. Give the name of one, or its path, with a slash in it."
          )
        )
}
