package io.sparklance.dataset.grouping

import java.math.{BigInteger => JBigInteger}
import java.nio.charset.StandardCharsets.UTF_8

import scala.util.Random

import io.sparklance.data.{FileVersion, RowRanges}
import io.sparklance.dataset.scan.{FileSource, FragmentTask}
import io.sparklance.dataset.write.FragmentWriter
import io.sparklance.schema.LogicalType.{Map => _, _}
import io.sparklance.schema.{Field, LanceSchema, Leaf, LogicalType, TimeUnit}
import io.sparklance.testkit.{Blocks, MemoryStore}

/** Random tables with a column of each type. Values are those of [[Blocks]], None for nulls. */
private[grouping] object GroupTables {
  type Value = Option[Any]
  type Row = Vector[Value]

  /** Types of columns that can be keys. Dictionaries are made of files of version 2.0 only. */
  private val types: Vector[(String, LogicalType)] = Vector(
    "i8" -> Integer(8, signed = true),
    "i16" -> Integer(16, signed = true),
    "i32" -> Integer(32, signed = true),
    "i64" -> Integer(64, signed = true),
    "u8" -> Integer(8, signed = false),
    "u16" -> Integer(16, signed = false),
    "u32" -> Integer(32, signed = false),
    "u64" -> Integer(64, signed = false),
    "bool" -> Bool,
    "day" -> Date32,
    "ms" -> Time(TimeUnit.Millisecond),
    "ts" -> Timestamp(TimeUnit.Microsecond, Some("UTC")),
    "span" -> Duration(TimeUnit.Second),
    "f32" -> FloatingPoint(32),
    "f64" -> FloatingPoint(64),
    "d5" -> Decimal(128, 5, 2),
    "d12" -> Decimal(128, 12, 2),
    "d18" -> Decimal(128, 18, 4),
    "text" -> Utf8(large = false),
    "large" -> Utf8(large = true),
    "bytes" -> Binary(large = false)
  )
  private val top = types.zipWithIndex.map { case ((name, of), id) => Field(id, name, of, nullable = true) }
  private val inner = Field(
    42,
    "inner",
    Struct,
    nullable = true,
    children = Vector(
      Field(43, "text", Utf8(large = false), nullable = true),
      Field(44, "d12", Decimal(128, 12, 2), nullable = true)
    )
  )
  private val struct = Field(
    40,
    "st",
    Struct,
    nullable = true,
    children = Vector(Field(41, "i32", Integer(32, signed = true), nullable = true), inner)
  )
  private val vector = Field(50, "vector", FixedSizeList(FloatingPoint(32), 2), nullable = true)
  private val fixed = Field(51, "fixed", FixedSizeBinary(3), nullable = true)

  val fields: Vector[Field] = top ++ Vector(struct, vector, fixed)

  /** Leaves by which rows can be grouped. */
  val keys: Vector[Leaf] = top.map(Leaf(Vector.empty, _)) ++ Vector(
    Leaf(Vector(struct), struct.children.head),
    Leaf(Vector(struct, inner), inner.children(0)),
    Leaf(Vector(struct, inner), inner.children(1))
  )

  /** Leaves with other types, whose values can be counted. */
  val others: Vector[Leaf] = Vector(vector, fixed).map(Leaf(Vector.empty, _))

  def leaf(name: String): Leaf = keys.find(_.name == name).getOrElse(throw new NoSuchElementException(name))

  /** @param distinct
    *   number of different values of a column, about
    */
  def rows(random: Random, n: Int, distinct: Int, version: FileVersion): Vector[Row] = {
    val pools = fields.map(field => field.id -> Vector.fill(distinct)(value(field, random, version))).toMap
    val nullShare = Map(fields.map(_.id -> Seq(0.0, 0.2, 0.2, 1.0)(random.nextInt(4))): _*)
    Vector.fill(n)(fields.map { field =>
      val canBeNull = field != struct || version != FileVersion.V2_0
      if (canBeNull && random.nextDouble() < nullShare(field.id)) None
      else Some(pools(field.id)(random.nextInt(distinct)))
    })
  }

  def write(
      store: MemoryStore,
      version: FileVersion,
      fields: Vector[Field],
      rows: Vector[Row]
  ): FragmentTask = {
    val writer = new FragmentWriter(store, "/t", LanceSchema(fields), version, maxPageBytes = 4000)
    rows.foreach { row =>
      writer.columns.zip(row).foreach { case (column, value) => Blocks.appendRow(column, value) }
      writer.rowWritten()
    }
    val file = writer.finish()
    val source =
      FileSource(s"/t/data/${file.fileName}", Some(file.sizeBytes), file.fieldIds, file.columnIndices)
    FragmentTask(3, Vector(source), file.rows, None, RowRanges(0, file.rows), Vector.empty)
  }

  /** The value of a leaf in a row. */
  def valueOf(leaf: Leaf, row: Row): Value = leaf.path.tail.foldLeft(
    leaf.path.head -> row(fields.indexWhere(_.id == leaf.root.id))
  ) { case ((field, value), next) =>
    next -> value.flatMap {
      case children: Vector[_] => children(field.children.indexWhere(_.id == next.id)).asInstanceOf[Value]
      case other => throw new IllegalArgumentException(s"$other is no struct")
    }
  }._2

  def decimal(unscaled: BigInt): Vector[Byte] = {
    val bytes = unscaled.toByteArray.reverse
    bytes.toVector.padTo(16, if (unscaled.signum < 0) (-1).toByte else 0.toByte)
  }

  def undecimal(value: Any): BigInt = value match {
    case bytes: Vector[_] => new JBigInteger(bytes.map(_.asInstanceOf[Byte]).toArray.reverse)
    case other => throw new IllegalArgumentException(s"$other is no decimal")
  }

  def utf8(text: String): Vector[Byte] = text.getBytes(UTF_8).toVector

  private def value(field: Field, random: Random, version: FileVersion): Any = field.logicalType match {
    case Struct =>
      field.children.map { child =>
        val isWhole = version == FileVersion.V2_0 && child.logicalType == Struct
        Option.when(isWhole || random.nextInt(4) > 0)(value(child, random, version))
      }
    case FixedSizeList(_, n) => Vector.fill(n)(random.nextInt(9).toLong)
    case FixedSizeBinary(n) => random.nextBytes(n).toVector
    case Bool => random.nextInt(2).toLong
    case Integer(8, _) => random.nextInt().toByte.toLong
    case Integer(16, _) => random.nextInt().toShort.toLong
    case Integer(32, _) | Date32 | Time(TimeUnit.Millisecond) => long(random).toInt.toLong
    case Integer(_, _) | Timestamp(_, _) | Duration(_) => long(random)
    case FloatingPoint(32) => float(random).toLong
    case FloatingPoint(_) => double(random)
    case Decimal(_, digits, _) =>
      val most = BigInt(10).pow(digits) - 1
      decimal(random.nextInt(5) match {
        case 0 => most
        case 1 => -most
        case 2 => BigInt(random.nextInt(50)) - 25
        case _ => BigInt(random.nextLong()) % most
      })
    case Utf8(_) => utf8(text(random))
    case Binary(_) => random.nextBytes(random.nextInt(20)).toVector
    case other => throw new IllegalArgumentException(s"$other")
  }

  private def long(random: Random): Long = random.nextInt(6) match {
    case 0 => Long.MaxValue
    case 1 => Long.MinValue
    case 2 => -1L
    case 3 => random.nextInt(40).toLong - 20
    case _ => random.nextLong()
  }

  private def text(random: Random): String = random.nextInt(5) match {
    case 0 => ""
    case 1 => s"a${random.nextInt(9)}"
    case 2 => s"an equal prefix, then ${random.nextInt(5000)}"
    case 3 => "é" * random.nextInt(9)
    case _ => random.alphanumeric.take(random.nextInt(24)).mkString
  }

  /** Bits of a float: several NaNs, both zeros, infinities, and quarters, whose sums are exact. */
  private def float(random: Random): Int = random.nextInt(8) match {
    case 0 => Seq(0x7fc00000, 0xffc00001, 0x7f800001)(random.nextInt(3))
    case 1 => 0x80000000
    case 2 => 0
    case 3 => java.lang.Float.floatToRawIntBits(if (random.nextBoolean()) 1 / 0f else -1 / 0f)
    case _ => java.lang.Float.floatToRawIntBits((random.nextInt(4000) - 2000) / 4f)
  }

  private def double(random: Random): Long = random.nextInt(8) match {
    case 0 => Seq(0x7ff8000000000000L, 0xfff8000000000001L, 0x7ff0000000000001L)(random.nextInt(3))
    case 1 => Long.MinValue
    case 2 => 0L
    case 3 => java.lang.Double.doubleToRawLongBits(if (random.nextBoolean()) 1 / 0d else -1 / 0d)
    case _ => java.lang.Double.doubleToRawLongBits((random.nextInt(4000) - 2000) / 4d)
  }
}
