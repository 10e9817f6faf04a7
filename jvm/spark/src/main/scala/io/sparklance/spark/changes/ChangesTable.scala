package io.sparklance.spark.changes

import java.util.{Map => JMap, Set => JSet}

import org.apache.spark.sql.connector.catalog.{SupportsRead, Table, TableCapability}
import org.apache.spark.sql.connector.read.ScanBuilder
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import io.sparklance.LanceUsageException
import io.sparklance.dataset.Dataset
import io.sparklance.spark.options.{LanceOptions, RangeKind, RangeOptions}
import io.sparklance.spark.session.TableLocation
import io.sparklance.spark.table.LanceTable
import io.sparklance.spark.types.SchemaConverter

/** The change feed of a table: rows that commits have inserted, updated and deleted. */
final private[spark] class ChangesTable private (private val source: ChangesSource) extends Table
    with SupportsRead {
  override def name(): String = s"changes of ${source.location.uri}"
  override def schema(): StructType = source.schema
  override def capabilities(): JSet[TableCapability] = LanceTable.Readable
  override def properties(): JMap[String, String] = LanceTable.properties(source.location)
  override def newScanBuilder(options: CaseInsensitiveStringMap): ScanBuilder = new ChangesScanBuilder(source)
  override def toString: String = s"${name()} (lance, version ${source.dataset.version})"

  override def equals(other: Any): Boolean = other match {
    case that: ChangesTable => source == that.source
    case _ => false
  }
  override def hashCode: Int = source.hashCode
}

private[spark] object ChangesTable {

  /** Returns the schema of the change feed, if options ask for one. */
  def schema(
      dataset: Dataset,
      location: TableLocation,
      options: CaseInsensitiveStringMap
  ): Option[StructType] = source(dataset, location, options).map(_.schema)

  /** Returns the change feed, if options ask for one.
    *
    * @param wanted
    *   schema that Spark knows
    */
  def of(
      dataset: Dataset,
      location: TableLocation,
      options: CaseInsensitiveStringMap,
      wanted: StructType
  ): Option[ChangesTable] = source(dataset, location, options).map { source =>
    if (wanted.map(_.name) != source.schema.map(_.name))
      throw new LanceUsageException(
        "A schema was given together with option 'readChangeFeed', whose result has columns of its own. Leave the schema out, " +
          "and select columns afterwards."
      )
    new ChangesTable(source)
  }

  /** Returns the change feed for options that ask for one. */
  def at(dataset: Dataset, location: TableLocation, options: CaseInsensitiveStringMap): ChangesTable =
    new ChangesTable(source(dataset, location, options).getOrElse(
      throw new IllegalArgumentException("the options ask for no change feed")
    ))

  private def source(
      dataset: Dataset,
      location: TableLocation,
      options: CaseInsensitiveStringMap
  ): Option[ChangesSource] =
    RangeOptions.of(options).filter(_.kind != RangeKind.Appended).map { range =>
      val read = LanceOptions.forRead(options)
      val stored = SchemaConverter.toSpark(dataset.schema, read.readTypes)
      ChangesSource(dataset, location, read, range, FeedColumns.of(stored, location.uri))
    }
}
