package io.sparklance.spark.table

import java.util.{Map => JMap, Set => JSet}

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.connector.catalog.{Column, Table, TableCapability, TableCatalog}
import org.apache.spark.sql.types.StructType

import io.sparklance.spark.options.ColumnSettings

/** A table as a statement would declare it: blobs are binary columns, and types that SQL lacks are
  * properties.
  *
  * @param isPlaced
  *   whether the table's name determines its location
  */
final private[spark] class DeclaredLanceTable(table: WritableLanceTable, isPlaced: Boolean) extends Table {
  private val written = table.toWrite

  override def name: String = table.name
  override def schema(): StructType = written.schema()
  override def columns(): Array[Column] = written.columns()
  override def capabilities(): JSet[TableCapability] = table.capabilities()

  override def properties(): JMap[String, String] = {
    // Settings that the catalog remembers may be those of columns that are gone.
    val kept = table.properties.asScala.toMap.filterNot(property => ColumnSettings.isSetting(property._1))
    val placed = Option.when(isPlaced)(TableCatalog.PROP_IS_MANAGED_LOCATION -> "true")
    (kept ++ placed ++ ColumnSettings.told(schema())).asJava
  }
}
