package io.sparklance.vector

import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.LanceUsageException
import io.sparklance.data.{DataBlock, Halves, ValueShape}
import io.sparklance.schema.{Field, LogicalType}
import io.sparklance.testkit.Blocks

/** Distances of a tile are those of the definitions, for every type of item and any number of items and
  * vectors.
  */
class VectorTileSuite extends AnyFunSuite {
  import VectorTileSuite._

  for (item <- items; metric <- item.metrics)
    test(s"${metric.name} of vectors of ${item.name}") {
      val random = new Random(7)
      for (dimension <- Seq(1, 2, 3, 7, 8, 9, 16, 33, 128); rows <- Seq(1, 3, 4, 5, 11)) {
        val column = vectors(item, dimension)
        val stored = Vector.fill(rows + 2)(Vector.fill(dimension)(sample(item, random)))
        val queries = Vector.fill(2)(Array.fill(dimension)(sample(item, random)))
        val fitted = queries.map(q => Query.fitted(new Query(Vector(q)), column).vectors.head)
        val tile = VectorTile.of(column, metric, fitted)
        val out = new Array[Float](rows)
        tile.load(block(item, stored), 2, rows)
        for ((query, number) <- queries.zipWithIndex) {
          tile.distances(number, out)
          for (row <- 0 until rows) {
            val expected = distance(metric, stored(row + 2), query.toVector)
            assert(
              math.abs(out(row) - expected) <= 1e-5 * (1 + math.abs(expected)) * dimension,
              s"$dimension items, row $row: ${out(row)} instead of $expected"
            )
          }
        }
      }
    }

  test("a vector of zeros has no cosine") {
    for (item <- Seq(VectorItem.Float32, VectorItem.Float64)) {
      val tile = VectorTile.of(vectors(item, 2), Metric.Cosine, Vector(Array(1.0, 1.0)))
      tile.load(block(item, Vector(Vector(0.0, 0.0), Vector(2.0, 0.0))), 0, 2)
      val out = new Array[Float](2)
      tile.distances(0, out)
      assert(out(0).isNaN && math.abs(out(1) - 0.29289323) < 1e-6)
    }
  }

  test("a query that does not fit the column is refused") {
    def message(item: VectorItem, query: Double*): String = intercept[LanceUsageException](
      Query.fitted(new Query(Vector(query.toArray)), vectors(item, 2))
    ).getMessage
    assert(
      message(VectorItem.Float32, 1, 2, 3) ==
        "The query vector has 3 items, but the vectors of column 'v' have 2. Give a vector of 2 items."
    )
    assert(message(VectorItem.Float64, 1, Double.NaN).contains("NaN"))
    assert(message(VectorItem.UInt8, 1, 256).contains("whole numbers from 0 to 255"))
    assert(message(VectorItem.Int8, 0.5, 1).contains("whole numbers from -128 to 127"))
    val two = new Query(Vector(Array(1.0, 2.0), Array(1.0, 2.0)))
    val several = intercept[LanceUsageException](Query.fitted(two, vectors(VectorItem.Float32, 2))).getMessage
    assert(several.startsWith("A query of 2 vectors was given for column 'v'"))
    assert(Query.fitted(two, vectors(VectorItem.Float32, 2).copy(isMulti = true)) == two)
  }

  test("a query takes the precision of the column") {
    def fitted(item: VectorItem) =
      Query.fitted(new Query(Vector(Array(0.1))), vectors(item, 1)).vectors.head.head
    assert(fitted(VectorItem.Float32) == 0.1f.toDouble)
    assert(fitted(VectorItem.Float16) == Halves.number(Halves.bits(0.1)))
    assert(fitted(VectorItem.Float64) == 0.1)
  }

  test("columns of vectors are recognized") {
    def field(kind: LogicalType, children: Field*) =
      Field(1, "v", kind, nullable = true, children.toVector)
    val plain = LogicalType.FixedSizeList(LogicalType.FloatingPoint(32), 4)
    assert(VectorColumn.of(field(plain)).exists(c => c.dimension == 4 && c.width == 16 && !c.isMulti))
    val list = LogicalType.List(large = false, ofStruct = false)
    assert(VectorColumn.of(field(list, field(plain))).exists(c => c.isMulti && c.dimension == 4))
    assert(VectorColumn.of(field(list, field(list, field(plain)))).isEmpty)
    assert(VectorColumn.of(field(LogicalType.FixedSizeList(
      LogicalType.Integer(32, signed = true),
      4
    ))).isEmpty)
    assert(VectorColumn.of(field(LogicalType.FloatingPoint(32))).isEmpty)
  }

  test("metrics have names") {
    assert(Metric.all.forall(m => Metric.parse(m.name.toUpperCase).contains(m)))
    assert(Metric.parse("Euclidean").contains(Metric.L2) && Metric.parse("l1").isEmpty)
  }
}

object VectorTileSuite {

  val items: Vector[VectorItem] = Vector(
    VectorItem.Float16,
    VectorItem.BFloat16,
    VectorItem.Float32,
    VectorItem.Float64,
    VectorItem.Int8,
    VectorItem.UInt8
  )

  private val stored: Map[VectorItem, LogicalType] = Map(
    VectorItem.Float16 -> LogicalType.FloatingPoint(16),
    VectorItem.BFloat16 -> LogicalType.BFloat16,
    VectorItem.Float32 -> LogicalType.FloatingPoint(32),
    VectorItem.Float64 -> LogicalType.FloatingPoint(64),
    VectorItem.Int8 -> LogicalType.Integer(8, signed = true),
    VectorItem.UInt8 -> LogicalType.Integer(8, signed = false)
  )

  def vectors(item: VectorItem, dimension: Int): VectorColumn =
    VectorColumn.of(Field(
      1,
      "v",
      LogicalType.FixedSizeList(stored(item), dimension),
      nullable = true
    )).getOrElse(throw new NoSuchElementException(item.name))

  /** A number that such an item holds exactly. */
  def sample(item: VectorItem, random: Random): Double = item match {
    case VectorItem.Float16 => Halves.number(Halves.bits(random.nextGaussian()))
    case VectorItem.BFloat16 => (random.nextInt(256) - 128) / 64.0
    case VectorItem.Float32 => random.nextGaussian().toFloat.toDouble
    case VectorItem.Float64 => random.nextGaussian()
    case VectorItem.Int8 => (random.nextInt(256) - 128).toDouble
    case VectorItem.UInt8 => random.nextInt(256).toDouble
  }

  /** The stored form of an item. */
  def bits(item: VectorItem, value: Double): Long = item match {
    case VectorItem.Float16 => Halves.bits(value).toLong
    case VectorItem.BFloat16 => (java.lang.Float.floatToRawIntBits(value.toFloat) >>> 16).toLong
    case VectorItem.Float32 => java.lang.Float.floatToRawIntBits(value.toFloat).toLong
    case VectorItem.Float64 => java.lang.Double.doubleToRawLongBits(value)
    case VectorItem.Int8 | VectorItem.UInt8 => value.toLong
  }

  def block(item: VectorItem, rows: Seq[Seq[Double]]): DataBlock = {
    val items = DataBlock.forShape(ValueShape.FixedWidth(8 * item.bytes))
    rows.flatten.foreach(value => Blocks.append(items, bits(item, value)))
    items
  }

  def distance(metric: Metric, a: Seq[Double], b: Seq[Double]): Double = {
    def product(x: Seq[Double], y: Seq[Double]) = x.zip(y).map { case (i, j) => i * j }.sum
    metric match {
      case Metric.L2 => a.zip(b).map { case (x, y) => (x - y) * (x - y) }.sum
      case Metric.Dot => 1 - product(a, b)
      case Metric.Cosine => 1 - product(a, b) / math.sqrt(product(a, a) * product(b, b))
      case Metric.Hamming => a.zip(b).map { case (x, y) => Integer.bitCount(x.toInt ^ y.toInt) }.sum.toDouble
    }
  }
}
