package io.sparklance.spark.metadata

import io.sparklance.dataset.{Dataset, TableRefs}
import io.sparklance.spark.options.MetadataTableName
import io.sparklance.table.refs.Branch

/** The current branches of a table except the main one, whichever version is queried. */
private[spark] object BranchesTable extends DriverTable[BranchOfTable](MetadataTableName.Branches) {

  protected val columns: TableColumns[BranchOfTable] = new TableColumns(
    TableColumn("branch", "STRING NOT NULL", "name of the branch", _.name),
    TableColumn(
      "parent_branch",
      "STRING",
      "branch on which it begins; null for the main one",
      _.branch.parentBranch
    ),
    TableColumn("parent_version", "BIGINT NOT NULL", "version at which it begins", _.branch.parentVersion),
    TableColumn("created_at", "TIMESTAMP NOT NULL", "time when the branch was created", _.branch.createdAt),
    TableColumn(
      "manifest_size",
      "BIGINT NOT NULL",
      "bytes of the manifest of that version",
      _.branch.manifestSize
    ),
    TableColumn(
      "metadata",
      "MAP<STRING, STRING> NOT NULL",
      "further metadata of the branch",
      _.branch.metadata
    ),
    TableColumn("location", "STRING NOT NULL", "path of the branch as a table of its own", _.location)
  )

  protected def items(dataset: Dataset): Iterator[BranchOfTable] = {
    val branches = new TableRefs(dataset).branches
    branches.all.iterator.map { case (name, branch) =>
      BranchOfTable(name, branch, branches.root(Some(name)))
    }
  }
}

final private[spark] case class BranchOfTable(name: String, branch: Branch, location: String)
