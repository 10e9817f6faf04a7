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
    else if (Products(name)) sum(arguments).map(n => capped(n, n) + Overhead)
    else
      Repeaters.get(name).fold[Either[
        String,
        Long
      ]](Left(s"it calls '$name', whose cost is not known beforehand")) {
        at =>
          arguments.lift(at).flatMap(count).map(n => sum(arguments).map(capped(_, n)))
            .getOrElse(Left(s"the count of '$name' is not a plain number"))
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
    "ShiftLeft",
    "ShiftRight",
    "ShiftRightUnsigned",
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
  private val Makers = words(
    "array array_append array_compact array_prepend array_remove arrays_zip coalesce concat elt " +
      "equal_null flatten greatest if iff ifnull least map map_concat map_contains_key map_entries " +
      "map_from_arrays map_from_entries map_keys map_values named_struct nullif nullifzero nvl nvl2 " +
      "slice sort_array struct zeroifnull"
  )

  /** Functions whose running time and value grow with their arguments only. */
  private val Small = words(
    "<< >> >>> abs acos acosh add_months array_contains array_max array_min array_position array_size " +
      "ascii asin asinh atan atan2 atanh base64 between bigint bin binary bit_count bit_get bit_length " +
      "boolean bround btrim cardinality cbrt ceil ceiling char char_length character_length chr conv " +
      "convert_timezone cos cosh cot crc32 csc curdate current_catalog current_database current_date " +
      "current_schema current_time current_timestamp current_timezone current_user date date_add " +
      "date_diff date_format date_from_unix_date date_part date_sub date_trunc dateadd datediff " +
      "datepart day dayname dayofmonth dayofweek dayofyear decimal decode degrees div double e " +
      "element_at encode endswith exp expm1 extract factorial find_in_set float floor from_unixtime " +
      "from_utc_timestamp get getbit hash hex hour hypot initcap int isnan isnotnull isnull last_day " +
      "lcase left len length ln localtimestamp log log10 log1p log2 lower ltrim luhn_check make_date " +
      "make_dt_interval make_interval make_timestamp make_timestamp_ltz make_timestamp_ntz make_time " +
      "make_ym_interval mask md5 minute mod month monthname months_between nanvl negative next_day now " +
      "octet_length overlay parse_json pi pmod positive pow power quarter quote radians reverse right " +
      "rint round rtrim sec second session_user sha sha1 sha2 shiftleft shiftright shiftrightunsigned " +
      "sign signum sin sinh size smallint soundex sqrt startswith string substr substring tan tanh time " +
      "timestamp timestamp_micros timestamp_millis timestamp_seconds timestampadd timestampdiff tinyint " +
      "to_binary to_char to_date to_json to_number to_time to_timestamp to_timestamp_ltz " +
      "to_timestamp_ntz to_unix_timestamp to_utc_timestamp to_varchar translate trim trunc try_add " +
      "try_divide try_element_at try_make_timestamp try_mod try_multiply try_parse_json try_subtract " +
      "try_to_binary try_to_date try_to_number try_to_time try_to_timestamp typeof ucase unbase64 unhex " +
      "unix_date unix_micros unix_millis unix_seconds unix_timestamp upper url_decode url_encode user " +
      "version weekday weekofyear width_bucket xxhash64 year"
  )

  /** Functions that search or insert one argument at each position of another. */
  private val Products =
    words("array_join concat_ws contains instr locate position replace split_part substring_index")

  /** Functions that repeat an argument, with the position of the argument that gives the number of
    * repetitions.
    */
  private val Repeaters = Map("array_repeat" -> 1, "lpad" -> 1, "repeat" -> 1, "rpad" -> 1, "space" -> 0)

  /** All allowed functions, for tests. */
  private[types] def known: Set[String] = Makers ++ Small ++ Products ++ Repeaters.keySet

  private def words(text: String): Set[String] = text.split(' ').toSet
}
