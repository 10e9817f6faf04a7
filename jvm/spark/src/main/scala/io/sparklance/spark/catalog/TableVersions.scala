package io.sparklance.spark.catalog

import java.time.Instant
import java.time.temporal.ChronoUnit

import org.apache.spark.sql.types.StructType

import io.sparklance.dataset.Dataset
import io.sparklance.spark.{LanceTable, MergedSchema, MergingLanceTable, TableLocation, WritableLanceTable}
import io.sparklance.{LanceTableNotFoundException, LanceUsageException, UnsupportedLanceFeatureException}

/** Opens a table as SQL names it: as it is, `VERSION AS OF` or `TIMESTAMP AS OF`. Only the latest can be written to. */
private[catalog] object TableVersions {

  def latest(name: String, location: TableLocation, properties: Map[String, String] = Map.empty): LanceTable =
    new WritableLanceTable(name, location, Dataset.open(location.store, location.root, None), properties)

  /** The table with further columns, if the rows that are to be added have any. */
  def merging(name: String, location: TableLocation, rows: StructType): LanceTable = {
    val dataset = Dataset.open(location.store, location.root)
    val merged = dataset.numbered(MergedSchema.of(dataset.schema, rows))
    if (merged == dataset.schema) new WritableLanceTable(name, location, dataset)
    else new MergingLanceTable(name, location, dataset, merged)
  }

  def named(name: String, location: TableLocation, version: String): LanceTable = {
    val number = version.trim.toLongOption.getOrElse(
      throw new UnsupportedLanceFeatureException(s"naming a version by a tag ('$version')")
    )
    if (number < 1)
      throw new LanceUsageException(s"Versions of $name count from 1; there is no $number.")
    new LanceTable(name, location, Dataset.open(location.store, location.root, Some(number)))
  }

  /** The version that was the latest at that time. */
  def asOf(name: String, location: TableLocation, micros: Long): LanceTable = {
    val time = Instant.EPOCH.plus(micros, ChronoUnit.MICROS)
    val versions = Dataset.open(location.store, location.root, None).versions
    versions.filterNot(_.timestamp.isAfter(time)).maxByOption(_.version).fold {
      throw new LanceTableNotFoundException(
        s"$name has no version as old as $time; its oldest is of ${versions.map(_.timestamp).min}. " +
          "Choose that time or a later one."
      )
    }(v => named(name, location, v.version.toString))
  }
}
