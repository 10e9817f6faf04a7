package io.sparklance.spark.options

import org.apache.spark.sql.{DataFrame, SparkSession}

import io.sparklance.dataset.Dataset
import io.sparklance.spark.session.{LanceCatalogs, TableLocation}

/** Reads a version of a table in jobs of our own. */
private[spark] object OwnReads {

  /** Returns the rows of a version.
    *
    * @param options
    *   further options of the read
    */
  def of(location: TableLocation, dataset: Dataset, options: Map[String, String] = Map.empty): DataFrame =
    StatementContext.withVersion(dataset) {
      SparkSession.active.read
        .format(LanceCatalogs.Format)
        .options(StoreOptions.at(location) ++ options)
        .option(LanceOptions.Version.name, dataset.version)
        .load(location.uri)
    }
}
