package io.sparklance.spark.types

import org.apache.spark.sql.types._

import io.sparklance.schema.{Field, LanceSchema, LogicalTypes}
import io.sparklance.spark.SparkSuite

/** Schemas that tests convert. */
trait ConvertedSchemas extends SparkSuite {
  protected def lance(types: String*): LanceSchema = {
    spark
    LanceSchema(types.toVector.zipWithIndex.map { case (text, i) =>
      Field(i, s"c$i", LogicalTypes.parse(text), nullable = true)
    })
  }

  /** The logical type of each field, and the field as Spark shows it again. */
  protected def kept(column: StructField): (String, StructField) = {
    spark
    val lance = SchemaConverter.toLance(StructType(Seq(column)))
    val back = SchemaConverter.toSpark(lance)
    assert(SchemaConverter.toLance(back) == lance, "a copy of the table is another one")
    (LogicalTypes.print(lance.fields.head.logicalType), back.head)
  }
}
