package io.sparklance.encoding.logical

import io.sparklance.UnsupportedLanceFeatureException
import io.sparklance.data.{BlockRange, Column, FileVersion, NullMask, ValueShape, VariableBlock}
import io.sparklance.encoding.compression.{
  BlockStats,
  CompressionStrategy,
  DictionaryStrategy,
  FileDictionaries,
  PackedStructStrategy,
  PageDictionary,
  TypedDictionary
}
import io.sparklance.encoding.physical.PackedStruct
import io.sparklance.encoding.structural.{ConstantPage, FullZip, MiniBlockWriter}
import io.sparklance.encoding.{BlobPage, EncodedPage, EncodingHints, PerValueCompressor, Slots}
import io.sparklance.schema.{BlobVersion, Leaf, LogicalType}

/** Chooses the layout of a leaf's pages (constant, mini-block, full-zip or blob) and encodes them.
  * [[CompressionStrategy]] and [[DictionaryStrategy]] choose the compression of the values.
  */
final private[logical] class LeafPages(leaf: Leaf, version: FileVersion, dictionaries: FileDictionaries) {
  import LeafPages._

  private val shape = PrimitiveField.shapeOf(leaf.field)
  private val hints = EncodingHints.of(leaf.field, leaf.root)

  /** The field as stored in pages: for blobs, their descriptors. */
  private val stored = leaf.field.copy(children =
    leaf.field.blobVersion.fold(leaf.field.children)(_.descriptor)
  )

  /** Index type of a dictionary-typed column. */
  private val index: Option[LogicalType] = leaf.field.logicalType match {
    case LogicalType.Dictionary(_, index) => Some(index)
    case _ => None
  }

  /** Encodes into as few pages as possible; a row is never divided.
    *
    * @param column
    *   the values, with zeroes below nulls
    */
  def encode(column: Column, slots: Slots): Vector[EncodedPage] =
    if (leaf.field.blobVersion.contains(BlobVersion.V1)) Vector(ofBlobs(column, slots))
    else encodeValues(column, slots)

  private def encodeValues(column: Column, slots: Slots): Vector[EncodedPage] =
    constant(column, slots).map(Vector(_)).getOrElse {
      if (slots.visible == slots.length) Vector(ofValues(column, slots)) else inPieces(column, slots)
    }

  private def constant(column: Column, slots: Slots): Option[EncodedPage] =
    if (column.nulls.count == column.length) Some(ConstantPage.allNull(slots, version))
    else if (index.isDefined) None
    else
      (version, shape) match {
        case (FileVersion.V0_1 | FileVersion.V2_0 | FileVersion.V2_1, _) |
            (_, ValueShape.FixedSizeList(_, _) | ValueShape.Struct(_)) =>
          None
        case (FileVersion.V2_2, ValueShape.FixedWidth(_) | ValueShape.VariableWidth(_)) =>
          Option
            .when(hasFewLevels(column, slots))(column)
            .flatMap(BlockStats.constantRow)
            .map(ConstantPage.scalar(column, _, shape, slots))
      }

  /** Whether a page of one value is worth its levels: these are not compressed, while chunks of equal values
    * take next to nothing.
    */
  private def hasFewLevels(column: Column, slots: Slots): Boolean =
    if (slots.repetition.isDefined) 4L * slots.length < column.values.sizeInBytes
    else
      slots.definition.isEmpty || slots.length < FewLevels ||
      BlockStats.longestValue(column.values, shape) >= FullZipBytes

  private def inPieces(column: Column, slots: Slots): Vector[EncodedPage] =
    pieces(slots) match {
      case Vector(_) => Vector(ofValues(column, slots))
      case several =>
        val firstValues = several.scanLeft(0) { case (sum, (from, until)) =>
          sum + slots.visibleIn(from, until)
        }
        several.zip(firstValues).map { case ((from, until), first) =>
          val part = slots.slice(from, until)
          val nulls = part.valueNulls
          val values = new Column(BlockRange.copy(column.values, first, first + nulls.length), nulls)
          constant(values, part).getOrElse(ofValues(values, part))
        }
    }

  private def ofValues(column: Column, slots: Slots): EncodedPage = shape match {
    case ValueShape.Struct(_) => ofStructs(column, slots)
    case ValueShape.FixedWidth(_) | ValueShape.VariableWidth(_) | ValueShape.FixedSizeList(_, _) =>
      ofFlatValues(column, slots)
  }

  private def ofBlobs(column: Column, slots: Slots): EncodedPage = {
    BlobPage.markNulls(column.values, slots.valueNulls)(row => BlobPage.positionOf(slots.definitionAt(row)))
    val valid = new NullMask
    valid.appendValid(column.length)
    BlobPage.encode(ofStructs(column, Slots.of(valid)), slots)
  }

  /** Lists of which many are empty may need more levels than a chunk can count. */
  private def ofStructs(column: Column, slots: Slots): EncodedPage =
    if (PackedStructStrategy.isMiniBlock(shape) && !hasTooManySlots(slots))
      MiniBlockWriter.encode(PackedStruct.compressor(shape).compress(column.values), slots, version)
    else if (version == FileVersion.V2_2)
      FullZip.encodePacked(
        column,
        PackedStructStrategy.perValue(column.values, shape, stored, version),
        slots
      )
    else
      refuseSlots(slots, "packed structs")

  private def ofFlatValues(column: Column, slots: Slots): EncodedPage = {
    val nulls = slots.valueNulls
    val subject = CompressionStrategy.Subject(column.values, shape, hints, version, nulls)
    typedDictionary(column, subject, slots) match {
      case Some(dictionary) => withDictionary(dictionary, slots, subject)
      case None if isFullZip(subject, slots) => FullZip.encode(column, shape, slots, perValue(subject))
      case None =>
        DictionaryStrategy(subject) match {
          case Some(dictionary) => withDictionary(dictionary, slots, subject)
          case None =>
            MiniBlockWriter.encode(
              CompressionStrategy.miniBlock(subject).compress(column.values),
              slots,
              version
            )
        }
    }
  }

  private def withDictionary(
      dictionary: PageDictionary,
      slots: Slots,
      subject: CompressionStrategy.Subject
  ): EncodedPage = {
    val positions = DictionaryStrategy.positions(dictionary, subject).compress(dictionary.positions)
    MiniBlockWriter.encode(positions, slots, version, Some(dictionary))
  }

  /** Returns the dictionary of a dictionary-typed column, which every page needs. */
  private def typedDictionary(
      column: Column,
      subject: CompressionStrategy.Subject,
      slots: Slots
  ): Option[PageDictionary] = index.map { index =>
    if (hasTooManySlots(slots)) refuseSlots(slots, "dictionaries")
    DictionaryStrategy.typed(subject, TypedDictionary.of(column, index, leaf.name, dictionaries, nulls = 0))
  }

  private def refuseSlots(slots: Slots, kind: String): Nothing = throw new UnsupportedLanceFeatureException(
    s"writing a row of $kind with ${slots.length} levels to a file of version $version (column '${leaf.name}')"
  )

  private def isFullZip(subject: CompressionStrategy.Subject, slots: Slots): Boolean = {
    val byValues = hints.structure match {
      case Some(EncodingHints.FullZip) => true
      case Some(EncodingHints.MiniBlock) => subject.longest >= MaxMiniBlockBytes
      case None if subject.isSmallest && ValueShape.isVariable(shape) => subject.longest >= maxSmallestBytes
      case None => subject.longest >= FullZipBytes
    }
    hasTooManySlots(slots) || byValues
  }

  private def maxSmallestBytes: Int =
    if (version == FileVersion.V2_2) MaxSmallestBytes else MaxMiniBlockBytes

  private def hasTooManySlots(slots: Slots): Boolean =
    slots.visible < slots.length && slots.length > maxSlots(slots)

  private def perValue(subject: CompressionStrategy.Subject): Option[PerValueCompressor] =
    (shape, subject.values) match {
      case (ValueShape.VariableWidth(bits), strings: VariableBlock) =>
        Some(CompressionStrategy.perValue(subject, strings, bits))
      case _ => None
    }
}

private[logical] object LeafPages {

  /** Pages with a value of this size or more are full-zip, as in pylance. */
  final private val FullZipBytes = 256

  /** Levels that take no more than the chunk that would replace them. */
  final private val FewLevels = 256

  /** Largest value of a mini-block page, even if a hint asks for one: two values must fit into a chunk of
    * 2.1.
    */
  final private val MaxMiniBlockBytes = 4096

  /** Since 2.2, for strings that are to be as small as can be. */
  final private val MaxSmallestBytes = 256 << 10

  /** Limit of a page's levels, in bits and in number, once there are slots without values: a chunk may get
    * any number of these, but its header counts only to 65,535, and a chunk of 2.1 has 32 KiB.
    */
  final private val MaxLevelBits = 131072
  final private val MaxSlots = 65535

  /** Encodes rows that are all null. */
  def allNull(rows: Int, version: FileVersion): EncodedPage = {
    val nulls = new NullMask
    nulls.appendNull(rows)
    ConstantPage.allNull(Slots.of(nulls), version)
  }

  /** Divides the slots into pieces at rows, within the limits where a single row fits them. */
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
}
