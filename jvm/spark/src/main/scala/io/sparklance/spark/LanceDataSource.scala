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
import io.sparklance.spark.errors.SparkErrors.translating
import io.sparklance.spark.metadata.{MetadataKind, MetadataTable}
import io.sparklance.spark.options.{LanceOptions, PathOptions, StoreOptions}
import io.sparklance.spark.session.{LanceCatalogs, TableLocation}
import io.sparklance.spark.table.{LanceTable, UnplacedLanceTable, UnusableLanceTable, WritableLanceTable}
import io.sparklance.spark.types.{KeptTypes, SchemaConverter}
import io.sparklance.{LanceTableNotFoundException, LanceUsageException}

/** `format("lance")`.
  *
  * Reads go through [[TableProvider]]. Writes come in by the older interface, since with the newer one Spark
  * refuses two of the four save modes and an overwrite keeps the schema; [[PathWrites]] hands them to the
  * catalog `lance`, which has all that is new. Spark only takes that way if the table here cannot be written
  * to.
  *
  * Spark makes an object for each look-up, so there is one for each read.
  */
final class LanceDataSource extends TableProvider with DataSourceRegister with CreatableRelationProvider {
  private var inferred: Option[Dataset] = None

  override def shortName(): String = LanceCatalogs.Format

  override def supportsExternalMetadata(): Boolean = true

  override def inferSchema(options: CaseInsensitiveStringMap): StructType = translating {
    PathOptions.checkRead(options)
    val dataset = open(options, PathOptions.location(options))
    inferred = Some(dataset)
    LanceOptions.MetadataTableOption.in(options)
      .fold(SchemaConverter.toSpark(
        dataset.schema,
        LanceOptions.readTypes(options)
      ))(MetadataKind.of(_).schema)
  }

  /** `schema` is the table's own, or what the user wants to see of it; or, before a write, the schema of what
    * is to be written, to which nothing in the answer must depend.
    */
  override def getTable(
      schema: StructType,
      partitioning: Array[Transform],
      properties: JMap[String, String]
  ): Table = translating {
    val options = new CaseInsensitiveStringMap(properties)
    PathOptions.pathIfAny(options).fold[Table](new UnplacedLanceTable(schema)) { path =>
      val location = StoreOptions.of(options).locate(path)
      try tableAt(location, inferred.getOrElse(open(options, location)), schema, options)
      catch {
        case e: LanceTableNotFoundException =>
          new UnusableLanceTable(path, schema, location, LanceTable.Streamable, e)
      }
    }
  }

  /** With a catalog of someone else's as `spark_catalog`, its tables arrive here, too, with an owner or a
    * provider.
    */
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
        .fold[Table](new LancePathTable(location.at(dataset), dataset, schema)) { kind =>
          new MetadataTable(
            s"${kind.name} of ${location.uri}",
            location.at(dataset),
            dataset,
            MetadataKind.of(kind)
          )
        }

  private def open(options: CaseInsensitiveStringMap, location: TableLocation): Dataset =
    TableRefs.open(location.store, location.root, LanceOptions.version(options))

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

/** A table by its path, of which the user may have asked to see only some columns. Streams write to it. */
final private class LancePathTable(location: TableLocation, dataset: Dataset, wanted: StructType)
    extends LanceTable(location.uri, location, dataset)
    with SupportsWrite {
  override def capabilities(): JSet[TableCapability] = LanceTable.Streamable

  override def newWriteBuilder(info: LogicalWriteInfo): WriteBuilder = translating {
    new WritableLanceTable(name, location, dataset).toWrite.newWriteBuilder(info)
  }

  // Whether there are nulls is not for the user to say: Spark would not look at them any more.
  override def schema(): StructType = StructType(wanted.map { column =>
    super.schema().find(_.name == column.name).fold(column)(stored => column.copy(nullable = stored.nullable))
  })

  override def newScanBuilder(options: CaseInsensitiveStringMap): ScanBuilder = translating {
    PathOptions.checkRead(options)
    val stored = SchemaConverter.toSpark(dataset.schema, LanceOptions.readTypes(options))
    wanted.foreach { column =>
      val kind = KeptTypes.inQueries(column.dataType)
      if (!stored.exists(s => s.name == column.name && KeptTypes.inQueries(s.dataType) == kind))
        throw new LanceUsageException(
          s"The schema given to read $name has a column '${column.name}' of type ${column.dataType.catalogString}, " +
            s"which the table has not; its columns are ${stored.toDDL}. Leave the schema out, or name some of these."
        )
    }
    scanBuilder(LanceOptions.forRead(options))
  }
}
