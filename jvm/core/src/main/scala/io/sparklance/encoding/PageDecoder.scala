package io.sparklance.encoding

import io.sparklance.data.{ByteRange, DataBlock, RowRange, Slice}

/** A page before any of its bytes were read. Pure: says which bytes it needs; somebody else fetches them. */
trait PageDecoder {

  /** What must be read before anything can be decoded: chunk words, dictionary, repetition index. Small, cacheable. */
  def initRanges: Vector[ByteRange]

  /** The page, given the bytes of `initRanges`. */
  def open(init: Vector[Slice]): OpenPage
}

/** A page whose index structures are in memory: rows map to bytes, bytes decode to values. Immutable. */
trait OpenPage {

  /** What the levels of the page mean; those of other pages of the column may mean something else. */
  def layers: Layers

  /** Cuts `rows` (counted from the page's first) into stretches of about `targetBytes`, in row order. Each is one read and
    * one call of [[decode]]. A unit may cover more rows than were asked for, at both ends. They are made one by one, since
    * a page without bytes may have any number of rows.
    */
  def units(rows: RowRange, targetBytes: Int): Iterator[DecodeUnit]

  /** Appends the values of all of `unit.rows` to `values`, and their levels to `levels`. */
  def decode(unit: DecodeUnit, bytes: Slice, values: DataBlock, levels: Levels): Unit

  /** Values among which are all that `unit` has, if these are fewer and sooner found: where none of them is wanted, nothing needs
    * to be decoded. `scratch` is an empty block for them.
    */
  def candidates(unit: DecodeUnit, bytes: Slice, scratch: DataBlock): Option[DataBlock] = None
}

/** A stretch of a page that is fetched and decoded in one go. `bytes.length` is 0 when nothing has to be read. */
final case class DecodeUnit(rows: RowRange, bytes: ByteRange)
