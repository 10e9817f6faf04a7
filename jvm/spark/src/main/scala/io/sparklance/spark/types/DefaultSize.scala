package io.sparklance.spark.types

import java.util.Locale

import org.apache.spark.sql.catalyst.analysis.UnresolvedFunction
import org.apache.spark.sql.catalyst.expressions.{Expression, Literal => SparkLiteral}

/** Estimates an upper bound of the bytes needed to fold an expression, from its text alone. Functions that
  * are not listed here have no bound: they might return any number of bytes, or run for any time.
  */
private[types] object DefaultSize {
  val MaxBytes: Long = 1L << 20

  def problem(parsed: Expression): Option[String] = of(parsed) match {
    case Left(why) => Some(why)
    case Right(bytes) => Option.when(bytes > MaxBytes)(s"its value may take more than $MaxBytes bytes")
  }

  private def of(expression: Expression): Either[String, Long] = expression match {
    case literal: SparkLiteral => Right(sizeOf(literal))
    case function: UnresolvedFunction => call(function)
    case other if Plain(other.getClass.getSimpleName) => sum(other.children).map(_ + Overhead)
    case other => Left(s"it has '${other.prettyName}', whose cost is not known beforehand")
  }

  private def call(function: UnresolvedFunction): Either[String, Long] = {
    val name = function.nameParts.last.toLowerCase(Locale.ROOT)
    val arguments = function.arguments
    if (Makers(name)) sum(arguments).map(_ + Overhead)
    else if (Small(name)) sum(arguments).map(n => capped(n, Growth) + Overhead)
    else
      Repeaters.get(name).fold[Either[
        String,
        Long
      ]](Left(s"it calls '$name', whose cost is not known beforehand")) {
        at =>
          arguments.lift(at).flatMap(count).map(n => sum(arguments).map(capped(_, n)))
            .getOrElse(Left(s"the count of '$name' is no plain number"))
      }
  }

  private def count(expression: Expression): Option[Long] = expression match {
    case literal: SparkLiteral =>
      Option(literal.value).collect { case number: Int => math.max(1L, number.toLong) }
    case _ => None
  }

  private def sum(expressions: Seq[Expression]): Either[String, Long] =
    expressions.foldLeft[Either[String, Long]](Right(0L)) { (before, expression) =>
      before.flatMap(n => of(expression).map(m => math.min(n + m, TooMany)))
    }

  private def sizeOf(literal: SparkLiteral): Long = Option(literal.value).fold(0L)(_.toString.length.toLong) +
    Overhead

  private def capped(bytes: Long, factor: Long): Long =
    if (bytes > 0 && factor > TooMany / bytes) TooMany else bytes * factor

  private val TooMany = 1L << 50
  private val Overhead = 16L

  /** Growth of text: UTF-8 letters may triple in upper case, and JSON escapes take six bytes. */
  private val Growth = 8L

  /** Nodes from the parser whose values are no larger than their operands. */
  private val Plain = Set(
    "Add",
    "And",
    "BitwiseAnd",
    "BitwiseNot",
    "BitwiseOr",
    "BitwiseXor",
    "CaseWhen",
    "Cast",
    "Concat",
    "CreateNamedStruct",
    "CurrentDate",
    "CurrentTimestamp",
    "Divide",
    "EqualNullSafe",
    "EqualTo",
    "GreaterThan",
    "GreaterThanOrEqual",
    "If",
    "In",
    "IntegralDivide",
    "IsNotNull",
    "IsNull",
    "LessThan",
    "LessThanOrEqual",
    "LocalTimestamp",
    "Multiply",
    "Not",
    "Or",
    "Remainder",
    "StringLocate",
    "StringTrim",
    "StringTrimLeft",
    "StringTrimRight",
    "Substring",
    "Subtract",
    "TimestampAdd",
    "TimestampDiff",
    "UnaryMinus",
    "UnaryPositive",
    "UnresolvedAttribute",
    "UnresolvedExtractValue"
  )

  /** Functions whose values consist of their arguments. */
  private val Makers = Set(
    "array",
    "coalesce",
    "concat",
    "greatest",
    "if",
    "ifnull",
    "least",
    "map",
    "map_from_arrays",
    "named_struct",
    "nullif",
    "nvl",
    "nvl2",
    "struct"
  )

  /** Functions whose running time and value grow with their arguments only. */
  private val Small =
    ("abs acos add_months ascii asin atan atan2 base64 between bigint bin binary boolean bround btrim cardinality cbrt ceil ceiling " +
      "char char_length character_length chr convert_timezone cos crc32 curdate current_catalog current_database current_date " +
      "current_schema current_time current_timestamp current_timezone current_user date date_add date_diff date_format " +
      "date_from_unix_date date_part date_sub date_trunc dateadd datediff datepart day dayofmonth dayofweek dayofyear decimal decode " +
      "degrees double e element_at encode exp expm1 extract factorial float floor from_unixtime from_utc_timestamp get hash hex hour " +
      "initcap int isnotnull isnull last_day lcase left len length ln localtimestamp log log10 log1p log2 lower ltrim make_date " +
      "make_dt_interval make_interval make_timestamp make_timestamp_ltz make_timestamp_ntz make_time make_ym_interval md5 minute mod month " +
      "nanvl negative now octet_length parse_json pi pmod positive pow power quarter radians reverse right rint round rtrim " +
      "second session_user sha sha1 sha2 shiftleft shiftright sign signum sin size smallint sqrt string substr substring tan time " +
      "timestamp timestamp_micros timestamp_millis timestamp_seconds timestampadd timestampdiff tinyint to_binary to_date to_json to_time " +
      "to_timestamp to_timestamp_ltz to_timestamp_ntz to_utc_timestamp trim trunc try_add try_divide try_multiply try_subtract " +
      "try_to_timestamp typeof ucase unbase64 unhex unix_date unix_micros unix_millis unix_seconds unix_timestamp upper user weekday " +
      "weekofyear width_bucket xxhash64 year").split(' ').toSet

  /** Functions that repeat an argument, with the position of the argument that gives the number of
    * repetitions.
    */
  private val Repeaters = Map("array_repeat" -> 1, "lpad" -> 1, "repeat" -> 1, "rpad" -> 1, "space" -> 0)
}
