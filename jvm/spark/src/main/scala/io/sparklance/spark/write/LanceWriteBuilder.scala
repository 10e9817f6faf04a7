package io.sparklance.spark.write

import org.apache.spark.sql.connector.write.{BatchWrite, SupportsTruncate, Write, WriteBuilder}
import org.apache.spark.sql.types.StructType

import io.sparklance.LanceUsageException
import io.sparklance.data.FileVersion
import io.sparklance.dataset.WriteId
import io.sparklance.schema.LanceSchema
import io.sparklance.spark.{TableLocation, WriteLimits}

/** What tasks have to know in order to write data files.
  *
  * @param ordinals for each top-level field of `schema`, where it stands in Spark's rows
  */
final case class WriteSpec(
    location: TableLocation,
    schema: LanceSchema,
    version: FileVersion,
    limits: WriteLimits,
    ordinals: Vector[Int],
    write: WriteId
)

object WriteSpec {

  /** Finds each field by name among the columns of the rows, which may have more (metadata columns, in some plans). */
  def ordinals(schema: LanceSchema, rows: StructType): Vector[Int] = schema.fields.map { field =>
    val at = rows.fieldNames.indexOf(field.name)
    if (at < 0)
      throw new LanceUsageException(
        s"The rows to be written have no column '${field.name}' (they have ${rows.fieldNames.mkString(", ")}). " +
          "Add it, or name it as the table does."
      )
    at
  }
}

/** Builds a write; nothing happens before tasks run.
  *
  * @param added the write if rows are added to those that are there
  * @param replacing the write if they replace them
  */
final class LanceWriteBuilder(added: => LancePlannedWrite, replacing: => LancePlannedWrite)
    extends WriteBuilder
    with SupportsTruncate {
  private var truncates = false

  override def truncate(): WriteBuilder = { truncates = true; this }

  override def build(): Write = if (truncates) replacing else added
}

/** A write that is decided: which files are written, and how they become visible. */
final class LancePlannedWrite(spec: WriteSpec, publication: Publication) extends Write {
  override def description(): String = s"lance ${spec.location}"
  override def toString: String = s"LanceWrite(${spec.location})"
  override def toBatch: BatchWrite = new LanceBatchWrite(spec, publication)
}
