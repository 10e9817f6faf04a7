package io.sparklance.spark.functions

import org.apache.spark.sql.Row
import org.apache.spark.sql.connector.catalog.CatalogPlugin
import org.apache.spark.sql.util.CaseInsensitiveStringMap
import org.scalacheck.Gen
import org.scalacheck.rng.Seed

import io.sparklance.spark.SparkSuite

final class FunctionsSuite extends SparkSuite {

  private def one(expression: String): Any = sql(s"SELECT $expression").head().get(0)

  private def floats(values: Float*) = values.map(v => s"CAST('$v' AS FLOAT)").mkString("array(", ", ", ")")

  test("lance.l2, lance.dot and lance.cosine are the reference's distances") {
    val (a, b) = (floats(1, 2, 3, 4, 5), floats(2, 0, 3, -1, 5))
    assert(one(s"lance.l2($a, $b)") == 30f)
    assert(one(s"lance.dot($a, $b)") == 1f - 32f)
    assert(one(s"lance.cosine($a, $b)") == (1 - 32 / (math.sqrt(55) * math.sqrt(39))).toFloat)
    assert(one(s"lance.system.l2($a, $a)") == 0f)
    assert(one(s"lance.cosine($a, ${floats(0, 0, 0, 0, 0)})").asInstanceOf[Float].isNaN)
    assert(one(s"lance.l2(CAST(array() AS ARRAY<FLOAT>), CAST(array() AS ARRAY<FLOAT>))") == 0f)
  }

  test("without a catalog's name, too: in SQL, subqueries, views, and expressions of DataFrames") {
    withTable { t =>
      sql(s"CREATE TABLE $t USING lance AS SELECT id, array(CAST(id AS FLOAT)) AS v FROM range(0, 5, 1, 1)")
      assert(one("L2(array(1F, 2F), array(1F, 0F))") == 4f && one("dot(array(2F), array(3F))") == -5f)
      assert(one("cosine(array(1F), array(1F))") == 0f)
      assert(sql(s"SELECT id FROM $t ORDER BY l2(v, array(3)) LIMIT 1").head() == Row(3L))
      assert(sql(s"SELECT max(l2(v, array(0))) FROM $t").head() == Row(16f))
      assert(sql(s"WITH w AS (SELECT l2(v, array(0)) AS d FROM $t) SELECT d FROM w WHERE d > 9").head() ==
        Row(16f))
      assert(sql(s"SELECT (SELECT max(l2(v, array(1))) FROM $t)").head() == Row(9f))
      assert(spark.table(t).where("row_address_offset(_rowaddr) = 2").select("id").head() == Row(2L))
      assert(sql("SELECT make_row_address(row_address_fragment(make_row_address(3, 4)), 4)").head() ==
        Row((3L << 32) + 4))
      sql(s"CREATE OR REPLACE TEMPORARY VIEW near AS SELECT id FROM $t WHERE l2(v, array(1)) < 1")
      assert(sql("SELECT * FROM near").collect().toSeq == Seq(Row(1L)))
      sql(s"CREATE VIEW ${t}_far AS SELECT id FROM $t WHERE l2(v, array(1)) > 4")
      try assert(sql(s"SELECT * FROM ${t}_far").collect().toSeq == Seq(Row(4L)))
      finally { val _ = sql(s"DROP VIEW ${t}_far") }
    }
    assert(intercept[Exception](one("l2(DISTINCT array(1), array(1))")).getMessage.contains("l2"))
    assert(intercept[Exception](one("l3(array(1), array(1))")).getMessage.contains("UNRESOLVED_ROUTINE"))
  }

  test("in whatever catalog the session is, also one that has no functions") {
    spark.conf.set("spark.sql.catalog.plain", classOf[CatalogWithoutFunctions].getName)
    try Seq("lance", "plain").foreach { catalog =>
        sql(s"USE $catalog")
        assert(one("l2(array(1F, 2F), array(1F, 0F))") == 4f)
      }
    finally {
      sql("USE spark_catalog.default")
      spark.conf.unset("spark.sql.catalog.plain")
    }
  }

  test("a user's function goes before ours of that name") {
    spark.udf.register("dot", (a: Int, b: Int) => s"$a.$b")
    try assert(one("dot(1, 2)") == "1.2")
    finally { val _ = sql("DROP TEMPORARY FUNCTION dot") }
    assert(one("dot(array(1F), array(1F))") == 0f)
    sql("CREATE FUNCTION cosine(x DOUBLE) RETURNS DOUBLE RETURN cos(x)")
    try assert(one("cosine(0D)") == 1.0 && one("lance.cosine(array(1F), array(1F))") == 0f)
    finally { val _ = sql("DROP FUNCTION cosine") }
  }

  test("doubles, numbers of other types and plain literals") {
    assert(one("lance.l2(array(1.5D, 2D), array(1D, 0D))") == 4.25)
    assert(one("lance.l2(array(1.5, 2.0), array(1, 0))") == 4.25f)
    assert(one("lance.l2(array(1.5D, 2D), array(1, 0))") == 4.25)
    assert(sql("SELECT lance.l2(array(1.5), array(1)) AS d").schema("d").dataType.typeName == "float")
    assert(
      intercept[Exception](one("lance.l2(array('a'), array(1))")).getMessage.contains("two arrays of numbers")
    )
    assert(intercept[Exception](one("lance.l2(array(1))")).getMessage.contains("two arrays of numbers"))
  }

  test("null arrays, null items and lengths that differ") {
    assert(one(s"lance.l2(${floats(1)}, CAST(NULL AS ARRAY<FLOAT>))") == null)
    assert(one("lance.l2(array(1F, NULL), array(1F, 2F))") == null)
    assert(refusal(one("lance.dot(array(1F), array(1F, 2F))")).contains("one has 1 items and the other 2"))
  }

  test("parts of row addresses") {
    withTable { t =>
      sql(s"CREATE TABLE $t USING lance AS SELECT id FROM range(0, 10, 1, 2)")
      val parts = sql(
        s"SELECT lance.row_address_fragment(_rowaddr) = _fragid, " +
          s"lance.make_row_address(_fragid, lance.row_address_offset(_rowaddr)) = _rowaddr FROM $t"
      )
      assert(rows(parts) == Set(Row(true, true)))
      assert(rows(sql(s"SELECT lance.row_address_offset(_rowaddr) FROM $t")) == (0L to 4L).map(Row(_)).toSet)
      assert(one("lance.row_address_offset(NULL)") == null)
      assert(refusal(one("lance.make_row_address(-1, 0)")).contains("make_row_address(-1, 0)"))
      assert(
        intercept[Exception](one("lance.row_address_offset(1, 2)")).getMessage.contains("takes (address)")
      )
    }
  }

  test("over columns of vectors, in filters, orders and joins") {
    val path = freshPath()
    spark.range(0, 200, 1, 3)
      .selectExpr(
        "id",
        "transform(sequence(0, 15), i -> CAST(id + i AS FLOAT)) AS v",
        "CAST(id AS DOUBLE) AS d"
      )
      .write.format("lance").option(
        "v.arrow.fixed-size-list.size",
        16
      ).option("v.arrow.float16", true).save(path)
    load(path).createOrReplaceTempView("vectors")
    val query = "transform(sequence(0, 15), i -> CAST(50 + i AS FLOAT))"
    assert(sql(s"SELECT id, lance.l2(v, $query) AS d FROM vectors ORDER BY d LIMIT 1").head() == Row(50L, 0f))
    assert(sql(
      s"SELECT id FROM vectors ORDER BY lance.l2(v, $query), id LIMIT 3"
    ).collect().map(_.getLong(0)).toSeq ==
      Seq(50L, 49L, 51L))
    assert(sql(s"SELECT id FROM vectors WHERE lance.l2(v, $query) < 17").count() == 3)
    assert(sql("SELECT * FROM vectors a JOIN vectors b ON lance.l2(a.v, b.v) = 0").count() == 200)
    assert(sql(s"SELECT max(abs(lance.l2(v, $query) - 16 * (id - 50) * (id - 50))) FROM vectors").head() ==
      Row(0.0))
  }

  test("sums of any length are those of the plain loop") {
    val vectors = Gen.choose(0, 40).flatMap(n =>
      Gen.zip(Gen.listOfN(n, Gen.choose(-10.0, 10.0)), Gen.listOfN(n, Gen.choose(-10.0, 10.0)))
    )
    (0L until 100L).foreach { seed =>
      val (a, b) = vectors.pureApply(Gen.Parameters.default, Seed(seed))
      val (doublesA, doublesB) = (a.toArray, b.toArray)
      val (floatsA, floatsB) = (doublesA.map(_.toFloat), doublesB.map(_.toFloat))
      val l2 = a.zip(b).map { case (x, y) => (x - y) * (x - y) }.sum
      val dot = 1 - a.zip(b).map { case (x, y) => x * y }.sum
      assert(math.abs(DistanceFormula.L2.of(doublesA, doublesB) - l2) < 1e-9)
      assert(math.abs(DistanceFormula.L2.of(floatsA, floatsB) - l2) < 1e-3)
      assert(math.abs(DistanceFormula.Dot.of(doublesA, doublesB) - dot) < 1e-9)
      assert(math.abs(DistanceFormula.Dot.of(floatsA, floatsB) - dot) < 1e-3)
    }
  }
}

final class CatalogWithoutFunctions extends CatalogPlugin {
  override def initialize(name: String, options: CaseInsensitiveStringMap): Unit = ()
  override def name(): String = "plain"
}
