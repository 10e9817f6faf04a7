package io.sparklance.spark.write

import org.apache.spark.sql.functions.{col, lit}
import org.apache.spark.sql.{DataFrame, Row}

import io.sparklance.dataset.Dataset
import io.sparklance.io.LocalStore
import io.sparklance.spark.SparkSuite

/** Rows that replace those which fulfil a condition. */
final class OverwriteByFilterSuite extends SparkSuite {

  /** Ids from 0 to 99 in ten fragments, every seventh name null. */
  private def withNumbers(body: String => Any): Unit = withTable { t =>
    sql(s"CREATE TABLE $t (id BIGINT, name STRING) USING lance")
    numbers(0, 100).writeTo(t).option("maxRowsPerFile", "10").append()
    val _ = body(t)
  }

  private def numbers(from: Long, until: Long): DataFrame = spark.range(from, until, 1, 1)
    .selectExpr("id", "CASE WHEN id % 7 != 0 THEN concat('n', id % 10) END AS name")

  private def dataset(t: String): Dataset = Dataset.open(LocalStore, root(t))

  private def ids(t: String): Seq[Long] =
    sql(s"SELECT id FROM $t ORDER BY id").collect().map(_.getLong(0)).toSeq

  test("rows that satisfy the condition are replaced by new ones, in one version") {
    withNumbers { t =>
      numbers(20, 23).writeTo(t).overwrite(col("id") >= 15 && col("id") < 42)
      assert(ids(t) == (0L until 15L) ++ Seq(20L, 21L, 22L) ++ (42L until 100L))
      val now = dataset(t)
      assert(now.version == 3 && now.countRows == 76)
      // Fragments 2 and 3 had no other rows; 1 and 4 have some left.
      assert(now.fragments.map(_.id) == Seq(0L, 1L, 4L, 5L, 6L, 7L, 8L, 9L, 10L))
      assert(now.fragments.filter(_.deletionFile.nonEmpty).map(_.id) == Seq(1L, 4L))
      assert(sql(s"SELECT count(*) FROM $t VERSION AS OF 2").head().getLong(0) == 100)
    }
  }

  test("REPLACE WHERE does the same, and again the rows that are deleted stay deleted") {
    withNumbers { t =>
      sql(s"INSERT INTO $t REPLACE WHERE NAME = 'n3' SELECT 200L, 'n3'")
      sql(s"INSERT INTO $t REPLACE WHERE name = 'n3' OR id < 5 SELECT 201L, 'n3'")
      val gone = (0L until 100L).filter(i => (i % 10 == 3 && i % 7 != 0) || i < 5)
      assert(ids(t) == (0L until 100L).filterNot(gone.contains) :+ 201L)
      assert(dataset(t).fragments.size == 11)
    }
  }

  test("a condition that is null for a row leaves it") {
    withNumbers { t =>
      numbers(0, 0).writeTo(t).overwrite(col("name") =!= "n1")
      val left = sql(s"SELECT id, name FROM $t").collect().toSeq
      assert(left.nonEmpty && left.forall(row => row.isNullAt(1) || row.getString(1) == "n1"))
      numbers(0, 0).writeTo(t).overwrite(col("name").isNull)
      assert(rows(sql(s"SELECT DISTINCT name FROM $t")) == Set(Row("n1")))
    }
  }

  test("a condition that no row fulfils adds rows only, and one that all do replaces the table") {
    withNumbers { t =>
      numbers(501, 502).writeTo(t).overwrite(col("id") > 500)
      assert(ids(t).size == 101)
      numbers(0, 0).writeTo(t).overwrite(col("id") > 600)
      assert(dataset(t).version == 3)
      numbers(7, 8).writeTo(t).overwrite(lit(true))
      assert(ids(t) == Seq(7L))
      numbers(8, 9).writeTo(t).overwrite(col("id") >= 0)
      assert(ids(t) == Seq(8L) && dataset(t).fragments.size == 1)
    }
  }

  test("rows that do not satisfy the condition are refused, and so is Delta's option; nothing is committed") {
    withTable { t =>
      sql(s"CREATE TABLE $t USING lance AS SELECT 1L AS id, DATE'2024-01-01' AS day")
      def replacing(day: String) = s"INSERT INTO $t REPLACE WHERE day = '2024-01-01' SELECT 2L, $day"
      Seq("DATE'2024-01-02'", "CAST(NULL AS DATE)").foreach(day =>
        assert(refusal(sql(replacing(day))).contains("does not satisfy (day = "))
      )
      val several =
        s"FROM VALUES (2L, DATE'2024-01-01') INSERT INTO $t REPLACE WHERE id = 1 SELECT * INSERT INTO $t SELECT *"
      assert(refusal(sql(several)).contains("does not satisfy (id = "))
      val other = sql("SELECT 2L AS id, DATE'2024-01-02' AS day")
      assert(refusal(other.writeTo(t).overwrite(col("id") === 1)).contains("does not satisfy (id = "))
      val option = other.write.format("lance").mode("overwrite").option("replaceWhere", "id = 1")
      assert(refusal(option.save(root(t))).contains("df.writeTo(table).overwrite(condition)"))
      assert(dataset(t).version == 1 && dataFiles(root(t)).size == 1)
      sql(replacing("DATE'2024-01-01'"))
      val predicate =
        sql(s"DESCRIBE HISTORY $t").where("version = 2").head().getAs[Map[
          String,
          String
        ]]("operationParameters")
      assert(predicate("predicate") == "day = DATE '2024-01-01'" && ids(t) == Seq(2L))
    }
  }

  test("a batch replaces once") {
    withNumbers { t =>
      def replace(): Unit =
        numbers(0, 3).writeTo(t).option("txnAppId", "job").option("txnVersion", "1").overwrite(
          col("id") < 50
        )
      replace()
      replace()
      assert(dataset(t).version == 3 && ids(t).size == 53)
    }
  }

  test("concurrent deletions and additions stay, and changes of the same rows conflict") {
    withNumbers { t =>
      val before = dataset(t)
      def replacing(where: String) = new ReplaceWhereCommit(
        before,
        new io.sparklance.spark.read.Pushdown(
          before.schema.fields,
          io.sparklance.spark.types.LossyValues.Fail
        )
          .translate(OverwriteByFilterSuite.below(where.toLong)).get,
        s"id < $where",
        io.sparklance.spark.options.CommitOptions()
      )
      numbers(100, 101).writeTo(t).append()
      numbers(0, 0).writeTo(t).overwrite(col("id") === 9)
      assert(replacing("5").publish(Vector.empty).nonEmpty)
      assert(ids(t) == (5L until 101L).filterNot(_ == 9))
      assert(refusal(replacing("10").publish(Vector.empty)).contains("that others deleted or changed"))
    }
  }

  test("a condition that we cannot evaluate, and dynamic overwrite, are refused, and nothing changes") {
    withNumbers { t =>
      val odd = intercept[Exception](numbers(0, 1).writeTo(t).overwrite(col("name").rlike("n.")))
      assert(odd.getMessage.contains("RLIKE") || odd.getMessage.toLowerCase.contains("overwrite"))
      val upper = intercept[Exception](
        numbers(0, 1).writeTo(t).overwrite(org.apache.spark.sql.functions.upper(col("name")) === "N1")
      )
      assert(upper.getMessage.toLowerCase.contains("overwrite"))
      val dynamic = intercept[Exception](numbers(0, 1).writeTo(t).overwritePartitions())
      assert(dynamic.getMessage.contains("dynamic overwrite"))
      assert(dataset(t).version == 2 && dataFiles(root(t)).size == 10)
    }
  }
}

object OverwriteByFilterSuite {
  import org.apache.spark.sql.connector.expressions.filter.Predicate
  import org.apache.spark.sql.connector.expressions.{Expression, Expressions}

  private def below(id: Long): Predicate =
    new Predicate("<", Array[Expression](Expressions.column("id"), Expressions.literal(id)))
}
