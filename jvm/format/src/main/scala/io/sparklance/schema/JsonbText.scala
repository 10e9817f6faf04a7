package io.sparklance.schema

import java.io.ByteArrayOutputStream
import java.math.{BigDecimal, BigInteger}
import java.nio.ByteBuffer
import java.nio.charset.StandardCharsets.US_ASCII

import io.sparklance.{LanceFormatException, UnsupportedLanceFeatureException}

/** Converts JSONB, the binary form of columns of type `json`, to JSON text. All integers are big-endian.
  *
  * {{{
  * container   u32 header: kind in 3 bits, n in 29 | entries | payloads, in the entries' order
  *             scalar   0x2…  one entry
  *             object   0x4…  n entries of keys, all strings, then n of values
  *             array    0x8…  n entries
  * entry       u32: a bit | kind of value in 3 bits | bytes of its payload in 28
  *             0 null, 1 string (UTF-8), 2 number, 3 false, 4 true, 5 container, 6 extension: see JsonbExtension
  * number      u8 kind | 0x00 zero, 0x10 NaN, 0x20 +inf, 0x30 -inf: nothing
  *                     | 0x40 signed, 0x50 unsigned: an integer of 1, 2, 4 or 8 bytes
  *                     | 0x60: a double
  *                     | 0x70: an integer of 8, 16 or 32 bytes | in old files: u8 precision, not for 8 | u8 scale
  * }}}
  *
  * Numbers keep all stored digits. NaN and infinities become null, as in pylance.
  */
private[sparklance] object JsonbText {

  /** Deeper values are refused: they would exhaust the stack. */
  private val MaxDepth = 1000

  /** Returns the UTF-8 of the value in `bytes[from, to)`. */
  def of(bytes: Array[Byte], from: Int, to: Int): Array[Byte] = {
    val out = new Output(math.max(16, to - from))
    // An empty value is null, as in pylance.
    if (from == to) out.text("null")
    else new JsonbReader(bytes, out).container(ByteBuffer.wrap(bytes, from, to - from), MaxDepth)
    out.toByteArray
  }

  final private class Output(size: Int) extends ByteArrayOutputStream(size) {
    def text(ascii: String): Unit = writeBytes(ascii.getBytes(US_ASCII))
  }

  final private class JsonbReader(bytes: Array[Byte], out: Output) {

    /** Writes the container in `in`. */
    def container(in: ByteBuffer, depth: Int): Unit = {
      if (depth == 0) throw new LanceFormatException(s"JSONB nested more than $MaxDepth levels deep")
      need(in, 4)
      val header = in.getInt
      val count = header & 0x1fffffff
      header >>> 29 match {
        case 1 =>
          val payloads = skipEntries(in, 1L)
          value(in.getInt, payloads, depth)
        case 2 => fields(in, count, depth)
        case 4 => items(in, count, depth)
        case kind => throw new LanceFormatException(s"a JSONB container of kind $kind")
      }
    }

    private def items(in: ByteBuffer, count: Int, depth: Int): Unit = {
      val payloads = skipEntries(in, count.toLong)
      out.write('[')
      var i = 0
      while (i < count) {
        if (i > 0) out.write(',')
        value(in.getInt, payloads, depth)
        i += 1
      }
      out.write(']')
    }

    private def fields(in: ByteBuffer, count: Int, depth: Int): Unit = {
      val keys = skipEntries(in, 2L * count)
      val entries = in.duplicate()
      entries.position(in.position() + 4 * count)
      val values = keys.duplicate()
      var i = 0
      while (i < count) { val _ = payload(in.getInt(in.position() + 4 * i), values); i += 1 }
      out.write('{')
      i = 0
      while (i < count) {
        if (i > 0) out.write(',')
        val key = in.getInt
        if (kindOf(key) != 1) throw new LanceFormatException("a JSONB key that is not a string")
        value(key, keys, depth)
        out.write(':')
        value(entries.getInt, values, depth)
        i += 1
      }
      out.write('}')
    }

    /** Returns the bytes after the next `count` entries. Fails if there are fewer. */
    private def skipEntries(in: ByteBuffer, count: Long): ByteBuffer = {
      if (count > in.remaining / 4)
        throw new LanceFormatException(s"JSONB of $count entries in ${in.remaining} bytes")
      val behind = in.duplicate()
      behind.position(in.position() + 4 * count.toInt)
    }

    private def kindOf(entry: Int): Int = entry >>> 28 & 7

    /** Takes the payload of an entry from `payloads`. */
    private def payload(entry: Int, payloads: ByteBuffer): ByteBuffer = {
      val size = entry & 0x0fffffff
      need(payloads, size)
      val own = payloads.duplicate().limit(payloads.position() + size)
      payloads.position(own.limit())
      own
    }

    private def value(entry: Int, payloads: ByteBuffer, depth: Int): Unit = {
      if (entry < 0) throw new UnsupportedLanceFeatureException("JSONB with offsets instead of lengths")
      val own = payload(entry, payloads)
      kindOf(entry) match {
        case 0 => out.text("null")
        case 1 => string(own.position(), own.limit())
        case 2 => number(own)
        case 3 => out.text("false")
        case 4 => out.text("true")
        case 5 => container(own, depth - 1)
        case 6 => out.text(s"\"${JsonbExtension.text(own)}\"")
        case kind => throw new LanceFormatException(s"a JSONB value of kind $kind")
      }
    }

    private def number(in: ByteBuffer): Unit = {
      need(in, 1)
      in.get() & 0xff match {
        case 0x00 => out.text("0")
        case 0x10 | 0x20 | 0x30 => out.text("null")
        case 0x40 if isWord(in) => out.text(integer(in, in.remaining).toString)
        case 0x50 if isWord(in) => out.text(new BigInteger(1, take(in, in.remaining)).toString)
        case 0x60 if in.remaining == 8 => out.text(JsonNumbers.text(in.getDouble))
        case 0x70 => decimal(in)
        case kind => throw new LanceFormatException(s"a JSONB number of kind $kind in ${in.remaining} bytes")
      }
    }

    private def isWord(in: ByteBuffer): Boolean = Set(1, 2, 4, 8)(in.remaining)

    private def decimal(in: ByteBuffer): Unit = {
      val width = in.remaining match {
        case 9 => 8
        case 17 | 18 => 16
        case 33 | 34 => 32
        case n => throw new LanceFormatException(s"a JSONB decimal of $n bytes")
      }
      val unscaled = integer(in, width)
      val scale = in.get(in.limit() - 1) & 0xff
      out.text(new BigDecimal(unscaled, scale).toPlainString)
    }

    private def integer(in: ByteBuffer, width: Int): BigInteger = new BigInteger(take(in, width))

    private def take(in: ByteBuffer, width: Int): Array[Byte] = {
      val taken = new Array[Byte](width)
      in.get(taken)
      taken
    }

    private def string(from: Int, to: Int): Unit = {
      out.write('"')
      var plain = from
      var i = from
      while (i < to) {
        val b = bytes(i)
        if (b >= 0 && b < 0x20 || b == '"' || b == '\\') {
          out.write(bytes, plain, i - plain)
          escape(b.toInt)
          plain = i + 1
        }
        i += 1
      }
      out.write(bytes, plain, to - plain)
      out.write('"')
    }

    private def escape(char: Int): Unit = char match {
      case '"' => out.text("\\\"")
      case '\\' => out.text("\\\\")
      case '\b' => out.text("\\b")
      case '\f' => out.text("\\f")
      case '\n' => out.text("\\n")
      case '\r' => out.text("\\r")
      case '\t' => out.text("\\t")
      case _ => out.text("\\u%04x".format(char))
    }

    private def need(in: ByteBuffer, size: Int): Unit =
      if (in.remaining < size)
        throw new LanceFormatException(s"JSONB ends ${size - in.remaining} bytes early")
  }
}
