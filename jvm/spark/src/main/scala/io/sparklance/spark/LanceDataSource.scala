package io.sparklance.spark

import java.util.{Map => JMap, Set => JSet}

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.connector.catalog.{SupportsWrite, Table, TableCapability, TableProvider}
import org.apache.spark.sql.connector.expressions.Transform
import org.apache.spark.sql.connector.read.ScanBuilder
import org.apache.spark.sql.connector.write.{LogicalWriteInfo, WriteBuilder}
import org.apache.spark.sql.sources.{BaseRelation, CreatableRelationProvider, DataSourceRegister}
import org.apache.spark.sql.types.{DataType, StructType}
import org.apache.spark.sql.util.CaseInsensitiveStringMap
import org.apache.spark.sql.{DataFrame, SQLContext, SaveMode}

import io.sparklance.dataset.{Dataset, TableRefs}
import io.sparklance.spark.changes.ChangesTable
import io.sparklance.spark.errors.SparkErrors.translating
import io.sparklance.spark.metadata.{MetadataKind, MetadataTable}
import io.sparklance.spark.options.{LanceOptions, PathOptions, StatementContext, StoreOptions}
import io.sparklance.spark.search.SearchTable
import io.sparklance.spark.session.{LanceCatalogs, TableLocation}
import io.sparklance.spark.table.{LanceTable, UnplacedLanceTable, UnusableLanceTable, WritableLanceTable}
import io.sparklance.spark.types.{KeptTypes, SchemaConverter}
import io.sparklance.{LanceTableNotFoundException, LanceUsageException}

/** The data source `format("lance")`.
  *
  * Reads go through [[TableProvider]]. Writes use the older [[CreatableRelationProvider]]: with the newer
  * interface Spark refuses two of the four save modes, and an overwrite keeps the schema. [[PathWrites]]
  * hands the writes to the catalog `lance`. Spark takes that route only if the table returned here is not
  * writable.
  *
  * Spark creates an instance for each look-up, so each read has its own.
  */
final class LanceDataSource extends KnownRelease with TableProvider with DataSourceRegister
    with CreatableRelationProvider {
  private var inferred: Option[InferredRead] = None

  override def shortName(): String = LanceCatalogs.Format

  override def supportsExternalMetadata(): Boolean = true

  override def inferSchema(options: CaseInsensitiveStringMap): StructType = translating {
    PathOptions.checkRead(options)
    val location = PathOptions.location(options)
    val dataset = open(options, location)
    val asked = LanceOptions.SchemaOption.in(options)
    def plain = asked.getOrElse(SchemaConverter.toSpark(dataset.schema, LanceOptions.readTypes(options)))
    val kind = LanceOptions.MetadataTableOption.in(options).map(MetadataKind.of(_).schema)
    val search = if (kind.isEmpty) SearchTable.of(dataset, location.at(dataset), options) else None
    def changed = ChangesTable.schema(dataset, location.at(dataset), options)
    inferred = Some(InferredRead(options, location, dataset, search))
    val other = kind.orElse(search.map(_.schema())).orElse(changed)
    if (asked.nonEmpty && other.nonEmpty)
      throw new LanceUsageException(
        "Option 'schema' chooses columns of a table, but this read returns a search, changes or metadata, which have columns of " +
          "their own. Leave it out, and use select()."
      )
    other.getOrElse(plain)
  }

  /** Returns the table. For a read, `schema` is the table's schema or the one that the user gave. For a
    * write, it is the schema of the new rows, on which the returned table must not depend.
    */
  override def getTable(
      schema: StructType,
      partitioning: Array[Transform],
      properties: JMap[String, String]
  ): Table = translating {
    val options = new CaseInsensitiveStringMap(properties)
    PathOptions.pathIfAny(options).fold[Table](new UnplacedLanceTable(schema)) { path =>
      val known = inferred.filter(_.options == options)
      val location = known.fold(StoreOptions.of(options).locate(path))(_.location)
      try tableAt(location, inferred.fold(open(options, location))(_.dataset), schema, options)
      catch {
        case e: LanceTableNotFoundException =>
          new UnusableLanceTable(path, schema, location, LanceTable.Streamable, e)
      }
    }
  }

  /** If `spark_catalog` is not ours, its Lance tables arrive here, too; they have an owner or a provider. */
  private def tableAt(
      location: TableLocation,
      dataset: Dataset,
      schema: StructType,
      options: CaseInsensitiveStringMap
  ): Table =
    if (options.containsKey("provider") || options.containsKey("owner"))
      new WritableLanceTable(location.uri, location, dataset)
    else
      LanceOptions.MetadataTableOption.in(options)
        .fold[Table](rowsAt(location.at(dataset), dataset, schema, options)) { kind =>
          new MetadataTable(
            s"${kind.name} of ${location.uri}",
            location.at(dataset),
            dataset,
            MetadataKind.of(kind)
          )
        }

  private def rowsAt(
      location: TableLocation,
      dataset: Dataset,
      schema: StructType,
      options: CaseInsensitiveStringMap
  ): Table = inferred.filter(_.options == options)
    .fold(SearchTable.of(dataset, location, options))(_.search)
    .map(_.checked(schema, options))
    .orElse(ChangesTable.of(dataset, location, options, schema))
    .getOrElse(new LancePathTable(location, dataset, schema))

  private def open(options: CaseInsensitiveStringMap, location: TableLocation): Dataset = {
    val reference = LanceOptions.version(options)
    StatementContext.version(location.root, reference)
      .getOrElse(TableRefs.open(location.store, location.root, reference))
  }

  override def supportsDataType(dt: DataType): Boolean = true

  override def createRelation(
      context: SQLContext,
      mode: SaveMode,
      parameters: Map[String, String],
      data: DataFrame
  ): BaseRelation = translating {
    PathWrites.save(mode, new CaseInsensitiveStringMap(parameters.asJava), data)
    val of = context
    new BaseRelation {
      override def sqlContext: SQLContext = of
      override def schema: StructType = data.schema
    }
  }
}

/** A read whose schema Spark has asked for, so that nothing is looked up again. */
final private case class InferredRead(
    options: CaseInsensitiveStringMap,
    location: TableLocation,
    dataset: Dataset,
    search: Option[SearchTable]
)

/** A table opened by path, possibly with a user-defined schema that selects columns. Batch writes go
  * elsewhere, streaming writes come here.
  */
final private[spark] class LancePathTable(location: TableLocation, dataset: Dataset, wanted: StructType)
    extends LanceTable(location.uri, location, dataset)
    with SupportsWrite {
  override def capabilities(): JSet[TableCapability] = LanceTable.Streamable

  override def newWriteBuilder(info: LogicalWriteInfo): WriteBuilder = translating {
    new WritableLanceTable(name, location, dataset).toWrite.newWriteBuilder(info)
  }

  /** Name by which the catalog of paths writes to the latest version. */
  private[spark] def named: Seq[String] = Seq(LanceCatalogs.Format, location.uri)

  /** Whether the table shows what the table of its name has: the latest version, all columns, by no options.
    */
  private[spark] def isPlain(options: CaseInsensitiveStringMap): Boolean =
    options.keySet.asScala.forall(LancePathTable.placing) &&
      wanted.fieldNames.sameElements(super.schema().fieldNames)

  // Nullability is the table's: Spark skips null checks for columns that the user declares NOT NULL.
  private lazy val shownSchema: StructType = {
    val stored = super.schema().iterator.map(column => column.name -> column.nullable).toMap
    StructType(wanted.map(column => column.copy(nullable = stored.getOrElse(column.name, column.nullable))))
  }
  override def schema(): StructType = shownSchema

  override def newScanBuilder(options: CaseInsensitiveStringMap): ScanBuilder = translating {
    PathOptions.checkRead(options)
    val stored = SchemaConverter.toSpark(dataset.schema, LanceOptions.readTypes(options))
    val kinds = stored.iterator.map(column => column.name -> KeptTypes.inQueries(column.dataType)).toMap
    wanted.foreach { column =>
      if (!kinds.get(column.name).contains(KeptTypes.inQueries(column.dataType)))
        throw new LanceUsageException(
          s"The schema given to read $name has a column '${column.name}' of type " +
            s"${column.dataType.catalogString}, which the table lacks; its columns are ${stored.toDDL}. " +
            "Leave the schema out, or name some of these."
        )
    }
    scanBuilder(LanceOptions.forRead(options))
  }
}

private object LancePathTable {

  /** Options that neither choose rows nor settings. */
  private val placing = Set("path", LanceOptions.SchemaOption.name)
}
