package io.sparklance.spark.published

import org.apache.spark.SparkConf
import org.apache.spark.sql.execution.command.v2

/** Spark's suites of commands, on a directory as their catalog. */
trait Commands extends PublishedSuite with v2.CommandSuiteBase {
  override def defaultUsing: String = "USING lance"

  private def catalogs: Seq[String] = Seq(catalog, s"non_part_$catalog", s"fun_$catalog")

  override def sparkConf: SparkConf = super.sparkConf.setAll(catalogs.flatMap(directory))

  override protected def prepare(): Unit = catalogs.foreach(empty)
}

/** Suites whose namespaces lie in an existing one. */
trait Nested extends Commands {
  override protected def prepare(): Unit = {
    super.prepare()
    val _ = spark.sql(s"CREATE NAMESPACE $catalog.ns1")
  }
}

final class AlterNamespaceSetLocation extends v2.AlterNamespaceSetLocationSuite with Nested
final class AlterNamespaceSetProperties extends v2.AlterNamespaceSetPropertiesSuite with Nested
final class AlterNamespaceUnsetProperties extends v2.AlterNamespaceUnsetPropertiesSuite with Nested
final class AlterTableAddColumns extends v2.AlterTableAddColumnsSuite with Commands
final class AlterTableDropColumn extends v2.AlterTableDropColumnSuite with Commands
final class AlterTableRenameColumn extends v2.AlterTableRenameColumnSuite with Commands
final class AlterTableRename extends v2.AlterTableRenameSuite with Commands
final class AlterTableReplaceColumns extends v2.AlterTableReplaceColumnsSuite with Commands
final class AlterTableSetLocation extends v2.AlterTableSetLocationSuite with Commands
final class AlterTableSetSerde extends v2.AlterTableSetSerdeSuite with Commands
final class AlterTableSetTblProperties extends v2.AlterTableSetTblPropertiesSuite with Commands
final class AlterTableUnsetTblProperties extends v2.AlterTableUnsetTblPropertiesSuite with Commands
final class AlterTableRecoverPartitions extends v2.AlterTableRecoverPartitionsSuite with Commands
final class CreateNamespace extends v2.CreateNamespaceSuite with Nested
final class DescribeNamespace extends v2.DescribeNamespaceSuite with Nested
final class DescribeTable extends v2.DescribeTableSuite with Commands
final class DropNamespace extends v2.DropNamespaceSuite with Commands
final class DropTable extends v2.DropTableSuite with Commands
final class MsckRepairTable extends v2.MsckRepairTableSuite with Commands
final class ShowColumns extends v2.ShowColumnsSuite with Commands
final class ShowCreateTable extends v2.ShowCreateTableSuite with Commands
final class ShowNamespaces extends v2.ShowNamespacesSuite with Commands
final class ShowTables extends v2.ShowTablesSuite with Commands
final class ShowTblProperties extends v2.ShowTblPropertiesSuite with Commands
final class TruncateTable extends v2.TruncateTableSuite with Commands
