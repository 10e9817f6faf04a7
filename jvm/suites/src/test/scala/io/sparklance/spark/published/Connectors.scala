package io.sparklance.spark.published

import org.apache.spark.sql.connector.catalog.{Identifier, Table, TableCatalog}
import org.apache.spark.sql.connector.{AlterTableTests, DeleteFromTests, InsertIntoTests}
import org.apache.spark.sql.{DataFrame, SaveMode, classic}

/** Tables in a directory that is empty when a test begins. */
trait InDirectory extends PublishedSuite {
  protected lazy val catalogAndNamespace: String = "lake.ns1."
  protected lazy val v2Format: String = "lance"

  override protected def prepare(): Unit = {
    directory("lake").foreach { case (key, value) => spark.conf.set(key, value) }
    empty("lake")
    val _ = spark.sql("CREATE NAMESPACE lake.ns1")
  }
}

/** Tables of the session catalog. */
trait InSession extends PublishedSuite {
  protected lazy val catalogAndNamespace: String = ""
  protected lazy val v2Format: String = "lance"

  override protected def prepare(): Unit =
    spark.catalog.listTables().collect().filterNot(_.isTemporary).foreach { table =>
      spark.sql(s"DROP TABLE ${table.name}")
    }
}

abstract class InsertInto
    extends InsertIntoTests(supportsDynamicOverwrite = false, includeSQLOnlyTests = true)
    with PublishedSuite {
  protected def doInsert(table: String, rows: DataFrame, mode: SaveMode): Unit = {
    rows.createOrReplaceTempView("rows_to_insert")
    val how = if (mode == SaveMode.Overwrite) "OVERWRITE" else "INTO"
    val _ = spark.sql(s"INSERT $how TABLE $table SELECT * FROM rows_to_insert")
  }
  protected def verifyTable(table: String, expected: DataFrame): Unit =
    checkAnswer(spark.table(table), expected)
}

abstract class AlterTable extends AlterTableTests with PublishedSuite {
  protected def getTableMetadata(name: String): Table = {
    val parts = name.split('.')
    val manager = spark.sessionState.catalogManager
    val (catalog, rest) =
      if (manager.isCatalogRegistered(parts.head)) (manager.catalog(parts.head), parts.tail)
      else (manager.catalog("spark_catalog"), parts)
    catalog.asInstanceOf[TableCatalog].loadTable(Identifier.of(rest.init, rest.last))
  }
}

final class InsertIntoDirectory extends InsertInto with InDirectory
final class InsertIntoSession extends InsertInto with InSession
final class AlterTableDirectory extends AlterTable with InDirectory
final class AlterTableSession extends AlterTable with InSession

/** Its tables are partitioned, without need. */
final class DeleteFromDirectory extends DeleteFromTests with InDirectory {
  override protected lazy val sql: String => classic.DataFrame =
    text => spark.sql(text.replaceFirst(" PARTITIONED BY \\(.*\\)", ""))
}
