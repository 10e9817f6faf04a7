package io.sparklance.spark.types

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.util.GenericArrayData
import org.apache.spark.sql.types._

import io.sparklance.schema.{Field, LanceSchema, LogicalTypes}

/** Types that are stored as others are. */
final class KeptTypesSuite extends ConvertedSchemas {
  test("char and varchar are strings that remember what they are") {
    // Their constructors are not the same in all Sparks.
    def typed(ddl: String): DataType = StructType.fromDDL(s"v $ddl").head.dataType
    val schema = SchemaConverter.toLance(StructType(Seq(StructField("v", typed("VARCHAR(5)")))))
    assert(LogicalTypes.print(schema.fields.head.logicalType) == "string")
    assert(schema.fields.head.metadata == Map("__CHAR_VARCHAR_TYPE_STRING" -> "varchar(5)"))
    for (kind <- Seq(typed("VARCHAR(5)"), typed("CHAR(1)"), typed("ARRAY<VARCHAR(2)>"))) {
      assert(kind != StringType && kind != ArrayType(StringType))
      assert(kept(StructField("v", kind))._2.dataType == kind)
    }
    assert(told("varchar(0)", "string") == StringType)
  }

  Seq(
    YearMonthIntervalType(0, 1) -> "int32",
    YearMonthIntervalType(1, 1) -> "int32",
    DayTimeIntervalType(0, 3) -> "duration:us",
    DayTimeIntervalType(2, 3) -> "duration:us",
    NullType -> "null",
    ArrayType(YearMonthIntervalType(0, 0), containsNull = false) -> "list",
    MapType(StringType, DayTimeIntervalType(0, 0), valueContainsNull = true) -> "map",
    StructType(Seq(StructField("x", YearMonthIntervalType(0, 0)))) -> "struct"
  ).foreach { case (kind, stored) =>
    test(s"${kind.sql} is stored as $stored, and is itself when it is read") {
      val (lance, back) = kept(StructField("c", kind))
      assert((lance, back.dataType.sql) == ((stored, kind.sql)))
    }
  }

  test("types of libraries are stored as what they are made of, and are themselves when they are read") {
    val point = new PointType
    for (
      kind <-
        Seq(point, ArrayType(point), MapType(StringType, point), StructType(Seq(StructField("p", point))))
    )
      assert(kept(StructField("c", kind))._2.dataType.simpleString == kind.simpleString)
    assert(kept(StructField("c", point))._1 == "struct")
  }

  private def told(text: String, lance: String = "int32"): DataType = {
    spark
    val field =
      Field(0, "c", LogicalTypes.parse(lance), nullable = true, metadata = Map(KeptTypes.Key -> text))
    SchemaConverter.toSpark(LanceSchema(Vector(field))).head.dataType
  }

  test("a type recorded in metadata is restored only for values that can have it") {
    assert(told(YearMonthIntervalType().json) == YearMonthIntervalType())
    assert(told(YearMonthIntervalType().json, "int64") == LongType)
    assert(told(DayTimeIntervalType().json, "int64") == LongType)
    assert(told(StringType.json) == IntegerType)
    assert(told(new PointType().json) == IntegerType)
    assert(told("\"time(6)\"", "time64:ns") == LongType, "unless this Spark has times")
  }

  test("only classes of types are loaded, and a missing class is no error") {
    for (name <- Seq("java.lang.Thread", "io.sparklance.NotThere", ""))
      assert(told(s"""{"type":"udt","class":"$name","pyClass":null,"sqlType":"integer"}""") == IntegerType)
    val pickled = """{"type":"udt","pyClass":"a.B","serializedClass":"gAA=","sqlType":"integer"}"""
    assert(Seq(pickled, "{", "", "[]", "\"nothing\"").forall(told(_) == IntegerType))
  }
}

/** A type of a library, as those of ML are. */
final class PointType extends UserDefinedType[Point] {
  override def sqlType: DataType =
    StructType(Seq(
      StructField("x", DoubleType, nullable = false),
      StructField("tags", ArrayType(StringType))
    ))
  override def serialize(point: Point): Any = InternalRow(point.x, new GenericArrayData(Array.empty[Any]))
  override def deserialize(datum: Any): Point = datum match {
    case row: InternalRow => Point(row.getDouble(0))
    case other => throw new IllegalArgumentException(s"no point: $other")
  }
  override def userClass: Class[Point] = classOf[Point]
  override def equals(other: Any): Boolean = other.isInstanceOf[PointType]
  override def hashCode: Int = 1
}

final case class Point(x: Double)
