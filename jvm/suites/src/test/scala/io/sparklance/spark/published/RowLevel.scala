package io.sparklance.spark.published

import org.apache.spark.sql.connector.catalog.Column
import org.apache.spark.sql.connector.{
  DeleteFromTableSuiteBase,
  MergeIntoTableSuiteBase,
  RowLevelOperationSuiteBase,
  UpdateTableSuiteBase
}
import org.apache.spark.sql.types.StructType

/** Spark's suites of DELETE, UPDATE and MERGE. Their tables are partitioned, ours are not; what they look up
  * in their own table of how rows were written is left out, not what the rows are.
  */
trait RowLevel extends RowLevelOperationSuiteBase with PublishedSuite {
  override protected def prepare(): Unit = {
    directory("cat").foreach { case (key, value) => spark.conf.set(key, value) }
    empty("cat")
    val _ = spark.sql("CREATE NAMESPACE cat.ns1")
  }

  override protected def createTable(schema: String): Unit = {
    val _ = spark.sql(s"CREATE TABLE $tableNameAsString ($schema)")
  }

  override protected def createTable(columns: Array[Column]): Unit = createTable(
    columns.map { column =>
      val default = Option(column.defaultValue).fold("")(value => s" DEFAULT ${value.getSql}")
      s"${column.name} ${column.dataType.sql}${if (column.nullable) "" else " NOT NULL"}$default"
    }.mkString(", ")
  )

  override protected def checkLastWriteInfo(
      row: StructType,
      rowId: Option[StructType],
      metadata: Option[StructType]
  ): Unit = ()

  override protected def checkReplacedPartitions(expected: Seq[Any]): Unit = ()

  override protected def checkLastWriteLog(expected: WriteLogEntry*): Unit = ()

  override protected def executeAndCheckScan(query: String, schema: String): Unit = {
    val _ = spark.sql(query)
  }

  override protected def executeAndCheckScans(
      query: String,
      schema: String,
      groupFilterSchema: Option[String]
  ): Unit = executeAndCheckScan(query, schema)
}

final class DeleteFromTable extends DeleteFromTableSuiteBase with RowLevel
final class UpdateTable extends UpdateTableSuiteBase with RowLevel
final class MergeIntoTable extends MergeIntoTableSuiteBase with RowLevel
