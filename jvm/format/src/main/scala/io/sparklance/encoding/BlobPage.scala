package io.sparklance.encoding

import io.sparklance.data.{
  ByteRange,
  DataBlock,
  Fixed64Block,
  NullMask,
  RowRange,
  Slice,
  StructBlock,
  ValueShape
}
import io.sparklance.proto.encodings.PageLayout.Layout
import io.sparklance.proto.encodings.{BlobLayout, PageLayout}
import io.sparklance.{LanceFormatException, UnsupportedLanceFeatureException}

/** Pages of blobs of version 1: descriptors, structs of two numbers that are never null themselves. Message
  * `BlobLayout`, and in 2.0 `Blob` in the column's encoding.
  *
  * {{{
  * position u64 | size u64      size > 0              `size` bytes of the file, from `position` on
  *                              size = position = 0   no bytes
  *                              else                  a null: position is definition level << 16, in 2.0 anything
  * }}}
  */
private[encoding] object BlobPage {
  private val Word = ValueShape.FixedWidth(64)
  private val Shape = ValueShape.Struct(Vector(Word, Word))

  def checkShape(shape: ValueShape): Unit =
    if (shape != Shape) throw new LanceFormatException(s"a page of blobs in a column of $shape")

  /** @param layers which descriptors make null */
  def decoder(descriptors: PageDecoder, layers: Layers): PageDecoder = {
    if (layers.maxRepetition > 0) throw new UnsupportedLanceFeatureException("blobs of version 1 in lists")
    new BlobDecoder(descriptors, layers, levelOf(_, layers))
  }

  /** Returns the decoder of a page in a 2.0 file. */
  def array(descriptors: PageDecoder): PageDecoder = new BlobDecoder(descriptors, Layers.OfLeaf, _ => 1)

  /** Overwrites the descriptors of nulls with null marks.
    *
    * @param mark
    *   the position to store for a row
    */
  def markNulls(descriptors: DataBlock, nulls: NullMask)(mark: Int => Long): Unit = descriptors match {
    case structs: StructBlock if nulls.hasNulls =>
      structs.zeroNulls(nulls.orNull)
      val positions = words(structs, 0)
      (0 until nulls.length).filter(nulls.isNull).foreach(row => positions(row) = mark(row))
    case _ => ()
  }

  /** @param descriptors
    *   without nulls
    * @param slots
    *   the slots of the blobs; the null marks hold their levels
    */
  def encode(descriptors: EncodedPage, slots: Slots): EncodedPage = descriptors.copy(layout =
    PageLayout(Layout.BlobLayout(BlobLayout(Some(descriptors.layout), slots.kinds)))
  )

  /** Returns the mark of a null with this definition level. */
  def positionOf(level: Int): Long = level.toLong << 16

  private[encoding] def words(structs: StructBlock, child: Int): Array[Long] =
    structs.children(child).values match {
      case block: Fixed64Block => block.values
      case other => throw new IllegalStateException(s"half a descriptor in a ${other.getClass}")
    }

  private def levelOf(position: Long, layers: Layers): Int = {
    val level = position >>> 16
    if ((position & 0xffff) != 0 || level < 1 || level > layers.maxDefinition)
      throw new LanceFormatException(
        s"a null blob with levels ${java.lang.Long.toHexString(position)} in a page whose layers go up to " +
          s"${layers.maxDefinition}"
      )
    level.toInt
  }
}

final private class BlobDecoder(descriptors: PageDecoder, layers: Layers, levelOfNull: Long => Int)
    extends PageDecoder {
  def initRanges: Vector[ByteRange] = descriptors.initRanges
  def open(init: Vector[Slice]): OpenPage = new OpenBlobPage(descriptors.open(init), layers, levelOfNull)
}

final private class OpenBlobPage(descriptors: OpenPage, val layers: Layers, levelOfNull: Long => Int)
    extends OpenPage {

  def units(rows: RowRange, targetBytes: Int): Iterator[DecodeUnit] = descriptors.units(rows, targetBytes)

  def decode(unit: DecodeUnit, bytes: Slice, values: DataBlock, levels: Levels): Unit = {
    val first = values.length
    val own = new Levels
    descriptors.decode(unit, bytes, values, own)
    if (own.hasRepetition || own.hasDefinition && !isValid(own))
      throw new LanceFormatException("descriptors of blobs that are null themselves")
    values match {
      case structs: StructBlock =>
        appendLevels(BlobPage.words(structs, 0), BlobPage.words(structs, 1), first, values.length, levels)
      case other => throw new IllegalStateException(s"descriptors of blobs in a ${other.getClass}")
    }
  }

  private def isValid(own: Levels): Boolean = own.visible(0, own.length, maxVisible = 0) == own.length

  private def appendLevels(
      positions: Array[Long],
      sizes: Array[Long],
      from: Int,
      until: Int,
      levels: Levels
  ): Unit = {
    val at = levels.extend(until - from)
    val out = levels.definition
    var i = from
    while (i < until) {
      out(at + i - from) =
        if (sizes(i) != 0 || positions(i) == 0) 0 else levelOfNull(positions(i)).toShort
      i += 1
    }
    levels.hasDefinition = layers.maxDefinition > 0
  }
}
