package io.sparklance.spark.metadata

import io.sparklance.dataset.Dataset
import io.sparklance.spark.options.MetadataTableName
import io.sparklance.table.Fragment

/** The fragments of a version, in the order of its rows. */
private[spark] object FragmentsTable extends DriverTable[Fragment](MetadataTableName.Fragments) {

  protected val columns: TableColumns[Fragment] = new TableColumns(
    TableColumn("id", "BIGINT NOT NULL", "id of the fragment: the _fragid of its rows", _.id),
    TableColumn(
      "rows",
      "BIGINT",
      "number of rows without deleted ones; null if the manifest does not record it",
      ManifestCounts.rows(_: Fragment)
    ),
    TableColumn("physical_rows", "BIGINT", "number of rows with deleted ones", _.physicalRows),
    TableColumn("deleted_rows", "BIGINT", "number of deleted rows", ManifestCounts.deleted),
    TableColumn(
      "data_files",
      "ARRAY<STRING> NOT NULL",
      "names of the data files, each with some of the columns",
      _.files.map(_.path)
    ),
    TableColumn(
      "deletion_file",
      "STRING",
      "name of the deletion file, if rows are deleted",
      f => f.deletionFile.map(_.fileName(f.id))
    ),
    TableColumn(
      "size",
      "BIGINT",
      "bytes of the data files; null if the manifest does not record them",
      ManifestCounts.size(_: Fragment)
    )
  )

  protected def items(dataset: Dataset): Iterator[Fragment] = dataset.fragments.iterator
}
