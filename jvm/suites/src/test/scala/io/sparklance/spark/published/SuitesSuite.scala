package io.sparklance.spark.published

import java.nio.file.{Files, Path}

import org.scalatest.funsuite.AnyFunSuite

/** Holds what records/spark-suites.md says of Spark's suites against what they are. */
final class SuitesSuite extends AnyFunSuite {
  private val suites: Vector[PublishedSuite] = Vector(
    new AlterNamespaceSetLocation,
    new AlterNamespaceSetProperties,
    new AlterNamespaceUnsetProperties,
    new AlterTableAddColumns,
    new AlterTableDirectory,
    new AlterTableDropColumn,
    new AlterTableRecoverPartitions,
    new AlterTableRename,
    new AlterTableRenameColumn,
    new AlterTableReplaceColumns,
    new AlterTableSession,
    new AlterTableSetLocation,
    new AlterTableSetSerde,
    new AlterTableSetTblProperties,
    new AlterTableUnsetTblProperties,
    new CreateNamespace,
    new DeleteFromDirectory,
    new DeleteFromTable,
    new DescribeNamespace,
    new DescribeTable,
    new DropNamespace,
    new DropTable,
    new InsertIntoDirectory,
    new InsertIntoSession,
    new MergeIntoTable,
    new MsckRepairTable,
    new ShowColumns,
    new ShowCreateTable,
    new ShowNamespaces,
    new ShowTables,
    new ShowTblProperties,
    new TruncateTable,
    new UpdateTable
  )
  private val refused = suites.flatMap(suite => Refused.of(suite.getClass).toVector)

  private lazy val page = Files.readString(Path.of("records", "spark-suites.md"))

  test("each refusal is of a test that there is") {
    suites.foreach { suite =>
      Refused.of(suite.getClass).keys.foreach { name =>
        assert(suite.testNames.exists(_.endsWith(name)), s"${suite.getClass.getSimpleName}: $name")
      }
    }
  }

  test("records/spark-suites.md counts the tests that pass") {
    val tests = suites.map(_.testNames.size).sum
    val told = page.replaceAll("\\s+", " ")
    assert(told.contains(s"Of $tests tests in ${suites.size} suites, ${tests - refused.size} pass."))
  }

  test("records/spark-suites.md has each reason, with the number of its tests") {
    val rows =
      "(?m)^\\| (.*) \\| (\\d+) \\|$".r.findAllMatchIn(page).map(m => m.group(1) -> m.group(2).toInt)
    val counted = Refused.reasons.map(reason => reason.text -> refused.count(_._2 == reason))
    assert(rows.toVector == counted)
  }
}
