package io.sparklance.dataset.scan

import scala.util.Using

import io.sparklance.data.FileVersion
import io.sparklance.dataset.snapshot.Snapshot
import io.sparklance.file.{ColumnRequest, FileReader, StoredPage}
import io.sparklance.io.ObjectStore
import io.sparklance.schema.{Field, LanceSchema, Leaf}
import io.sparklance.table.Fragment

/** A data file whose pages are to be listed, with everything that an executor needs.
  *
  * @param version
  *   of the file format, as it is called
  */
final private[sparklance] case class DataFilePages(fragmentId: Long, file: FileSource, version: String) {

  /** The pages of its columns, in the order of the file's columns.
    *
    * @param fields
    *   of the table, by their ids; columns of others, which were dropped, are left out
    */
  def read(store: ObjectStore, fields: Map[Int, Field]): Vector[StoredColumn] =
    Using.resource(FileReader.open(store, file.path, file.size)) { reader =>
      val wanted = for {
        id <- file.fieldIds
        column <- file.columnOf(id).map(reader.column(_, file.firstFieldId))
        field <- fields.get(id)
        if reader.version != FileVersion.V0_1 || field.children.isEmpty
      } yield StoredColumn(field.id, column, Vector.empty) -> ColumnRequest(column, Leaf(Vector.empty, field))
      val pages = reader.pages(wanted.map(_._2))
      wanted.map(_._1).zip(pages).map { case (column, of) => column.copy(pages = of) }.sortBy(_.column)
    }
}

/** A column of a data file, with its pages.
  *
  * @param column
  *   which of the file's it is
  */
final private[sparklance] case class StoredColumn(fieldId: Int, column: Int, pages: Vector[StoredPage])

private[sparklance] object DataFilePages {

  def all(snapshot: Snapshot): Vector[DataFilePages] = snapshot.locating {
    snapshot.fragments.flatMap(of(snapshot, _))
  }

  private[scan] def of(snapshot: Snapshot, fragment: Fragment): Vector[DataFilePages] =
    fragment.files.map { file =>
      val first = file.fieldIds.headOption.filter(_ => file.version.contains(FileVersion.V0_1))
      val source = FileSource(snapshot.dataFile(file), file.size, file.fieldIds, file.columnIndices, first)
      DataFilePages(fragment.id, source, file.versionName)
    }

  def fields(schema: LanceSchema): Map[Int, Field] =
    schema.preOrder.map(field => field.id -> field).toMap
}
