package io.sparklance.spark.catalog

import java.util.{Map => JMap, Set => JSet}

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.connector.catalog.{Column, TableCatalog, TableCatalogCapability}
import org.apache.spark.sql.connector.expressions.Transform
import org.apache.spark.sql.types.{Metadata, MetadataBuilder, StructField, StructType}
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import io.sparklance.LanceUsageException
import io.sparklance.spark.options.{
  ColumnSettings,
  LanceOptions,
  RowLayout,
  StoreOptions,
  TableProperties,
  WriteOptions
}
import io.sparklance.spark.types.Defaults

/** A CREATE or REPLACE TABLE statement.
  *
  * @param clause
  *   options in the OPTIONS clause
  * @param options
  *   the same, parsed, with the session's defaults
  * @param properties
  *   all other properties, including Spark's own
  */
final private[spark] case class TableRequest(
    declared: StructType,
    clause: Map[String, String],
    options: WriteOptions,
    properties: Map[String, String]
) {

  /** Options of the write that fills the table. They override the OPTIONS clause. */
  def settings(ofWrite: CaseInsensitiveStringMap): CaseInsensitiveStringMap = new CaseInsensitiveStringMap(
    (clause.filterNot(option => ofWrite.containsKey(option._1)) ++ ofWrite.asCaseSensitiveMap.asScala).asJava
  )

  def location: Option[String] = properties.get(TableCatalog.PROP_LOCATION)

  /** TBLPROPERTIES that the catalog keeps. */
  def ownProperties: Map[String, String] = TableRequest.own(properties)

  /** Column settings in TBLPROPERTIES and in the OPTIONS clause. */
  def columnSettings: ColumnSettings =
    ColumnSettings(ColumnSettings.of(ownProperties).all ++ options.creation.columns.all)

  /** Properties that belong to the table's own config. */
  def config: Map[String, String] = properties.filter(p => TableProperties.isOfTable(p._1))
}

private[spark] object TableRequest {

  // Literals, because not every supported version of Spark has all of these constants.
  private val reserved =
    Set(
      "provider",
      "owner",
      "location",
      "comment",
      "external",
      "is_managed_location",
      "collation",
      "table_type"
    )

  /** Returns the property in which Spark passes a table's COMMENT. */
  def comment(properties: Map[String, String]): Option[(String, String)] =
    properties.get(TableCatalog.PROP_COMMENT).map(TableCatalog.PROP_COMMENT -> _)

  def own(properties: Map[String, String]): Map[String, String] = (properties -- reserved).filterNot {
    case (key, _) => key.startsWith(TableCatalog.OPTION_PREFIX) || TableProperties.isOfTable(key)
  }

  /** Returns the properties without those of the table's config, for a catalog that keeps properties. */
  def withoutConfig(properties: JMap[String, String]): JMap[String, String] =
    properties.asScala.filterNot(p => TableProperties.isOfTable(p._1)).asJava

  def of(
      columns: Array[Column],
      partitions: Array[Transform],
      properties: JMap[String, String]
  ): TableRequest = {
    if (partitions.nonEmpty)
      throw RowLayout.noPartitions(layout(partitions))
    columns.foreach(refuseClauses)
    columns.foreach(column => Option(column.defaultValue).foreach(Defaults.check(column.name, _)))
    // Spark passes each option twice, with this prefix and without.
    val all = properties.asScala.toMap
    refuseSettings(all)
    LanceOptions.refuseBranch(new CaseInsensitiveStringMap(all.asJava))
    TableProperties.check(all)
    ColumnSettings.refuseAlike(own(all).keys, columns.map(_.name).toSeq)
    val options = all.collect {
      case (key, value) if key.startsWith(TableCatalog.OPTION_PREFIX) =>
        key.drop(TableCatalog.OPTION_PREFIX.length) -> value
    }
    val request = TableRequest(
      schema(columns),
      options,
      LanceOptions.forWrite(TableProperties.over(own(all), new CaseInsensitiveStringMap(options.asJava))),
      all.filterNot { case (key, _) => key.startsWith(TableCatalog.OPTION_PREFIX) || options.contains(key) }
    )
    // A registered table has its own columns.
    if (columns.isEmpty) request
    else request.copy(declared = request.columnSettings.applyTo(request.declared))
  }

  /** Returns the clause as the statement writes it. */
  private def layout(partitions: Array[Transform]): String = partitions.map(p => (p.name, p)) match {
    case Array(("cluster_by", columns)) =>
      columns.references.map(_.describe).mkString("CLUSTER BY (", ", ", ")")
    case all => all.map(_._2.describe).mkString("PARTITIONED BY (", ", ", ")")
  }

  /** Column features that our catalogs support for new tables. */
  val capabilities: JSet[TableCatalogCapability] =
    JSet.of(TableCatalogCapability.SUPPORT_COLUMN_DEFAULT_VALUE)

  /** Converts columns to a schema, with comments and defaults as metadata. */
  def schema(columns: Array[Column]): StructType = StructType(columns.map { column =>
    val metadata = Option(column.metadataInJSON).fold(Metadata.empty)(Metadata.fromJson)
    val builder = new MetadataBuilder().withMetadata(metadata)
    Option(column.comment).foreach(builder.putString("comment", _))
    Option(column.defaultValue).toSeq.flatMap(Defaults.of).foreach { case (key, value) =>
      builder.putString(key, value)
    }
    StructField(column.name, column.dataType, column.nullable, builder.build())
  })

  /** Refuses file system settings as properties: catalogs store a table's properties and show them to
    * everybody.
    */
  private def refuseSettings(properties: Map[String, String]): Unit =
    properties.keys.map(_.stripPrefix(TableCatalog.OPTION_PREFIX)).find(StoreOptions.isSetting).foreach { key =>
      throw new LanceUsageException(
        s"Option '$key' cannot be a property of a table, which all its users can see. Set it for the " +
          s"session, as spark.hadoop.$key when it starts, or as spark.sql.catalog.<name>.$key for a " +
          "catalog lance."
      )
    }

  private def refuseClauses(column: Column): Unit =
    if (column.generationExpression != null || column.identityColumnSpec != null)
      throw new LanceUsageException(
        s"Column '${column.name}' cannot have a GENERATED or IDENTITY clause: a Lance table cannot store " +
          "it. Leave the clause out, and write the values, or compute them in a view."
      )
}
