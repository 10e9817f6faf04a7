package io.sparklance.encoding.v20

import io.sparklance.data.{ByteRange, DataBlock, NullMask, RowRange, Slice, VariableBlock}
import io.sparklance.encoding.EncodedArray
import io.sparklance.encoding.physical.{BlockCodec, Fsst, Variable}
import io.sparklance.proto.encodings20.ArrayEncoding.{ArrayEncoding => Encoding}
import io.sparklance.proto.encodings20.{ArrayEncoding, Binary}

/** Byte strings. Messages `Binary` and, if the strings are compressed, `Fsst` around it:
  *
  * {{{
  * indices   the [[Ends]] of the values among the bytes
  * bytes     of all values, back to back
  * }}}
  */
private[v20] object BinaryArray {

  /** Returns the uncompressed size of the strings. */
  def encodedSize(strings: VariableBlock): Long = strings.byteLength + Ends.Size.toLong * strings.length

  /** @param codec compresses the bytes of all strings as a whole */
  def encode(
      strings: VariableBlock,
      nulls: NullMask,
      codec: Option[BlockCodec],
      firstBuffer: Int
  ): EncodedArray = {
    val adjustment = strings.byteLength + 1L
    val indices = Ends.encode(strings.offsets, strings.length, nulls, adjustment, firstBuffer)
    val content = Slice(strings.bytes, 0, strings.byteLength)
    val next = firstBuffer + indices.buffers.size
    val bytes = codec.fold(FlatArray.encode(content, 8, next))(FlatArray.encode(content, 8, next, _))
    EncodedArray(
      ArrayEncoding(Encoding.Binary(Binary(Some(indices.encoding), Some(bytes.encoding), adjustment))),
      indices.buffers ++ bytes.buffers
    )
  }

  /** @param indices
    *   the ends needed for `wanted`
    * @param fsst
    *   decoder of the bytes, if they are FSST codes
    */
  def plan(
      indices: ArrayPlan.Loaded,
      nullAdjustment: Long,
      values: ArrayPlan,
      wanted: RowRange,
      fsst: Option[Fsst.Codes]
  ): ArrayPlan = new ArrayPlan {
    def initRanges: Vector[ByteRange] = indices.initRanges ++ values.initRanges
    def buffer: ByteRange = values.buffer
    def reach(rows: RowRange): ByteRange = {
      indices.check(rows)
      values.buffer
    }
    def open(init: Vector[Slice]): OpenArray = {
      val (forIndices, forValues) = init.splitAt(indices.initRanges.size)
      val ends = Ends.load(indices, forIndices, nullAdjustment, wanted)
      new Strings(ends, values.open(forValues), fsst)
    }
  }

  final private class Strings(ends: Ends, values: OpenArray, fsst: Option[Fsst.Codes]) extends OpenArray {
    def bytes(rows: RowRange): ByteRange = values.bytes(ends.span(rows))

    def decode(rows: RowRange, bytes: Slice, out: DataBlock, nulls: NullMask): Unit = {
      val count = Math.toIntExact(rows.length)
      val content = values.content(ends.span(rows), bytes)
      val strings = Variable.asVariable(out)
      fsst match {
        case None =>
          strings.reserve(count, content.length)
          System.arraycopy(content.array, content.offset, strings.bytes, strings.byteLength, content.length)
          ends.write(rows, strings.byteLength, strings.offsets, strings.length + 1)
          strings.advance(count)
        case Some(codes) =>
          codes.reserve(count, content, strings)
          ends.write(rows, content.offset, strings.offsets, strings.length + 1)
          codes.decode(content, count, strings)
      }
      ends.appendNulls(rows, nulls)
    }
  }
}
