package io.sparklance.spark.procedures

import org.apache.spark.sql.types.StructType

import io.sparklance.spark.metadata.ManifestCounts
import io.sparklance.table.Fragment

object Fragments
    extends LanceProcedure(
      "fragments",
      "Lists the fragments of a table; `fragment` is the message that the manifest has."
    ) {
  val parameters: Vector[Parameter[_]] = Vector(Parameter.table, Parameter.version)

  val result: StructType = StructType.fromDDL(
    "id BIGINT NOT NULL, physical_rows BIGINT, deleted_rows BIGINT, data_files ARRAY<STRING> NOT NULL, " +
      "deletion_file STRING, size BIGINT, fragment BINARY NOT NULL"
  )

  def call(arguments: Arguments): Iterator[Seq[Any]] = arguments.dataset.fragments.iterator.map(row)

  private def row(fragment: Fragment): Seq[Any] = Seq(
    fragment.id,
    fragment.physicalRows,
    ManifestCounts.deleted(fragment),
    fragment.files.map(_.path),
    fragment.deletionFile.map(_.fileName(fragment.id)),
    ManifestCounts.size(fragment),
    fragment.toBytes
  )
}
