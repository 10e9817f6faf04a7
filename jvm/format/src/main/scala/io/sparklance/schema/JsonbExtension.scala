package io.sparklance.schema

import java.nio.ByteBuffer
import java.time.{DateTimeException, LocalDate, LocalDateTime, ZoneOffset}

import io.sparklance.{LanceFormatException, UnsupportedLanceFeatureException}

/** Values without a JSON type, which JSONB stores as extensions. In JSON text they are strings.
  *
  * {{{
  * u8 kind | 0x00 bytes: any number of them                          DEAD
  *         | 0x10 date: i32 days since 1970                          1970-01-02
  *         | 0x20 timestamp: i64 µs since 1970                       2023-11-14 22:13:20.123456
  *         | 0x30 the same, and i32 seconds or i8 hours east of UTC  2023-11-15 00:13:20.123456 +0200
  *         | 0x40 interval: i32 months, i32 days, i64 µs             1 year 2 months 3 days 01:02:03.000004
  * }}}
  * Timestamps outside of pylance's calendar become its first or last one.
  */
private object JsonbExtension {
  private val MicrosPerSecond = 1000000L
  private val FirstSecond = -377705023201L
  private val LastSecond = 253402207200L

  /** pylance knows no wider offsets. */
  private val MostSecondsEast = 93599

  /** Returns the text of the extension in `in`, without quotes. It needs no escapes. */
  def text(in: ByteBuffer): String = {
    if (!in.hasRemaining) throw new LanceFormatException("a JSONB extension of no bytes")
    val kind = in.get() & 0xff
    (kind, in.remaining) match {
      case (0x00, _) => hex(in)
      case (0x10, 4) => date(in.getInt)
      case (0x20, 8) => timestamp(in.getLong, 0)
      case (0x30, 9) => zoned(in.getLong, 3600 * in.get())
      case (0x30, 12) => zoned(in.getLong, in.getInt)
      case (0x40, 16) => interval(in.getInt, in.getInt, in.getLong)
      case (0x10 | 0x20 | 0x30 | 0x40, n) =>
        throw new LanceFormatException(s"a JSONB extension of kind $kind in $n bytes")
      case _ => throw new UnsupportedLanceFeatureException(s"a JSONB extension of kind $kind")
    }
  }

  private def hex(in: ByteBuffer): String = {
    val out = new StringBuilder(2 * in.remaining)
    while (in.hasRemaining) {
      val byte = in.get() & 0xff
      out.append("0123456789ABCDEF".charAt(byte >>> 4)).append("0123456789ABCDEF".charAt(byte & 15))
    }
    out.toString
  }

  private def date(days: Int): String = {
    val date = LocalDate.ofEpochDay(days.toLong)
    val (year, rest) = (date.getYear, f"${date.getMonthValue}%02d-${date.getDayOfMonth}%02d")
    if (year < -9999 || year > 9999) throw new LanceFormatException(s"a JSONB date $days days from 1970")
    if (year < 0) f"-${-year}%06d-$rest" else f"$year%04d-$rest"
  }

  private def zoned(micros: Long, secondsEast: Int): String = {
    if (math.abs(secondsEast.toLong) > MostSecondsEast)
      throw new LanceFormatException(s"a JSONB timestamp $secondsEast seconds east of UTC")
    val (sign, offset) = if (secondsEast < 0) ('-', -secondsEast) else ('+', secondsEast)
    val seconds = if (offset % 60 == 0) "" else f"${offset % 60}%02d"
    f"${timestamp(micros, secondsEast)} $sign${offset / 3600}%02d${offset / 60 % 60}%02d$seconds"
  }

  private def timestamp(micros: Long, secondsEast: Int): String = {
    val exact = Math.floorDiv(micros, MicrosPerSecond)
    val second = math.max(FirstSecond, math.min(exact, LastSecond))
    val nanos = if (second == exact) Math.floorMod(micros, MicrosPerSecond).toInt * 1000 else 0
    val at =
      try LocalDateTime.ofEpochSecond(second + secondsEast, nanos, ZoneOffset.UTC)
      catch { case e: DateTimeException => throw new LanceFormatException(e.getMessage) }
    f"${at.getYear}%04d-${at.getMonthValue}%02d-${at.getDayOfMonth}%02d " +
      f"${at.getHour}%02d:${at.getMinute}%02d:${at.getSecond}%02d.${nanos / 1000}%06d"
  }

  private def interval(months: Int, days: Int, micros: Long): String = {
    val parts = Vector(
      count(months / 12, "year"),
      count(months % 12, "month"),
      count(days, "day"),
      if (micros == 0) None else Some(clock(micros))
    ).flatten
    if (parts.isEmpty) "00:00:00" else parts.mkString(" ")
  }

  private def count(n: Int, unit: String): Option[String] =
    if (n == 0) None else Some(s"$n $unit${if (n == 1 || n == -1) "" else "s"}")

  private def clock(micros: Long): String = {
    val sign = if (micros < 0) "-" else ""
    // The minimum, which has no positive counterpart, is right as an unsigned number.
    val length = math.abs(micros)
    val seconds = java.lang.Long.divideUnsigned(length, MicrosPerSecond)
    val rest = java.lang.Long.remainderUnsigned(length, MicrosPerSecond)
    val fraction = if (rest == 0) "" else f".$rest%06d"
    f"$sign${seconds / 3600}%02d:${seconds / 60 % 60}%02d:${seconds % 60}%02d$fraction"
  }
}
