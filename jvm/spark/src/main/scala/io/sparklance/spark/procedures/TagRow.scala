package io.sparklance.spark.procedures

import org.apache.spark.sql.types.StructType

import io.sparklance.table.refs.Tag

/** A tag as a row. */
private[procedures] object TagRow {
  val columns: StructType = StructType.fromDDL(
    "tag STRING NOT NULL, branch STRING, version BIGINT NOT NULL, created_at TIMESTAMP, updated_at TIMESTAMP, " +
      "manifest_size BIGINT NOT NULL, metadata MAP<STRING, STRING> NOT NULL"
  )

  def apply(name: String, tag: Tag): Seq[Any] =
    Seq(name, tag.branch, tag.version, tag.createdAt, tag.updatedAt, tag.manifestSize, tag.metadata)
}
