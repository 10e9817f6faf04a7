package io.sparklance.spark.types

import org.apache.spark.sql.types.DataType

import io.sparklance.schema.{Field, LogicalType, LogicalTypes}

/** Lance types that a setting of a new column asks for, where Spark's type stands for several. */
private[spark] object AskedTypes {

  /** Returns the type with a name, or the reason why a column of Spark's type cannot have it. */
  def of(name: String, spark: DataType): Either[String, LogicalType] = {
    val lance = LogicalTypes.parse(name)
    val shown = if (isFlat(lance)) ShownTypes.of(field(lance), LossyValues.Fail) else None
    shown match {
      case Some(`spark`) => Right(lance)
      case Some(other) => Left(s"it is for ${other.sql}, but the column is ${spark.sql}")
      case None => Left(s"it must be the name of a flat type, such as $Examples")
    }
  }

  private val Examples = "uint8, large_string, time64:us, timestamp:ns:-, duration:ms or fixed_size_binary:16"

  private def field(lance: LogicalType): Field = Field(-1, "", lance, true, Vector.empty, Map.empty)

  /** Whether columns of a type hold one value a row that any file version has. */
  private def isFlat(lance: LogicalType): Boolean = lance match {
    case LogicalType.Bool | LogicalType.Integer(_, _) | LogicalType.FloatingPoint(_) |
        LogicalType.Utf8(_) | LogicalType.Binary(_) | LogicalType.Date32 | LogicalType.Date64 |
        LogicalType.Decimal(_, _, _) | LogicalType.Time(_) | LogicalType.Timestamp(_, _) |
        LogicalType.Duration(_) => true
    case LogicalType.FixedSizeBinary(width) => width > 0
    case LogicalType.Null | LogicalType.BFloat16 | LogicalType.Struct | LogicalType.List(_, _) |
        LogicalType.Map | LogicalType.FixedSizeList(_, _) | LogicalType.Dictionary(_, _) |
        LogicalType.Json | LogicalType.Blob | LogicalType.Unknown(_) => false
  }
}
