package io.sparklance.spark.metadata

import io.sparklance.dataset.{Dataset, TableRefs}
import io.sparklance.spark.options.MetadataTableName
import io.sparklance.table.refs.Tag

/** The current tags of a table, whichever version is queried. */
private[spark] object TagsTable extends DriverTable[(String, Tag)](MetadataTableName.Tags) {

  protected val columns: TableColumns[(String, Tag)] = new TableColumns(
    TableColumn("tag", "STRING NOT NULL", "name of the tag", _._1),
    TableColumn("branch", "STRING", "branch of the tagged version; null for the main one", _._2.branch),
    TableColumn("version", "BIGINT NOT NULL", "tagged version", _._2.version),
    TableColumn("created_at", "TIMESTAMP", "time when the tag was created", _._2.createdAt),
    TableColumn("updated_at", "TIMESTAMP", "time when the tag last moved to another version", _._2.updatedAt),
    TableColumn("manifest_size", "BIGINT NOT NULL", "bytes of the version's manifest", _._2.manifestSize),
    TableColumn("metadata", "MAP<STRING, STRING> NOT NULL", "further metadata of the tag", _._2.metadata)
  )

  protected def items(dataset: Dataset): Iterator[(String, Tag)] = new TableRefs(dataset).tags.all.iterator
}
