package io.sparklance.encoding.logical

import io.sparklance.data.{BlockRange, Column, FileVersion, NullMask, ValueShape}
import io.sparklance.encoding.structural.{ConstantPage, FullZip, MiniBlockWriter}
import io.sparklance.encoding.{BlockStats, CompressionStrategy, EncodedPage, Slots}
import io.sparklance.schema.Field

/** Encodes the values and levels of a leaf, and chooses how. */
private[logical] object LeafPages {

  /** Pages with a value of so many bytes are full-zip, as the reference has it. */
  final private val FullZipBytes = 256

  /** Bits that all levels of a page may take, and their number, as soon as there are slots without values: a chunk may get
    * any number of these, but its header counts only to 65,535, and a chunk of 2.1 has 32 KiB.
    */
  final private val MaxLevelBits = 131072
  final private val MaxSlots = 65535

  /** As few pages as can be; rows are never cut.
    *
    * @param column the values, with zeroes below nulls
    */
  def encode(column: Column, slots: Slots, field: Field, version: FileVersion): Vector[EncodedPage] = {
    val shape = PrimitiveField.shapeOf(field)
    constant(column, slots, shape, version).map(Vector(_)).getOrElse {
      if (slots.visible == slots.length) Vector(ofValues(column, slots, field, version))
      else inPieces(column, slots, field, version)
    }
  }

  /** Rows of which nothing is known. */
  def allNull(rows: Int, version: FileVersion): EncodedPage = {
    val nulls = new NullMask
    nulls.appendNull(rows)
    ConstantPage.allNull(Slots.of(nulls), version)
  }

  private def constant(
      column: Column,
      slots: Slots,
      shape: ValueShape,
      version: FileVersion
  ): Option[EncodedPage] =
    if (column.nulls.count == column.length) Some(ConstantPage.allNull(slots, version))
    else
      (version, shape) match {
        case (FileVersion.V0_1 | FileVersion.V2_0 | FileVersion.V2_1, _) |
            (_, ValueShape.FixedSizeList(_, _) | ValueShape.Struct(_)) =>
          None
        case (FileVersion.V2_2, ValueShape.FixedWidth(_) | ValueShape.VariableWidth(_)) =>
          // Next to a value the levels of lists are not compressed, while chunks of equal values take next to nothing.
          Option
            .when(slots.repetition.isEmpty || 4L * slots.length < column.values.sizeInBytes)(column)
            .flatMap(BlockStats.constantRow)
            .map(ConstantPage.scalar(column, _, shape, slots))
      }

  /** Where the rows are cut, as slots: within the limits if these leave room for a row. */
  private def pieces(slots: Slots): Vector[(Int, Int)] = {
    val most = maxSlots(slots)
    val cuts = Vector.newBuilder[Int]
    var from = 0
    var rowStart = 0
    var slot = 1
    while (slot <= slots.length) {
      if (slot == slots.length || slots.startsRow(slot)) {
        if (slot - from > most && rowStart > from) {
          from = rowStart
          cuts += from
        }
        rowStart = slot
      }
      slot += 1
    }
    val all = 0 +: cuts.result() :+ slots.length
    all.zip(all.tail)
  }

  private def maxSlots(slots: Slots): Int =
    math.min(MaxSlots, MaxLevelBits / (bits(slots.layers.maxRepetition) + bits(slots.layers.maxDefinition)))

  private def bits(level: Int): Int = 32 - Integer.numberOfLeadingZeros(level)

  private def inPieces(
      column: Column,
      slots: Slots,
      field: Field,
      version: FileVersion
  ): Vector[EncodedPage] =
    pieces(slots) match {
      case Vector(_) => Vector(ofValues(column, slots, field, version))
      case several =>
        val firstValues = several.scanLeft(0) { case (sum, (from, until)) =>
          sum + slots.visibleIn(from, until)
        }
        several.zip(firstValues).map { case ((from, until), first) =>
          val part = slots.slice(from, until)
          val nulls = part.valueNulls
          val values = new Column(BlockRange.copy(column.values, first, first + nulls.length), nulls)
          constant(values, part, PrimitiveField.shapeOf(field), version)
            .getOrElse(ofValues(values, part, field, version))
        }
    }

  private def ofValues(column: Column, slots: Slots, field: Field, version: FileVersion): EncodedPage = {
    val shape = PrimitiveField.shapeOf(field)
    val isLarge = BlockStats.longestValue(column.values, shape) >= FullZipBytes
    if (isLarge || slots.visible < slots.length && slots.length > maxSlots(slots))
      FullZip.encode(column, shape, slots, None)
    else {
      val subject = CompressionStrategy.Subject(column.values, shape, field, version)
      MiniBlockWriter.encode(CompressionStrategy.miniBlock(subject).compress(column.values), slots, version)
    }
  }
}
