package io.sparklance.spark.table

import org.apache.spark.sql.connector.catalog.SupportsSchemaEvolution
import org.apache.spark.sql.connector.catalog.TableChange.{AddColumn, ColumnChange, UpdateColumnType}

import io.sparklance.dataset.Dataset
import io.sparklance.spark.schemachange.NewType
import io.sparklance.spark.session.TableLocation
import io.sparklance.spark.types.BlobHandling

/** A table that tells Spark which changes `WITH SCHEMA EVOLUTION` may make: new columns, and wider types.
  * Spark asks from 4.2 on; an earlier one does not load this class.
  */
final private[table] class EvolvingLanceTable(
    name: String,
    location: TableLocation,
    dataset: Dataset,
    properties: Map[String, String],
    blobs: Option[BlobHandling] = None
) extends WritableLanceTable(name, location, dataset, properties, blobs)
    with SupportsSchemaEvolution {

  override def toWrite: WritableLanceTable =
    new EvolvingLanceTable(name, location, dataset, properties, Some(BlobHandling.Bytes))

  override def supportsColumnChange(change: ColumnChange): Boolean = change match {
    case _: AddColumn => true
    case retype: UpdateColumnType => NewType.isWider(dataset.schema, retype)
    case _ => false
  }
}

private[spark] object EvolvingLanceTable {

  /** Returns such a table as one of a type that every Spark can load: the JVM looks at the types of values
    * when it loads a class that makes them.
    */
  def of(
      name: String,
      location: TableLocation,
      dataset: Dataset,
      properties: Map[String, String]
  ): WritableLanceTable = new EvolvingLanceTable(name, location, dataset, properties)
}
