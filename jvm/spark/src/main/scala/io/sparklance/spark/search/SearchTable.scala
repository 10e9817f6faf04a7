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
import io.sparklance.spark.options.{LanceOptions, ReadOptions}
import io.sparklance.spark.session.TableLocation
import io.sparklance.spark.table.LanceTable
import io.sparklance.spark.types.{SchemaConverter, SparkMetadataColumn}

/** The result of a search in one version of a table: its columns and those of the search, the best rows
  * first.
  */
final private[spark] class SearchTable private (private val source: SearchSource)
    extends Table
    with SupportsRead
    with SupportsMetadataColumns {
  override def name(): String = s"found rows of ${source.table.location.uri}"
  override def schema(): StructType = source.schema
  override def capabilities(): JSet[TableCapability] = LanceTable.BatchReadable
  override def properties(): JMap[String, String] = LanceTable.properties(source.table.location)
  override def metadataColumns(): Array[catalog.MetadataColumn] =
    MetadataColumn.all.map(SparkMetadataColumn(_): catalog.MetadataColumn).toArray
  override def newScanBuilder(options: CaseInsensitiveStringMap): ScanBuilder = new SearchScanBuilder(source)

  /** Returns this result, or refuses a schema that Spark knows for it and that is another one. */
  def checked(wanted: StructType, options: CaseInsensitiveStringMap): SearchTable = {
    if (wanted.map(_.name) != source.schema.map(_.name))
      throw new LanceUsageException(
        s"A schema was given together with option '${SearchTable.names(options).mkString}', whose result has columns of its own. Leave the schema out, " +
          "and select columns afterwards."
      )
    this
  }
  override def toString: String = s"${name()} (lance, version ${source.table.dataset.version})"

  override def equals(other: Any): Boolean = other match {
    case that: SearchTable => source == that.source
    case _ => false
  }
  override def hashCode: Int = source.hashCode
}

private[spark] object SearchTable {

  /** Returns the result of the search that the options of a read describe, if there is one. */
  def of(
      dataset: Dataset,
      location: TableLocation,
      options: CaseInsensitiveStringMap
  ): Option[SearchTable] = source(dataset, location, options).map(new SearchTable(_))

  private def source(
      dataset: Dataset,
      location: TableLocation,
      options: CaseInsensitiveStringMap
  ): Option[SearchSource] = {
    def table = SearchTarget(dataset, location, LanceOptions.forRead(options))
    requested(options).map { request =>
      val searched = table
      val search = request(searched)
      search.filter.foreach(new SearchFilter(dataset, location, _))
      val stored = SchemaConverter.toSpark(dataset.schema, searched.read.readTypes)
      SearchSource(searched, search, ResultColumns.of(stored, search, location.uri))
    }
  }

  /** Names of options that ask for a search. */
  private def names(options: CaseInsensitiveStringMap): Vector[String] =
    Vector(LanceOptions.Nearest, LanceOptions.FullTextQuery, LanceOptions.HybridSearch).map(_.name)
      .filter(options.containsKey)

  /** Returns the search that the options describe, to be fitted to a table. */
  private def requested(options: CaseInsensitiveStringMap): Option[SearchTarget => RowSearch] = {
    import LanceOptions.{FullTextQuery, HybridSearch, Nearest}
    names(options) match {
      case Vector(a, b, _*) =>
        throw new LanceUsageException(
          s"Options '$a' and '$b' ask for different searches. Give one of them; '${HybridSearch.name}' is for both."
        )
      case _ => ()
    }
    val nearest = Nearest.in(options).map(request =>
      (table: SearchTarget) => NearestSearch(ResolvedSearch.of(request, table, options))
    )
    val text = FullTextQuery.in(options).map(request =>
      (table: SearchTarget) => ResolvedText.of(request, table, options)
    )
    val hybrid = HybridSearch.in(options).map(request =>
      (table: SearchTarget) => ResolvedHybrid.of(request, table, options)
    )
    nearest.orElse(text).orElse(hybrid)
  }
}

/** A table version and the search in it.
  *
  * @param schema
  *   columns of the result
  */
final private[search] case class SearchSource(
    table: SearchTarget,
    search: RowSearch,
    schema: StructType
) {

  /** Names of columns that the search adds. */
  val added: Set[String] = (search.added ++ Option.when(search.isBatch)(ResultColumns.queryIndex)).map(
    _.name
  ).toSet

  // The time distinguishes the table from one that replaced it and has the same version.
  def identity: (TableLocation, Long, Instant, ReadOptions, RowSearch) =
    (table.location, table.dataset.version, table.dataset.timestamp, table.read, search)
  override def equals(other: Any): Boolean = other match {
    case that: SearchSource => identity == that.identity
    case _ => false
  }
  override def hashCode: Int = identity.hashCode
}
