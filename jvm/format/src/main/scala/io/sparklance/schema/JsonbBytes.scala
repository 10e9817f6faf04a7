package io.sparklance.schema

import java.io.ByteArrayOutputStream
import java.nio.charset.StandardCharsets.UTF_8
import java.util.Arrays

import scala.collection.mutable

import io.sparklance.LanceUsageException

/** Converts JSON text to JSONB, which [[JsonbText]] describes: keys in the order of their bytes, integers in
  * the fewest bytes, other numbers as doubles. Invalid JSON by RFC 8259 is a user error, and so are duplicate
  * keys, which pylance refuses, too.
  */
private[sparklance] object JsonbBytes {

  /** Deeper values are refused: they would exhaust the stack. */
  private val MaxDepth = 300

  /** Largest payload of an entry, which has 28 bits for its size. */
  private val MaxPayload = (1 << 28) - 1

  /** Converts the UTF-8 in `text`. */
  def of(text: Array[Byte]): Array[Byte] = new JsonParser(text).document()

  /** @param entry the container's entry: kind and size */
  final private case class Value(kind: Int, payload: Array[Byte]) {
    def entry: Int = kind << 28 | payload.length
  }

  private val NoBytes = Array.emptyByteArray

  final private class JsonParser(text: Array[Byte]) {
    private var at = 0

    def document(): Array[Byte] = {
      val parsed = value(MaxDepth)
      skipSpace()
      if (at < text.length) fail("there is text after the value")
      if (parsed.kind == 5) parsed.payload else container(0x20000000, Vector(parsed))
    }

    private def value(depth: Int): Value = {
      if (depth == 0) fail(s"it is nested more than $MaxDepth levels deep")
      skipSpace()
      peek() match {
        case '{' => at += 1; fields(depth - 1)
        case '[' => at += 1; items(depth - 1)
        case '"' => at += 1; Value(1, string())
        case 't' => word("true"); Value(4, NoBytes)
        case 'f' => word("false"); Value(3, NoBytes)
        case 'n' => word("null"); Value(0, NoBytes)
        case _ => Value(2, number())
      }
    }

    private def items(depth: Int): Value = {
      val all = Vector.newBuilder[Value]
      if (!closes(']')) {
        do all += value(depth)
        while (continues(']'))
      }
      val values = all.result()
      Value(5, container(0x80000000 | values.size, values))
    }

    private def fields(depth: Int): Value = {
      val all = mutable.ArrayBuffer.empty[(Array[Byte], Value)]
      if (!closes('}')) {
        do {
          skipSpace()
          expect('"')
          val key = string()
          skipSpace()
          expect(':')
          all += key -> value(depth)
        } while (continues('}'))
      }
      val sorted = all.sortWith((a, b) => Arrays.compareUnsigned(a._1, b._1) < 0).toVector
      sorted.zip(sorted.drop(1)).find { case (a, b) => Arrays.equals(a._1, b._1) }.foreach { case (a, _) =>
        fail(s"the key '${new String(a._1, UTF_8)}' occurs twice in an object")
      }
      val entries = sorted.map(field => Value(1, field._1)) ++ sorted.map(_._2)
      Value(5, container(0x40000000 | sorted.size, entries))
    }

    private def container(header: Int, values: Vector[Value]): Array[Byte] = {
      val size = 4L + values.foldLeft(0L)((sum, v) => sum + 4 + v.payload.length)
      if (size > MaxPayload) fail("it takes more than 256 MiB")
      val out = java.nio.ByteBuffer.allocate(size.toInt)
      out.putInt(header)
      values.foreach(v => out.putInt(v.entry))
      values.foreach(v => out.put(v.payload))
      out.array
    }

    // ---- scalars

    /** Parses a string up to the closing quote. */
    private def string(): Array[Byte] = {
      val start = at
      while (peek() != '"' && peek() != '\\') plain()
      if (peek() == '"') {
        at += 1
        Arrays.copyOfRange(text, start, at - 1)
      } else {
        val out = new ByteArrayOutputStream
        out.write(text, start, at - start)
        while (peek() != '"')
          if (peek() == '\\') out.writeBytes(escaped().getBytes(UTF_8)) else out.write(plain())
        at += 1
        out.toByteArray
      }
    }

    private def plain(): Int = {
      val byte = peek()
      if (byte < 0x20) fail("a control character stands in a string")
      at += 1
      byte
    }

    private def escaped(): String = {
      at += 1
      val char = peek()
      at += 1
      char match {
        case '"' | '\\' | '/' => char.toChar.toString
        case 'b' => "\b"
        case 'f' => "\f"
        case 'n' => "\n"
        case 'r' => "\r"
        case 't' => "\t"
        case 'u' => codePoint()
        case _ => fail("a backslash stands before a character that it cannot escape")
      }
    }

    private def codePoint(): String = {
      val first = hex()
      if (Character.isSurrogate(first)) {
        expect('\\')
        expect('u')
        val second = hex()
        if (!Character.isSurrogatePair(first, second)) fail("half a surrogate pair stands in a string")
        new String(Array(first, second))
      } else first.toString
    }

    private def hex(): Char = {
      var code = 0
      (0 until 4).foreach { _ =>
        val digit = Character.digit(peek(), 16)
        if (digit < 0) fail("\\u is not followed by four hexadecimal digits")
        code = code << 4 | digit
        at += 1
      }
      code.toChar
    }

    private def number(): Array[Byte] = {
      val start = at
      if (peek() == '-') at += 1
      if (peek() == '0') at += 1 else digits()
      val whole = at
      if (at < text.length && text(at) == '.') { at += 1; digits() }
      if (at < text.length && (text(at) | 0x20) == 'e') {
        at += 1
        if (peek() == '-' || peek() == '+') at += 1
        digits()
      }
      val written = new String(text, start, at - start, UTF_8)
      if (at == whole) JsonbNumbers.integer(new java.math.BigInteger(written))
      else JsonbNumbers.double(written)
    }

    private def digits(): Unit = {
      if (peek() < '0' || peek() > '9') fail("a value was expected, or a digit")
      while (at < text.length && text(at) >= '0' && text(at) <= '9') at += 1
    }

    // ---- bytes

    private def word(word: String): Unit = word.foreach(c => expect(c.toInt))

    private def closes(bracket: Int): Boolean = {
      skipSpace()
      val closed = peek() == bracket
      if (closed) at += 1
      closed
    }

    /** After a value of a container: whether another one follows. */
    private def continues(bracket: Int): Boolean = {
      val ends = closes(bracket)
      if (!ends) expect(',')
      !ends
    }

    private def expect(byte: Int): Unit = {
      if (peek() != byte) fail(s"'${byte.toChar}' was expected")
      at += 1
    }

    private def peek(): Int = if (at < text.length) text(at) & 0xff else fail("it ends too early")

    private def skipSpace(): Unit =
      while (
        at < text.length && (text(at) == ' ' || text(at) == '\n' || text(at) == '\t' || text(at) == '\r')
      )
        at += 1

    private def fail(why: String): Nothing = throw new LanceUsageException(s"$why, at byte $at")
  }
}

/** Numbers in JSONB. */
private object JsonbNumbers {

  /** Encodes an integer: up to 64 bits, signed below 0 and unsigned above; larger ones become doubles. */
  def integer(value: java.math.BigInteger): Array[Byte] =
    if (value.signum == 0) Array(0x00.toByte)
    else if (value.signum < 0 && value.bitLength <= 63)
      word(0x40, value.longValue, signedBytes(value.bitLength + 1))
    else if (value.signum > 0 && value.bitLength <= 64)
      word(0x50, value.longValue, signedBytes(value.bitLength))
    else double(value.toString)

  def double(text: String): Array[Byte] = {
    val value = text.toDouble
    if (value.isInfinite) throw new LanceUsageException(s"the number $text is larger than a double can be")
    word(0x60, java.lang.Double.doubleToRawLongBits(value), 8)
  }

  /** Returns the smallest of the possible sizes that holds `bits`. */
  private def signedBytes(bits: Int): Int =
    if (bits <= 8) 1 else if (bits <= 16) 2 else if (bits <= 32) 4 else 8

  private def word(kind: Int, value: Long, bytes: Int): Array[Byte] =
    Array.tabulate(bytes + 1)(i => if (i == 0) kind.toByte else (value >>> 8 * (bytes - i)).toByte)
}
