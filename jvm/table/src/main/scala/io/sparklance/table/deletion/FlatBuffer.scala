package io.sparklance.table.deletion

import io.sparklance.LanceFormatException
import io.sparklance.data.Slice

/** A table of a FlatBuffers message, for reading. Every access is checked against the buffer.
  * {{{
  *   table:  i32 distance back to its vtable | inline fields
  *   vtable: u16 own size | u16 table size | u16 place of field 0 in the table (0: absent) | ...
  *   vector: u32 count | elements        (a field holds the distance forward to it)
  * }}}
  */
final private[deletion] class FlatTable private (buffer: Slice, at: Int) {
  private val vtable = FlatTable.position(buffer, at.toLong - buffer.int(at))
  private val vtableSize = buffer.unsignedShort(vtable)

  def byte(field: Int, default: Int): Int = place(field).fold(default)(buffer.unsignedByte)
  def short(field: Int, default: Int): Int = place(field).fold(default)(buffer.unsignedShort)
  def int(field: Int, default: Int): Int = place(field).fold(default)(buffer.int)
  def long(field: Int, default: Long): Long = place(field).fold(default)(buffer.long)

  def table(field: Int): Option[FlatTable] = target(field).map(new FlatTable(buffer, _))

  /** Returns the structs of a vector, which are stored inline. */
  def structs(field: Int, size: Int): Vector[Slice] = elements(field, size)

  def tables(field: Int): Vector[FlatTable] =
    elements(field, 4).map(element => FlatTable.at(buffer, element.offset - buffer.offset))

  private def elements(field: Int, size: Int): Vector[Slice] = target(field).fold(Vector.empty[Slice]) { at =>
    val all = buffer.slice(at + 4L, buffer.unsignedInt(at) * size, "vector")
    Vector.tabulate(all.length / size)(i => all.slice(i.toLong * size, size.toLong, "vector"))
  }

  private def target(field: Int): Option[Int] = place(field).map(FlatTable.follow(buffer, _))

  private def place(field: Int): Option[Int] = {
    val entry = 4 + 2 * field
    if (entry + 2 > vtableSize) None
    else Some(buffer.unsignedShort(vtable + entry)).filter(_ != 0).map(at + _)
  }
}

private[deletion] object FlatTable {

  def root(buffer: Slice): FlatTable = at(buffer, 0)

  /** Follows the reference at `place` to a table. */
  private def at(buffer: Slice, place: Int): FlatTable = new FlatTable(buffer, follow(buffer, place))

  private def follow(buffer: Slice, place: Int): Int = position(buffer, place + buffer.unsignedInt(place))

  private def position(buffer: Slice, at: Long): Int = {
    if (at < 0 || at > buffer.length - 4L)
      throw new LanceFormatException(s"a reference leads to $at in a message of ${buffer.length} bytes")
    at.toInt
  }
}
