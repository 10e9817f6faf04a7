package io.sparklance.spark.catalog

import io.sparklance.LanceUsageException
import io.sparklance.dataset.Dataset
import io.sparklance.spark.options.StoreOptions
import io.sparklance.spark.types.SchemaConverter

/** ALTER TABLE … SET LOCATION: points a name to another table. */
private[spark] object Relocation {

  /** Requires an existing table with the same columns. Refuses managed tables, whose location DROP removes.
    */
  def check(entry: MetastoreEntry, place: String): Unit = {
    if (entry.isManaged)
      throw refused(
        entry,
        "it is managed: the catalog chooses its location, and DROP TABLE deletes it"
      )
    val location = StoreOptions.locate(place)
    if (!Dataset.exists(location.store, location.root))
      throw refused(entry, s"there is no Lance table at $place")
    val there = Dataset.open(location.store, location.root)
    if (Registration.shape(there.schema) != Registration.shape(entry.dataset.schema))
      throw refused(
        entry,
        s"the table at $place has other columns (${SchemaConverter.toSpark(there.schema).toDDL})"
      )
  }

  private def refused(entry: MetastoreEntry, why: String) = new LanceUsageException(
    s"The location of ${entry.name} cannot be set: $why. Drop the table, if its data may be deleted, and " +
      "register the other one: CREATE TABLE … USING lance LOCATION …."
  )
}
