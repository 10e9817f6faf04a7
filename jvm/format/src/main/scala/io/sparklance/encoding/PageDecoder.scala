package io.sparklance.encoding

import io.sparklance.data.{ByteRange, DataBlock, RowRange, Slice}

/** A page before any of its bytes are read. Pure: it names the bytes that it needs, and the caller fetches
  * them.
  */
private[sparklance] trait PageDecoder {

  /** Byte ranges of the page's index structures: chunk words, dictionary, repetition index. Small and
    * cacheable.
    */
  def initRanges: Vector[ByteRange]

  /** The page, given the bytes of `initRanges`. */
  def open(init: Vector[Slice]): OpenPage
}

/** A page whose index structures are in memory: rows map to bytes, bytes decode to values. Immutable. */
private[sparklance] trait OpenPage {

  /** The meaning of this page's levels. Other pages of the column may have other layers. */
  def layers: Layers

  /** Cuts `rows` (counted from the page's first) into stretches of about `targetBytes`, in row order. Each is
    * one read and one call of [[decode]]. A unit may cover more rows than requested, at both ends. The
    * iterator is lazy, because a page without bytes may have any number of rows.
    */
  def units(rows: RowRange, targetBytes: Int): Iterator[DecodeUnit]

  /** Appends the values of all of `unit.rows` to `values`, and their levels to `levels`. */
  def decode(unit: DecodeUnit, bytes: Slice, values: DataBlock, levels: Levels): Unit

  /** A superset of the unit's distinct values, if one is cheap to find. If a filter rejects all of them, the
    * unit need not be decoded. `scratch` is an empty block for them.
    */
  def candidates(unit: DecodeUnit, bytes: Slice, scratch: DataBlock): Option[DataBlock] = None
}

/** A stretch of a page that is fetched and decoded in one go. `bytes.length` is 0 when nothing has to be
  * read.
  */
final private[sparklance] case class DecodeUnit(rows: RowRange, bytes: ByteRange)
