package io.sparklance.spark.catalog

import org.apache.spark.sql.connector.catalog.Table

import io.sparklance.LanceUsageException
import io.sparklance.spark.options.StoreOptions

/** Refuses cases of REPLACE TABLE that would have to drop the old table before the new one exists. */
private[spark] object Replacement {

  def checkPlace(old: MetastoreEntry, wanted: TableRequest): Unit =
    wanted.location.filterNot(StoreOptions.locate(_) == old.location).foreach { place =>
      throw refused(old.name, s"it lies at ${old.location}, and the new one should be at $place")
    }

  /** Refuses changes between Lance and other formats; Spark decides about others. */
  def checkFormats(old: Table, wanted: Option[TableRequest]): Unit =
    (MetastoreEntry.of(old), wanted) match {
      case (None, Some(_)) => throw refused(old.name, "it is not a Lance table, but the new one would be")
      case (Some(_), None) => throw refused(old.name, "it is a Lance table, but the new one would not be")
      case (Some(_), Some(_)) | (None, None) => ()
    }

  private def refused(name: String, why: String): LanceUsageException = new LanceUsageException(
    s"$name cannot be replaced in one step: $why. Create the new table under another name, drop $name, then rename."
  )
}
