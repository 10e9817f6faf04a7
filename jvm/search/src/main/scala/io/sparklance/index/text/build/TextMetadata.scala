package io.sparklance.index.text.build

import io.sparklance.index.build.{IndexFileWriter, UnfinishedFile, WrittenIndexFile}
import io.sparklance.schema.{Field, LanceSchema, LogicalType}
import io.sparklance.table.index.RoaringSet

/** Writes `metadata.lance`, which lists the partitions of a segment and has its parameters: see
  * [[io.sparklance.index.text.TextIndex]].
  */
private[sparklance] object TextMetadata {

  def write(files: TextFiles, partitions: Vector[Long]): WrittenIndexFile = {
    val field =
      Field(0, "deleted_fragments", LogicalType.Binary(large = false), nullable = false)
    val schema = LanceSchema(Vector(field))
    val writer = new IndexFileWriter(files.store, files.directory, "metadata.lance", schema, files.version)
    UnfinishedFile.writing(writer) { writer =>
      writer.appendBytes(0, RoaringSet.of(Set.empty).encode.toByteArray)
      writer.rowWritten()
      writer.finish(files.form.listMetadata ++ Map(
        "partitions" -> partitions.sorted.mkString("[", ",", "]"),
        "params" -> files.form.params,
        "token_set_format" -> "fst"
      ))
    }
  }
}
