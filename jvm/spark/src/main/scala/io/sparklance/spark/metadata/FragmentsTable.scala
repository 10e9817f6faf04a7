package io.sparklance.spark.metadata

import io.sparklance.dataset.Dataset
import io.sparklance.spark.options.MetadataTableName
import io.sparklance.table.Fragment

/** The fragments of a version, in the order of its rows. */
private[spark] object FragmentsTable extends DriverTable[Fragment](MetadataTableName.Fragments) {

  protected val columns: TableColumns[Fragment] = new TableColumns(
    TableColumn("id", "BIGINT NOT NULL", "the _fragid of its rows", _.id),
    TableColumn(
      "rows",
      "BIGINT",
      "that are not deleted; null if the manifest does not tell",
      ManifestCounts.rows(_: Fragment)
    ),
    TableColumn("physical_rows", "BIGINT", "deleted ones included", _.physicalRows),
    TableColumn("deleted_rows", "BIGINT", "how many are", ManifestCounts.deleted),
    TableColumn(
      "data_files",
      "ARRAY<STRING> NOT NULL",
      "each has some of the columns",
      _.files.map(_.path)
    ),
    TableColumn(
      "deletion_file",
      "STRING",
      "if rows are deleted",
      f => f.deletionFile.map(_.fileName(f.id))
    ),
    TableColumn("size", "BIGINT", "bytes of the data files", ManifestCounts.size(_: Fragment))
  )

  protected def items(dataset: Dataset): Iterator[Fragment] = dataset.fragments.iterator
}
