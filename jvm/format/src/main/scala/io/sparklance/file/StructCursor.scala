package io.sparklance.file

import io.sparklance.data.{Column, StructBlock}

/** A struct of a file before version 2.1, which is never null, around one of its fields. */
final private[file] class StructCursor(child: RowCursor) extends RowCursor {
  private val struct = new StructBlock(Vector(child.column))
  val column: Column = new Column(struct)

  def ensure(rows: Int): Int = {
    val there = child.ensure(rows)
    follow()
    there
  }

  def complete(rows: Int): Unit = {
    child.complete(rows)
    follow()
  }

  private def follow(): Unit = {
    val added = child.column.length - struct.length
    struct.advance(added)
    column.nulls.appendValid(added)
  }
}
