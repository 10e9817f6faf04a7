package io.sparklance.spark.types

import scala.util.Try

import com.fasterxml.jackson.databind.ObjectMapper
import org.apache.spark.sql.types._

import io.sparklance.schema.Field
import io.sparklance.spark.session.Session

/** Spark types that are stored as other types: texts of limited length, intervals of years, times, and types
  * of libraries (UDTs) such as ML's vectors. The field's metadata record the Spark type, so that reads
  * restore it.
  */
private[spark] object KeptTypes {

  /** Metadata key of the Spark type, as Spark's JSON. */
  val Key = "spark.type"

  private val json = new ObjectMapper

  /** Returns the type in which values of a type are written. */
  def storage(spark: DataType): DataType = spark match {
    case udt: UserDefinedType[_] => storage(udt.sqlType)
    case other => other
  }

  /** Returns the type that queries see: CHAR and VARCHAR are STRING there. */
  def inQueries(spark: DataType): DataType = spark match {
    case _: CharType | _: VarcharType => StringType
    case other => other
  }

  /** Returns the Spark type that a field's metadata record. */
  def told(spark: DataType): Map[String, String] = spark match {
    case char @ (_: CharType | _: VarcharType) =>
      Map(FieldMetadata.CharVarcharKey -> FieldMetadata.withoutCollation(char.typeName))
    case _: UserDefinedType[_] | _: YearMonthIntervalType => Map(Key -> spark.json)
    case interval: DayTimeIntervalType if interval != DayTimeIntervalType() => Map(Key -> spark.json)
    case time if isTime(time) => Map(Key -> spark.json)
    case _ => Map.empty
  }

  /** Whether a type is TIME, which Spark has from 4.1 on. Its values are nanoseconds. */
  def isTime(spark: DataType): Boolean = spark.typeName.startsWith("time(")

  /** Returns the Spark type recorded for a field, if values shown as `plain` can have it; otherwise `plain`.
    */
  def restored(field: Field, plain: DataType): DataType = plain match {
    case StringType => field.metadata.get(
        FieldMetadata.CharVarcharKey
      ).map(FieldMetadata.withoutCollation).flatMap(sized).getOrElse(plain)
    case _ => field.metadata.get(Key).flatMap(parse).filter(isStoredAs(_, plain, field)).getOrElse(plain)
  }

  // Parsed from text, because the constructors differ between versions of Spark.
  private def sized(text: String): Option[DataType] =
    Option.when(text.matches("(char|varchar)\\([1-9]\\d{0,8}\\)"))(DataType.fromJson(s"\"$text\""))

  private def isStoredAs(kept: DataType, plain: DataType, field: Field): Boolean = (kept, plain) match {
    case (udt: UserDefinedType[_], _) => bare(storage(udt)) == bare(plain)
    case (_: YearMonthIntervalType, IntegerType) => true
    case (_: DayTimeIntervalType, _: DayTimeIntervalType) => true
    case (time, LongType) if isTime(time) => ShownTypes.name(field) == "time64:ns" && Session.hasTimes
    case _ => false
  }

  /** Removes metadata, which do not affect values. */
  private def bare(spark: DataType): DataType = spark match {
    case struct: StructType =>
      StructType(struct.map(f => StructField(f.name, bare(f.dataType), f.nullable)))
    case ArrayType(item, nulls) => ArrayType(bare(item), nulls)
    case MapType(key, value, nulls) => MapType(bare(key), bare(value), nulls)
    case other => other
  }

  /** Parses a recorded type. Returns None if Spark or its class path lack it. Loads only classes that are
    * such types.
    */
  private def parse(text: String): Option[DataType] = Try {
    val node = json.readTree(text)
    val isTrusted =
      if (node.isTextual) true else Option(node.get("class")).exists(c => isUserDefined(c.asText))
    Option.when(isTrusted)(DataType.fromJson(text))
  }.toOption.flatten

  private def isUserDefined(className: String): Boolean = {
    val loader =
      Option(Thread.currentThread.getContextClassLoader).getOrElse(classOf[UserDefinedType[_]].getClassLoader)
    classOf[UserDefinedType[_]].isAssignableFrom(Class.forName(className, false, loader))
  }
}
