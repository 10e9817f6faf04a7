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

/** What CREATE TABLE and its kin ask for.
  *
  * @param clause
  *   the OPTIONS clause
  * @param options
  *   what it says, with the session's defaults
  * @param properties
  *   all others, Spark's own among them
  */
final private[spark] case class TableRequest(
    declared: StructType,
    clause: Map[String, String],
    options: WriteOptions,
    properties: Map[String, String]
) {

  /** The options of the write that fills the table: its own, over those of the clause. */
  def settings(ofWrite: CaseInsensitiveStringMap): CaseInsensitiveStringMap = new CaseInsensitiveStringMap(
    (clause.filterNot(option => ofWrite.containsKey(option._1)) ++ ofWrite.asCaseSensitiveMap.asScala).asJava
  )

  def location: Option[String] = properties.get(TableCatalog.PROP_LOCATION)

  /** What the user said in TBLPROPERTIES for the catalog to keep. */
  def ownProperties: Map[String, String] = TableRequest.own(properties)

  /** What they say of columns, and the clause. */
  def columnSettings: ColumnSettings =
    ColumnSettings(ColumnSettings.of(ownProperties).all ++ options.creation.columns.all)

  /** What of it is the table's own config. */
  def config: Map[String, String] = properties.filter(p => TableProperties.isOfTable(p._1))
}

private[spark] object TableRequest {

  // By name, since the newer ones are not in every version of Spark.
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

  /** The property in which Spark hands on a table's COMMENT. */
  def comment(properties: Map[String, String]): Option[(String, String)] =
    properties.get(TableCatalog.PROP_COMMENT).map(TableCatalog.PROP_COMMENT -> _)

  def own(properties: Map[String, String]): Map[String, String] = (properties -- reserved).filterNot {
    case (key, _) => key.startsWith(TableCatalog.OPTION_PREFIX) || TableProperties.isOfTable(key)
  }

  /** What is left of properties for a catalog that keeps them. */
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
    // Spark gives each option twice, with this prefix and without.
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
      LanceOptions.forWrite(new CaseInsensitiveStringMap(options.asJava)),
      all.filterNot { case (key, _) => key.startsWith(TableCatalog.OPTION_PREFIX) || options.contains(key) }
    )
    // A table that is registered has columns of its own.
    if (columns.isEmpty) request
    else request.copy(declared = request.columnSettings.applyTo(request.declared))
  }

  /** As the statement has it. */
  private def layout(partitions: Array[Transform]): String = partitions.map(p => (p.name, p)) match {
    case Array(("cluster_by", columns)) =>
      columns.references.map(_.describe).mkString("CLUSTER BY (", ", ", ")")
    case all => all.map(_._2.describe).mkString("PARTITIONED BY (", ", ", ")")
  }

  /** What our catalogs can do for a column of a new table. */
  val capabilities: JSet[TableCatalogCapability] =
    JSet.of(TableCatalogCapability.SUPPORT_COLUMN_DEFAULT_VALUE)

  /** Columns in the older form, in which metadata say all that the newer one has clauses for. */
  def schema(columns: Array[Column]): StructType = StructType(columns.map { column =>
    val metadata = Option(column.metadataInJSON).fold(Metadata.empty)(Metadata.fromJson)
    val builder = new MetadataBuilder().withMetadata(metadata)
    Option(column.comment).foreach(builder.putString("comment", _))
    Option(column.defaultValue).toSeq.flatMap(Defaults.of).foreach { case (key, value) =>
      builder.putString(key, value)
    }
    StructField(column.name, column.dataType, column.nullable, builder.build())
  })

  /** Catalogs keep what a table is created with, and show it to all. */
  private def refuseSettings(properties: Map[String, String]): Unit =
    properties.keys.map(_.stripPrefix(TableCatalog.OPTION_PREFIX)).find(StoreOptions.isSetting).foreach { key =>
      throw new LanceUsageException(
        s"Option '$key' is no matter of a table, which would show it to everybody. Set it for the session, as " +
          s"spark.hadoop.$key when it starts, or as spark.sql.catalog.<name>.$key for a catalog lance."
      )
    }

  private def refuseClauses(column: Column): Unit =
    if (column.generationExpression != null || column.identityColumnSpec != null)
      throw new LanceUsageException(
        s"Column '${column.name}' cannot have a GENERATED or IDENTITY clause: a Lance table has no place for it. Leave the clause " +
          "out, and write the values, or compute them in a view."
      )
}
