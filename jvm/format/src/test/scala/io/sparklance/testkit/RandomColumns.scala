package io.sparklance.testkit

import java.nio.charset.StandardCharsets.UTF_8

import scala.util.Random

import io.sparklance.data.{Utf8 => _, _}
import io.sparklance.encoding.logical.PrimitiveField
import io.sparklance.schema.LogicalType._
import io.sparklance.schema.{Field, LogicalType, TimeUnit}

/** Columns of all flat types, filled at random. */
object RandomColumns {

  val types: Vector[LogicalType] = Vector(
    Bool,
    Integer(8, signed = true),
    Integer(16, signed = false),
    Integer(32, signed = true),
    Integer(64, signed = true),
    FloatingPoint(16),
    FloatingPoint(32),
    FloatingPoint(64),
    Decimal(128, 38, 4),
    Decimal(256, 76, 0),
    Date32,
    Timestamp(TimeUnit.Microsecond, None),
    Utf8(large = false),
    Utf8(large = true),
    Binary(large = false),
    FixedSizeBinary(5),
    FixedSizeBinary(300),
    FixedSizeList(FloatingPoint(32), 4),
    FixedSizeList(FloatingPoint(64), 100),
    FixedSizeList(Integer(32, signed = true), 3)
  )

  /** Distribution of a column's values, which encoders depend on. */
  sealed trait Pattern
  case object Anything extends Pattern
  case object Small extends Pattern
  case object Few extends Pattern
  case object Runs extends Pattern
  case object Same extends Pattern
  case object Long extends Pattern
  val patterns: Vector[Pattern] = Vector(Anything, Small, Few, Runs, Same, Long)

  def fields(types: Seq[LogicalType]): Vector[Field] =
    types.toVector.zipWithIndex.map { case (t, i) => Field(i, s"c$i", t, nullable = true) }

  /** Appends `rows` values to a column of `field`. */
  def fill(
      column: Column,
      field: Field,
      rows: Int,
      pattern: Pattern,
      nullShare: Double,
      random: Random
  ): Unit = {
    val shape = PrimitiveField.shapeOf(field)
    val pool = random.nextInt()
    for (i <- 0 until rows) {
      val seed = pattern match {
        case Anything | Small | Long => random.nextInt()
        case Few => pool + random.nextInt(5)
        case Runs => pool + i / 200
        case Same => pool
      }
      append(column.values, shape, pattern, nullShare, new Random(seed))
      if (random.nextDouble() < nullShare) column.nulls.appendNull(1) else column.nulls.appendValid(1)
    }
  }

  def column(field: Field): Column = Column.forShape(PrimitiveField.shapeOf(field))

  private def append(
      block: DataBlock,
      shape: ValueShape,
      pattern: Pattern,
      nullShare: Double,
      r: Random
  ): Unit =
    (block, shape) match {
      case (b: Fixed8Block, ValueShape.FixedWidth(1)) => b.append(r.nextInt(2).toByte)
      case (b: Fixed8Block, _) => b.append(number(pattern, r).toByte)
      case (b: Fixed16Block, _) => b.append(number(pattern, r).toShort)
      case (b: Fixed32Block, _) => b.append(number(pattern, r).toInt)
      case (b: Fixed64Block, _) => b.append(number(pattern, r))
      case (b: FixedBytesBlock, _) =>
        val at = b.extend(1) * b.width
        System.arraycopy(r.nextBytes(b.width), 0, b.bytes, at, b.width)
      case (b: VariableBlock, _) =>
        val text = pattern match {
          case Long => "long text " * (26 + r.nextInt(10))
          case Small => ""
          case Anything | Few | Runs | Same => Seq.fill(r.nextInt(4))(s"word${r.nextInt(30)}").mkString(" ")
        }
        val bytes = text.getBytes(UTF_8)
        b.append(bytes, 0, bytes.length)
      case (b: FixedSizeListBlock, ValueShape.FixedSizeList(dimension, items)) =>
        for (_ <- 0 until dimension) {
          append(b.items, items, pattern, nullShare, r)
          if (nullShare > 0.5 && r.nextInt(8) == 0) b.itemNulls.appendNull(1) else b.itemNulls.appendValid(1)
        }
        b.advance(1)
      case (b @ (_: FixedSizeListBlock | _: NestedBlock), _) =>
        throw new IllegalArgumentException(s"$b for $shape")
    }

  private def number(pattern: Pattern, r: Random): scala.Long = pattern match {
    case Small => r.nextInt(100).toLong
    case Anything | Few | Runs | Same | Long => r.nextLong()
  }
}
