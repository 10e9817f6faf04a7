package io.sparklance.index.vector

import io.sparklance.LanceFormatException
import io.sparklance.data.{Column, Fixed32Block, Fixed64Block, Fixed8Block, FixedSizeListBlock}
import io.sparklance.file.FileReader
import io.sparklance.schema.Field

/** Reads partitions of codes of rotated vectors:
  * {{{
  * auxiliary.idx  _rowid: u64
  *                _rabit_codes: u8 × (items / 8)                  signs, see RotatedCodes
  *                __add_factors, __scale_factors: f32             of signs only
  *                __blocked_ex_codes: u8 × (blocks of 64 · 8 · extra)
  *                __add_factors_ex, __scale_factors_ex: f32       with sizes
  * }}}
  */
private[vector] object RotatedFile {
  import Quantizer.Rotated

  /** Returns the columns that searches read. */
  def fields(file: FileReader, form: Rotated): Vector[Field] = {
    val factors =
      if (form.extra == 0) Vector(Rotated.Added, Rotated.Scales)
      else Vector(Rotated.AddedWithSizes, Rotated.ScalesWithSizes)
    val names = Vector("_rowid", Rotated.Column) ++ factors ++ Option.when(form.extra > 0)(Rotated.Sizes)
    names.map(IndexFileParts.field(file, _))
  }

  /** @param read
    *   the rows of a partition in the columns of [[fields]]
    */
  def partition(read: Vector[Column], form: Rotated): RotatedPartition = {
    val (dimension, length) = (form.rotation.dimension, read.head.length)
    val signs = bytes(read(1), form.signWidth)
    val sizes = if (form.extra == 0) Array.emptyByteArray
    else
      RotatedCodes.sizes(
        bytes(read(4), RotatedCodes.sizeWidth(dimension, form.extra)),
        length,
        dimension,
        form.extra
      )
    new RotatedPartition(
      ids(read.head),
      RotatedCodes.signs(signs, length, form.signWidth, form.isPacked),
      sizes,
      floats(read(2)),
      floats(read(3))
    )
  }

  private def ids(column: Column): Array[Long] = column.values match {
    case block: Fixed64Block if !column.nulls.hasNulls => java.util.Arrays.copyOf(block.values, block.length)
    case _ => throw new LanceFormatException("a vector index with rows that have no id")
  }

  private def bytes(column: Column, width: Int): Array[Byte] = column.values match {
    case lists: FixedSizeListBlock if lists.dimension == width =>
      lists.items match {
        case block: Fixed8Block => block.values
        case _ => throw misfit
      }
    case _ => throw misfit
  }

  private def floats(column: Column): Array[Float] = column.values match {
    case block: Fixed32Block =>
      Array.tabulate(block.length)(i => java.lang.Float.intBitsToFloat(block.values(i)))
    case _ => throw misfit
  }

  private def misfit =
    new LanceFormatException("the columns of a vector index are of other types than it describes")
}
