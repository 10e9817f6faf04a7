package io.sparklance.spark.search

import java.time.Instant
import java.util.{Map => JMap, Set => JSet}

import org.apache.spark.sql.connector.catalog
import org.apache.spark.sql.connector.catalog.{SupportsMetadataColumns, SupportsRead, Table, TableCapability}
import org.apache.spark.sql.connector.read.ScanBuilder
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import io.sparklance.LanceUsageException
import io.sparklance.dataset.Dataset
import io.sparklance.dataset.snapshot.MetadataColumn
import io.sparklance.index.search.BrokenIndices
import io.sparklance.spark.options.{LanceOptions, ReadOptions}
import io.sparklance.spark.session.TableLocation
import io.sparklance.spark.table.LanceTable
import io.sparklance.spark.types.{SchemaConverter, SparkMetadataColumn}

/** The result of a search in one version of a table: its columns and the distance, the nearest rows first. */
final private[spark] class SearchTable private (private val source: SearchSource)
    extends Table
    with SupportsRead
    with SupportsMetadataColumns {
  override def name(): String = s"nearest rows of ${source.location.uri}"
  override def schema(): StructType = source.schema
  override def capabilities(): JSet[TableCapability] = LanceTable.BatchReadable
  override def properties(): JMap[String, String] = LanceTable.properties(source.location)
  override def metadataColumns(): Array[catalog.MetadataColumn] =
    MetadataColumn.all.map(SparkMetadataColumn(_): catalog.MetadataColumn).toArray
  override def newScanBuilder(options: CaseInsensitiveStringMap): ScanBuilder = new SearchScanBuilder(source)
  override def toString: String = s"${name()} (lance, version ${source.dataset.version})"

  override def equals(other: Any): Boolean = other match {
    case that: SearchTable => source == that.source
    case _ => false
  }
  override def hashCode: Int = source.hashCode
}

private[spark] object SearchTable {

  /** Returns the schema of a search's result.
    *
    * @param options
    *   those of a read, with `nearest`
    */
  def schema(
      dataset: Dataset,
      location: TableLocation,
      options: CaseInsensitiveStringMap
  ): Option[StructType] =
    source(dataset, location, options).map(_.schema)

  /** Returns the result of the search that option `nearest` describes, if it is given.
    *
    * @param wanted
    *   schema that Spark knows
    */
  def of(
      dataset: Dataset,
      location: TableLocation,
      options: CaseInsensitiveStringMap,
      wanted: StructType
  ): Option[SearchTable] = source(dataset, location, options).map { source =>
    if (wanted.map(_.name) != source.schema.map(_.name))
      throw new LanceUsageException(
        "A schema was given together with option 'nearest', whose result has columns of its own. Leave the schema out, " +
          "and select columns afterwards."
      )
    new SearchTable(source)
  }

  private def source(
      dataset: Dataset,
      location: TableLocation,
      options: CaseInsensitiveStringMap
  ): Option[SearchSource] = LanceOptions.Nearest.in(options).map { request =>
    val read = LanceOptions.forRead(options)
    val broken = read.indices.getOrElse(BrokenIndices.Fail)
    val search = ResolvedSearch.of(request, dataset, location.uri, broken, options)
    search.filter.foreach(new SearchFilter(dataset, location, _))
    val stored = SchemaConverter.toSpark(dataset.schema, read.readTypes)
    SearchSource(dataset, location, read, search, SearchColumns.of(stored, search.isBatch, location.uri))
  }
}

/** A table version and the search in it.
  *
  * @param schema
  *   columns of the result
  */
final private[search] case class SearchSource(
    dataset: Dataset,
    location: TableLocation,
    read: ReadOptions,
    search: ResolvedSearch,
    schema: StructType
) {
  // The time distinguishes the table from one that replaced it and has the same version.
  def identity: (TableLocation, Long, Instant, ReadOptions, ResolvedSearch) =
    (location, dataset.version, dataset.timestamp, read, search)
  override def equals(other: Any): Boolean = other match {
    case that: SearchSource => identity == that.identity
    case _ => false
  }
  override def hashCode: Int = identity.hashCode
}
