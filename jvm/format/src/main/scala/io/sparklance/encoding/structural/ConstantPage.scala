package io.sparklance.encoding.structural

import com.google.protobuf.ByteString

import io.sparklance.LanceFormatException
import io.sparklance.data.{ByteRange, Column, DataBlock, FileVersion, RowRange, Slice, ValueShape}
import io.sparklance.encoding.compression.LevelStrategy
import io.sparklance.encoding.physical.Flat
import io.sparklance.encoding.{
  BlockValues,
  DecodeUnit,
  EncodedPage,
  Layers,
  Levels,
  OpenPage,
  PageDecoder,
  Slots
}
import io.sparklance.proto.encodings.{ConstantLayout, PageLayout, RepDefLayer}

/** Pages without values, or with one: all rows are null, or (since 2.2) all valid rows are equal.
  *
  * {{{
  * all null            no buffers                    | repetition levels | definition levels
  * value in message    no buffers                    | repetition levels | definition levels
  * value in buffer     | value |                     | value | repetition levels | definition levels
  * }}}
  * Levels are plain u16; a kind of level that the page lacks is an empty buffer. Since 2.2 the levels of an
  * all-null page may be compressed, as the message records. [[ConstantValue]] describes the value.
  */
private[encoding] object ConstantPage {

  def decoder(
      layout: ConstantLayout,
      buffers: Vector[ByteRange],
      rows: Long,
      shape: ValueShape
  ): PageDecoder = {
    val layers = Layers.parse(layout.layers)
    val valueBuffer = Option.when(layout.inlineValue.isEmpty && buffers.length % 2 == 1)(buffers.head)
    val levelBuffers = buffers.drop(valueBuffer.size)
    if (levelBuffers.nonEmpty && levelBuffers.size != 2)
      throw new LanceFormatException(s"a constant page of ${buffers.size} buffers")
    new PageDecoder {
      private val isIndexed = layers.maxRepetition > 0 || layout.defCompression.isDefined
      def initRanges: Vector[ByteRange] = valueBuffer.toVector ++
        (if (isIndexed) levelBuffers else Vector.empty)
      def open(init: Vector[Slice]): OpenPage = {
        val value = layout.inlineValue
          .map(bytes => ConstantValue.parseInline(Slice(bytes.toByteArray), shape))
          .orElse(valueBuffer.map(_ => ConstantValue.parseBuffer(init.head, shape)))
        val values = value.fold[ConstantValues](new NullValues(shape))(new RepeatedValue(_))
        if (isIndexed) ConstantLevels.open(layout, layers, init.drop(valueBuffer.size), rows, values)
        else new ConstantRows(layers, definitionBuffer(levelBuffers, rows), values)
      }
    }
  }

  private def definitionBuffer(buffers: Vector[ByteRange], rows: Long): Option[ByteRange] = buffers match {
    case Vector() => None
    case Vector(repetition, _) if repetition.length > 0 =>
      throw new LanceFormatException("repetition levels in a page without lists")
    case Vector(_, definition) if definition.length == 0 => None
    case Vector(_, definition) if definition.length % 2 == 0 && definition.length / 2 == rows =>
      Some(definition)
    case _ => throw new LanceFormatException(s"a constant page of $rows rows with levels in $buffers")
  }

  /** Encodes slots without a valid value. */
  def allNull(slots: Slots, version: FileVersion): EncodedPage = {
    val layout = ConstantLayout(layers = slots.kinds)
    if (slots.kinds == OneNullable) page(layout, Vector.empty, slots)
    else
      version match {
        case FileVersion.V2_2 =>
          val repetition = slots.repetition.map(compressed(_, slots.length, version))
          val definition = slots.definition.map(compressed(_, slots.length, version))
          val described = layout.copy(
            repCompression = repetition.map(_.encoding),
            defCompression = definition.map(_.encoding),
            numRepValues = repetition.fold(0L)(_ => slots.length.toLong),
            numDefValues = definition.fold(0L)(_ => slots.length.toLong)
          )
          page(described, Vector(repetition, definition).map(_.fold(Slice.Empty)(_.buffer)), slots)
        case FileVersion.V0_1 | FileVersion.V2_0 | FileVersion.V2_1 => page(layout, plainLevels(slots), slots)
      }
  }

  private val OneNullable = Vector(RepDefLayer.REPDEF_NULLABLE_ITEM)

  private def compressed(levels: Array[Short], count: Int, version: FileVersion): BlockValues = {
    val all = Slots.block(levels, 0, count)
    LevelStrategy.plain(all, version).compress(all)
  }

  /** Encodes slots whose values are null or equal to value `valid`. */
  def scalar(column: Column, valid: Int, shape: ValueShape, slots: Slots): EncodedPage = {
    val inline = ConstantValue.inline(column.values, valid, shape)
    val valueBuffer = Option.when(inline.isEmpty)(ConstantValue.buffer(column.values, valid, shape))
    val levels =
      if (slots.repetition.isEmpty && slots.definition.isEmpty) Vector.empty else plainLevels(slots)
    val layout =
      ConstantLayout(layers = slots.kinds, inlineValue = inline.map(b => ByteString.copyFrom(b.toArray)))
    page(layout, valueBuffer.toVector ++ levels, slots)
  }

  private def plainLevels(slots: Slots): Vector[Slice] = Vector(slots.repetition, slots.definition).map(
    _.fold(Slice.Empty)(levels => Flat.bytes(Slots.block(levels, 0, slots.length), 16, 0, slots.length))
  )

  private def page(layout: ConstantLayout, buffers: Vector[Slice], slots: Slots): EncodedPage =
    EncodedPage(buffers, PageLayout(PageLayout.Layout.ConstantLayout(layout)), slots.rows.toLong)
}

/** A page whose rows are its values. It reads at most levels: plain u16, so that those of any row can be
  * read.
  */
final private class ConstantRows(val layers: Layers, definition: Option[ByteRange], values: ConstantValues)
    extends OpenPage {
  values.check(layers)

  def units(rows: RowRange, targetBytes: Int): Iterator[DecodeUnit] = {
    val step = math.max(1L, targetBytes / math.max(1L, values.valueBytes))
    Iterator
      .iterate(rows.start)(_ + step)
      .takeWhile(_ < rows.end)
      .map { start =>
        val some = RowRange(start, math.min(start + step, rows.end))
        DecodeUnit(some, definition.fold(ByteRange(0, 0))(_.slice(2 * some.start, 2 * some.length)))
      }
  }

  def decode(unit: DecodeUnit, bytes: Slice, out: DataBlock, levels: Levels): Unit = {
    val rows = Math.toIntExact(unit.rows.length)
    val from = definition.map { _ =>
      val at = levels.extend(rows)
      ConstantLevels.plain(bytes, rows, levels.definition, at)
      if (RepDef.anyDefinition(levels.definition, at, rows, layers.maxDefinition)) levels.hasDefinition = true
      at
    }
    values.append(rows, rows, from, out, levels)
  }
}
