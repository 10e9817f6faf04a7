package io.sparklance.spark.read

import org.apache.spark.sql.types.{
  ArrayType,
  DataType,
  DateType,
  DecimalType,
  DoubleType,
  IntegerType,
  LongType,
  StringType
}

import io.sparklance.schema.{Field, LogicalType, TimeUnit}
import io.sparklance.spark.types.{BlobHandling, ReadTypeOptions, SchemaConverter, ShownTypes}

final private class ColumnVectors(readTypes: ReadTypeOptions, blobs: Field => ShownBlobs) {

  /** @param name path of the field */
  def of(field: Field, name: String, place: Int => String): LanceColumnVector = {
    val spark = SchemaConverter.plainType(field, readTypes)
    val misfit = new LossyReads(name, readTypes.lossyValues, place)
    def child(of: Field): LanceColumnVector = this.of(of, s"$name.${of.name}", place)
    (field.logicalType, field.children) match {
      case _ if field.isBlob => ofBlobs(field, spark, misfit)
      case (LogicalType.Struct, children) => new StructVector(spark, children.map(child))
      case (LogicalType.List(_, _) | LogicalType.FixedSizeList(_, _), Vector(item)) =>
        lazy val list: ListVector = new ListVector(spark, of(item, name, i => place(list.rowOf(i))))
        list
      case (LogicalType.Map, Vector(entries)) =>
        lazy val map: MapVector = new MapVector(spark, of(entries, name, i => place(map.rowOf(i))))
        map
      case _ => ColumnVectors.of(ShownTypes.meaning(field), spark, misfit)
    }
  }

  private def ofBlobs(field: Field, spark: DataType, misfit: LossyReads): LanceColumnVector =
    (readTypes.blobs, field.blobVersion) match {
      case (BlobHandling.Bytes, _) => new BlobBytesVector(blobs(field), misfit)
      case (BlobHandling.Descriptors, Some(version)) =>
        new StructVector(
          spark,
          version.descriptor.map(f => ColumnVectors.ofDescriptor(f.logicalType, misfit))
        )
      case (BlobHandling.Descriptors, None) => throw new IllegalStateException(s"no vector shows $field")
    }
}

/** Chooses the vector for a column, once; [[SchemaConverter]] has checked that there is one. */
private[sparklance] object ColumnVectors {

  /** @param place
    *   describes the position of a row of the batch, for messages
    * @param blobs
    *   reads the bytes of a blob column, if these are shown
    */
  def of(
      field: Field,
      readTypes: ReadTypeOptions,
      place: Int => String,
      blobs: Field => ShownBlobs
  ): LanceColumnVector =
    new ColumnVectors(readTypes, blobs).of(field, field.name, place)

  /** Whether the vector for a column writes rows. Those for nested columns and blobs do not. */
  def writesRows(field: Field, readTypes: ReadTypeOptions): Boolean =
    field.children.isEmpty && !field.isBlob && of(field, readTypes, _ => field.name, refuseBlobs)
      .isInstanceOf[RowValues]

  private def refuseBlobs(field: Field): ShownBlobs =
    throw new IllegalStateException(s"the blobs of ${field.name}")

  private def of(lance: LogicalType, spark: DataType, misfit: LossyReads): LanceColumnVector =
    (lance, spark) match {
      case (LogicalType.Null, _) => new NullVector
      case (LogicalType.Bool, _) => new BooleanVector
      case (LogicalType.Integer(bits, true), _) => signed(bits)
      case (LogicalType.Integer(bits, false), _) => unsigned(bits)
      case (LogicalType.FloatingPoint(_), DoubleType) => new DoubleVector
      case (LogicalType.FloatingPoint(16), _) => new HalfFloatVector
      case (LogicalType.FloatingPoint(_), _) => new FloatVector
      case (LogicalType.BFloat16, _) => new BFloat16Vector
      case (LogicalType.Utf8(_), _) => new StringVector
      case (LogicalType.Json, _) => new JsonVector(misfit)
      case (LogicalType.Binary(_), _) => new BinaryVector
      case (LogicalType.FixedSizeBinary(_), _) => new FixedSizeBinaryVector
      case (decimal: LogicalType.Decimal, _) => decimals(decimal, spark, misfit)
      case (LogicalType.Date32, _) => new Int32Vector(DateType)
      case (LogicalType.Date64, DateType) => new Date64Vector(misfit)
      case (LogicalType.Time(TimeUnit.Second | TimeUnit.Millisecond), _) => new Time32Vector
      case (LogicalType.Date64 | LogicalType.Time(_), _) => new Int64Vector(LongType)
      case (LogicalType.Timestamp(unit, _), _) => time(unit, spark, misfit)
      case (LogicalType.Duration(unit), _) => time(unit, spark, misfit)
      case (LogicalType.FixedSizeList(item, n), list: ArrayType) =>
        new FixedSizeListVector(list, n, of(item, list.elementType, misfit.ofItems(n)))
      case _ => throw new IllegalStateException(s"no vector shows $lance as $spark")
    }

  private def ofDescriptor(lance: LogicalType, misfit: LossyReads): LanceColumnVector = lance match {
    case LogicalType.Integer(64, _) => new FilePositionVector(misfit)
    case LogicalType.Integer(bits, _) => unsigned(bits)
    case _ => new StringVector
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

  private def decimals(
      lance: LogicalType.Decimal,
      spark: DataType,
      misfit: LossyReads
  ): LanceColumnVector =
    spark match {
      case StringType => new DecimalTextVector(lance.scale)
      case d: DecimalType if !ShownTypes.isPlain(lance) => new RescaledDecimalVector(d, lance.scale, misfit)
      case d: DecimalType if d.precision <= 18 => new CompactDecimalVector(d)
      case d: DecimalType => new WideDecimalVector(d)
      case _ => throw new IllegalStateException(s"no vector shows $lance as $spark")
    }

  /** Timestamps and durations, which are microseconds in Spark. */
  private def time(unit: TimeUnit, spark: DataType, misfit: LossyReads): LanceColumnVector =
    (unit, spark) match {
      case (_, LongType) => new Int64Vector(LongType)
      case (TimeUnit.Second, _) => new CoarseTimeVector(spark, 1000000L, misfit)
      case (TimeUnit.Millisecond, _) => new CoarseTimeVector(spark, 1000L, misfit)
      case (TimeUnit.Microsecond, _) => new Int64Vector(spark)
      case (TimeUnit.Nanosecond, _) => new NanosecondVector(spark, misfit)
    }
}
