package io.sparklance.testkit

import scala.util.Random

import io.sparklance.data.FileVersion
import io.sparklance.encoding.logical.{FieldArrays, PrimitiveField}
import io.sparklance.file.FileWriter
import io.sparklance.io.ObjectStore
import io.sparklance.schema.{Field, LanceSchema}

/** Writes files of random values. */
object Files {

  /** @param pages
    *   the rows of each page, for all columns alike
    * @return
    *   what is in the file, by column
    */
  def write(
      store: ObjectStore,
      path: String,
      fields: Vector[Field],
      version: FileVersion,
      pages: Vector[Int],
      pattern: RandomColumns.Pattern,
      nullShare: Double,
      seed: Long
  ): Map[String, Vector[String]] = {
    val random = new Random(seed)
    val writer = new FileWriter(store.create(path), LanceSchema(fields), version)
    val contents = fields.zipWithIndex.map { case (field, index) =>
      val column = RandomColumns.column(field)
      val firstRows = pages.scanLeft(0)(_ + _)
      val texts = pages.zip(firstRows).map { case (rows, firstRow) =>
        column.clear()
        RandomColumns.fill(column, field, rows, pattern, nullShare, random)
        val text = ColumnText.of(column, rows)
        if (version == FileVersion.V2_0)
          FieldArrays.encode(column, field).foreach(writer.writeArray(index, _))
        else writer.writePage(index, PrimitiveField.encode(column, field, version), firstRow.toLong)
        text
      }
      field.name -> texts.flatten
    }
    writer.finish()
    contents.toMap
  }
}
