package io.sparklance.dataset.erasure

import scala.util.Using

import io.sparklance.data.{
  Column,
  DataBlock,
  FixedBlock,
  FixedSizeListBlock,
  ListBlock,
  RowRanges,
  StructBlock,
  VariableBlock
}
import io.sparklance.dataset.scan.{FileSource, FragmentReader, FragmentTask}
import io.sparklance.dataset.write.WrittenFile
import io.sparklance.file.FileReader
import io.sparklance.io.ObjectStore
import io.sparklance.schema.{Field, LogicalType}

/** Reads all strings and binary values of a Lance file, whatever table it belongs to. */
private[sparklance] object FileTexts {
  final private val BatchRows = 1024

  /** Whether one of the texts is a value in a file; None if values of files of its version are not read.
    *
    * @param path
    *   of a data file, or of a file of an index
    */
  def contain(store: ObjectStore, path: String, size: Long, sought: SoughtTexts): Option[Boolean] =
    Using.resource(FileReader.open(store, path, Some(size))) { file =>
      OrphanFiles.schema(file).map { schema =>
        val fields = schema.fields.filter(_.preOrder.exists(isText)).filterNot(_.preOrder.exists(_.isBlob))
        val written = WrittenFile.of(schema, file.version, FragmentState.name(path), size, file.numRows)
        fields.nonEmpty && file.numRows > 0 && !sought.isEmpty && isIn(store, path, written, fields, sought)
      }
    }

  private def isIn(
      store: ObjectStore,
      path: String,
      file: WrittenFile,
      fields: Vector[Field],
      sought: SoughtTexts
  ): Boolean = {
    val source = FileSource(path, Some(file.sizeBytes), file.fieldIds, file.columnIndices)
    val task = FragmentTask(0, Vector(source), file.rows, None, RowRanges(0, file.rows), fields)
    Using.resource(FragmentReader.open(store, task, BatchRows)) { reader =>
      var isFound = false
      while (!isFound && reader.next())
        isFound = reader.columns.exists(column => has(column, 0, reader.rowCount, sought))
      isFound
    }
  }

  private def isText(field: Field): Boolean = field.logicalType match {
    case _: LogicalType.Utf8 | _: LogicalType.Binary | LogicalType.Json | _: LogicalType.Dictionary => true
    case _ => false
  }

  /** Whether a valid value in `[from, until)` is one of the texts. Values of null lists and structs count,
    * too.
    */
  private def has(column: Column, from: Int, until: Int, sought: SoughtTexts): Boolean =
    column.values match {
      case texts: VariableBlock =>
        (from until until).exists { i =>
          !column.nulls.isNull(i) && sought.has(texts.bytes, texts.offsets(i), texts.offsets(i + 1))
        }
      case structs: StructBlock => structs.children.exists(has(_, from, until, sought))
      case lists: ListBlock => has(lists.items, lists.offsets(from), lists.offsets(until), sought)
      case arrays: FixedSizeListBlock =>
        hasItem(arrays.items, from * arrays.dimension, until * arrays.dimension, sought)
      case _: FixedBlock => false
    }

  private def hasItem(items: DataBlock, from: Int, until: Int, sought: SoughtTexts): Boolean = items match {
    case texts: VariableBlock =>
      (from until until).exists(i => sought.has(texts.bytes, texts.offsets(i), texts.offsets(i + 1)))
    case structs: StructBlock => structs.children.exists(has(_, from, until, sought))
    case _: ListBlock | _: FixedSizeListBlock | _: FixedBlock => false
  }
}
