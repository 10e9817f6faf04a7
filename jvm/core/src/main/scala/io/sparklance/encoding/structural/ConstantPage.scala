package io.sparklance.encoding.structural

import java.nio.{ByteBuffer, ByteOrder}
import java.util.Arrays

import com.google.protobuf.ByteString

import io.sparklance.data.{ByteRange, Column, DataBlock, NullMask, RowRange, Slice, ValueShape}
import io.sparklance.encoding.{DecodeUnit, EncodedPage, Levels, OpenPage, PageDecoder}
import io.sparklance.proto.encodings.{ConstantLayout, PageLayout, RepDefLayer}
import io.sparklance.{LanceFormatException, UnsupportedLanceFeatureException}

/** Pages without values, or with one: all rows are null, or (since 2.2) all valid ones are equal.
  *
  * {{{
  * all null            no buffers                    | repetition levels | definition levels
  * value in message    no buffers                    | repetition levels | definition levels
  * value in buffer     | value |                     | value | repetition levels | definition levels
  * }}}
  * Levels, where there are any, are plain u16; those of a kind that the page lacks are an empty buffer. [[ConstantValue]]
  * tells what the value looks like.
  */
private[encoding] object ConstantPage {

  def decoder(
      layout: ConstantLayout,
      buffers: Vector[ByteRange],
      rows: Long,
      shape: ValueShape
  ): PageDecoder = {
    RepDef.refuseLists(layout.layers)
    if (layout.repCompression.isDefined || layout.defCompression.isDefined)
      throw new UnsupportedLanceFeatureException("compressed levels of constant pages (nested columns)")
    val valueBuffer = Option.when(layout.inlineValue.isEmpty && buffers.length % 2 == 1)(buffers.head)
    val levels = definitionBuffer(buffers.drop(valueBuffer.size), rows)
    val maxDefinition = RepDef.maxDefinition(layout.layers)
    new PageDecoder {
      def initRanges: Vector[ByteRange] = valueBuffer.toVector
      def open(init: Vector[Slice]): OpenPage = {
        val value = layout.inlineValue
          .map(bytes => ConstantValue.parseInline(Slice(bytes.toByteArray), shape))
          .orElse(init.headOption.map(ConstantValue.parseBuffer(_, shape)))
        value match {
          case Some(one) => new ScalarPage(one, levels, maxDefinition)
          case None => new AllNullPage(levels, maxDefinition, shape)
        }
      }
    }
  }

  private def definitionBuffer(buffers: Vector[ByteRange], rows: Long): Option[ByteRange] = buffers match {
    case Vector() => None
    case Vector(repetition, _) if repetition.length > 0 =>
      throw new UnsupportedLanceFeatureException("repetition levels (lists)")
    case Vector(_, definition) if definition.length == 0 => None
    case Vector(_, definition) if definition.length % 2 == 0 && definition.length / 2 == rows =>
      Some(definition)
    case _ => throw new LanceFormatException(s"a constant page of $rows rows with levels in $buffers")
  }

  def allNull(rows: Int): EncodedPage =
    page(ConstantLayout(layers = Seq(RepDefLayer.REPDEF_NULLABLE_ITEM)), Vector.empty, rows)

  /** A page of rows that are null or equal to row `valid`. */
  def scalar(column: Column, valid: Int, shape: ValueShape): EncodedPage = {
    val inline = ConstantValue.inline(column.values, valid, shape)
    val valueBuffer = Option.when(inline.isEmpty)(ConstantValue.buffer(column.values, valid, shape))
    val layer =
      if (column.nulls.hasNulls) RepDefLayer.REPDEF_NULLABLE_ITEM else RepDefLayer.REPDEF_ALL_VALID_ITEM
    val levels =
      if (column.nulls.hasNulls) Vector(Slice.Empty, plainLevels(column.nulls)) else Vector.empty
    val layout =
      ConstantLayout(layers = Seq(layer), inlineValue = inline.map(b => ByteString.copyFrom(b.toArray)))
    page(layout, valueBuffer.toVector ++ levels, column.length)
  }

  private def plainLevels(nulls: NullMask): Slice = {
    val bytes = new Array[Byte](Math.multiplyExact(nulls.length, 2))
    var i = 0
    while (i < nulls.length) {
      if (nulls.isNull(i)) bytes(2 * i) = 1
      i += 1
    }
    Slice(bytes)
  }

  private def page(layout: ConstantLayout, buffers: Vector[Slice], rows: Int): EncodedPage =
    EncodedPage(buffers, PageLayout(PageLayout.Layout.ConstantLayout(layout)), rows.toLong)
}

/** Only levels, if anything, are read: plain u16, so that any rows' can be. */
sealed abstract private class ConstantRows(definition: Option[ByteRange], maxDefinition: Int)
    extends OpenPage {

  /** What a row decodes to takes about as many bytes. */
  protected def rowBytes: Long

  final def units(rows: RowRange, targetBytes: Int): Iterator[DecodeUnit] = {
    val step = math.max(1L, targetBytes / math.max(1L, rowBytes))
    Iterator
      .iterate(rows.start)(_ + step)
      .takeWhile(_ < rows.end)
      .map { start =>
        val some = RowRange(start, math.min(start + step, rows.end))
        DecodeUnit(some, definition.fold(ByteRange(0, 0))(_.slice(2 * some.start, 2 * some.length)))
      }
  }

  /** Appends the levels of `rows` as they are in `bytes`, if the page has any, and says where they start. */
  final protected def readLevels(rows: Int, bytes: Slice, levels: Levels): Option[Int] = definition.map { _ =>
    if (bytes.length != 2L * rows) throw new LanceFormatException(s"$rows levels in ${bytes.length} bytes")
    val at = levels.extend(rows)
    ByteBuffer
      .wrap(bytes.array, bytes.offset, bytes.length)
      .order(ByteOrder.LITTLE_ENDIAN)
      .asShortBuffer
      .get(levels.definition, at, rows)
    if (RepDef.anyDefinition(levels.definition, at, rows, maxDefinition)) levels.hasDefinition = true
    at
  }
}

final private class ScalarPage(value: DataBlock, definition: Option[ByteRange], maxDefinition: Int)
    extends ConstantRows(definition, maxDefinition) {
  protected def rowBytes: Long = value.sizeInBytes

  def decode(unit: DecodeUnit, bytes: Slice, values: DataBlock, levels: Levels): Unit = {
    val rows = Math.toIntExact(unit.rows.length)
    ConstantValue.repeat(value, rows, values)
    readLevels(rows, bytes, levels)
    ()
  }
}

final private class AllNullPage(definition: Option[ByteRange], maxDefinition: Int, shape: ValueShape)
    extends ConstantRows(definition, maxDefinition) {
  if (maxDefinition == 0) throw new LanceFormatException("a page of nulls whose layers have none")
  protected val rowBytes: Long = ValueShape.minimumBytes(shape)

  def decode(unit: DecodeUnit, bytes: Slice, values: DataBlock, levels: Levels): Unit = {
    val rows = Math.toIntExact(unit.rows.length)
    values.appendSlots(rows)
    readLevels(rows, bytes, levels) match {
      case Some(at) =>
        if ((at until at + rows).exists(levels.definition(_) == 0))
          throw new LanceFormatException("a valid row in a page of nulls")
      case None =>
        val at = levels.extend(rows)
        Arrays.fill(levels.definition, at, at + rows, 1.toShort)
        levels.hasDefinition = true
    }
  }
}
