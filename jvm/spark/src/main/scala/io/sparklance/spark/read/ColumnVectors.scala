package io.sparklance.spark.read

import org.apache.spark.sql.types.{
  ArrayType,
  DataType,
  DateType,
  DecimalType,
  DoubleType,
  IntegerType,
  LongType
}

import io.sparklance.schema.{Field, LogicalType, TimeUnit}
import io.sparklance.spark.SchemaConverter

/** Chooses the vector for a column, once; [[SchemaConverter]] has made sure that there is one. */
object ColumnVectors {

  def of(field: Field): LanceColumnVector = {
    val spark = SchemaConverter.dataType(field)
    (field.logicalType, field.children) match {
      case (LogicalType.Struct, children) => new StructVector(spark, children.map(of))
      case (LogicalType.List(_, _), Vector(item)) => new ListVector(spark, of(item))
      case (LogicalType.Map, Vector(entries)) => new MapVector(spark, of(entries))
      case (lance, _) => of(lance, spark)
    }
  }

  private def of(lance: LogicalType, spark: DataType): LanceColumnVector = (lance, spark) match {
    case (LogicalType.Bool, _) => new BooleanVector
    case (LogicalType.Integer(bits, true), _) => signed(bits)
    case (LogicalType.Integer(bits, false), _) => unsigned(bits)
    case (LogicalType.FloatingPoint(_), DoubleType) => new DoubleVector
    case (LogicalType.FloatingPoint(_), _) => new FloatVector
    case (LogicalType.Utf8(_), _) => new StringVector
    case (LogicalType.Binary(_), _) => new BinaryVector
    case (_, d: DecimalType) if d.precision <= 18 => new CompactDecimalVector(d)
    case (_, d: DecimalType) => new WideDecimalVector(d)
    case (_, DateType) => new Int32Vector(DateType)
    case (LogicalType.Timestamp(unit, _), _) => timestamp(unit, spark)
    case (LogicalType.FixedSizeList(item, n), list: ArrayType) =>
      new FixedSizeListVector(list, n, of(item, list.elementType))
    case _ => throw new IllegalStateException(s"no vector shows $lance as $spark")
  }

  private def signed(bits: Int): LanceColumnVector = bits match {
    case 8 => new Int8Vector
    case 16 => new Int16Vector
    case 32 => new Int32Vector(IntegerType)
    case _ => new Int64Vector(LongType)
  }

  private def unsigned(bits: Int): LanceColumnVector = bits match {
    case 8 => new UInt8Vector
    case 16 => new UInt16Vector
    case 32 => new UInt32Vector
    case _ => new UInt64Vector
  }

  private def timestamp(unit: TimeUnit, spark: DataType): LanceColumnVector = unit match {
    case TimeUnit.Second => new CoarseTimestampVector(spark, 1000000L)
    case TimeUnit.Millisecond => new CoarseTimestampVector(spark, 1000L)
    case TimeUnit.Microsecond | TimeUnit.Nanosecond => new Int64Vector(spark)
  }
}
