package io.sparklance.spark.procedures

import java.time.Instant
import java.time.temporal.ChronoUnit

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.catalog.procedures.ProcedureParameter
import org.apache.spark.sql.types._

import io.sparklance.LanceUsageException

/** A parameter of a procedure. Parameters without a default come first.
  *
  * @param default
  *   default value as SQL
  * @param read
  *   reads the value, which is not null, from a row
  */
final private[sparklance] class Parameter[A] private (
    val name: String,
    private val dataType: DataType,
    default: Option[String],
    private val read: (InternalRow, Int) => A
) {
  def toSpark: ProcedureParameter = {
    val builder = ProcedureParameter.in(name, dataType)
    default.fold(builder)(builder.defaultValue).build()
  }

  /** Returns this parameter as an optional one. */
  def optional: Parameter[Option[A]] =
    new Parameter(name, dataType, Some("NULL"), (row, i) => Option.unless(row.isNullAt(i))(read(row, i)))

  private[procedures] def of(row: InternalRow, i: Int): A =
    if (row.isNullAt(i) && !default.contains("NULL"))
      throw new LanceUsageException(s"Argument '$name' is NULL, but needs a value.")
    else read(row, i)
}

private[sparklance] object Parameter {

  /** The name of a table, or its path, which has a slash. */
  val table: Parameter[String] = text("table")

  /** A version of the table: a number, a tag or a branch; the latest version if absent. */
  val version: Parameter[Option[String]] = text("version").optional

  /** Number of rows to return; all if absent. */
  val limit: Parameter[Option[Long]] = number("limit").optional

  def text(name: String): Parameter[String] =
    new Parameter(name, StringType, None, _.getUTF8String(_).toString)

  def number(name: String): Parameter[Long] = new Parameter(name, LongType, None, _.getLong(_))

  def fraction(name: String): Parameter[Double] = new Parameter(name, DoubleType, None, _.getDouble(_))

  def time(name: String): Parameter[Instant] = new Parameter(
    name,
    TimestampType,
    None,
    (row, i) => Instant.EPOCH.plus(row.getLong(i), ChronoUnit.MICROS)
  )

  def bytes(name: String): Parameter[Array[Byte]] = new Parameter(name, BinaryType, None, _.getBinary(_))

  /** A Boolean parameter, false if absent. */
  def flag(name: String): Parameter[Boolean] =
    new Parameter(name, BooleanType, Some("false"), _.getBoolean(_))

  def numbers(name: String): Parameter[Vector[Long]] =
    new Parameter(name, ArrayType(LongType), None, _.getArray(_).toLongArray().toVector)

  def names(name: String): Parameter[Vector[String]] = new Parameter(
    name,
    ArrayType(StringType),
    None,
    (row, i) => {
      val names = row.getArray(i)
      Iterator.range(
        0,
        names.numElements()
      ).filterNot(names.isNullAt).map(names.getUTF8String(_).toString).toVector
    }
  )

  /** A map from keys to values; None for NULL. */
  def entries(name: String): Parameter[Map[String, Option[String]]] = {
    val ordered = texts(name)
    new Parameter(name, ordered.dataType, None, (row, i) => ordered.read(row, i).toMap)
  }

  /** A map like that of `entries`, as pairs in the order of the call. */
  def texts(name: String): Parameter[Vector[(String, Option[String])]] = new Parameter(
    name,
    MapType(StringType, StringType),
    None,
    (row, i) => {
      val (keys, values) = (row.getMap(i).keyArray(), row.getMap(i).valueArray())
      Vector.tabulate(keys.numElements()) { j =>
        val value = Option.unless(values.isNullAt(j))(values.getUTF8String(j).toString)
        keys.getUTF8String(j).toString -> value
      }
    }
  )
}
