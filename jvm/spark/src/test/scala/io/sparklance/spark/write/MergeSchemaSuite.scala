package io.sparklance.spark.write

import org.apache.spark.sql.{AnalysisException, DataFrame, Row}

import io.sparklance.dataset.Dataset
import io.sparklance.io.LocalStore
import io.sparklance.proto.transaction.Transaction
import io.sparklance.spark.SparkSuite
import io.sparklance.table.transaction.Operation

/** Appends of rows with columns of their own. */
final class MergeSchemaSuite extends SparkSuite {

  private def table(): String = {
    val path = freshPath()
    sql("SELECT 1 AS id, 'one' AS name, named_struct('a', 10) AS s").write.format("lance").save(path)
    path
  }

  private def merge(frame: DataFrame, path: String, options: (String, String)*): Unit =
    frame.write.format("lance").mode("append").option("mergeSchema", "true").options(options.toMap).save(path)

  test("new columns follow the others and are null where nothing was written, in one version") {
    val path = table()
    merge(sql("SELECT 2.5D AS score, 2 AS ID, array(named_struct('x', 1)) AS more"), path)
    val read = load(path)
    assert(read.columns.toSeq == Seq("id", "name", "s", "score", "more"))
    assert(rows(read) == Set(Row(1, "one", Row(10), null, null), Row(2, null, null, 2.5, Seq(Row(1)))))
    assert(Dataset.open(LocalStore, path).version == 2)
    merge(sql("SELECT 3 AS id, 'three' AS name"), path)
    assert(load(path).columns.length == 5 && load(path).count() == 3)
    assert(load(path).where("score IS NULL").count() == 2)
  }

  test("without the option, columns that the table lacks are named with the option") {
    val path = table()
    def append(frame: DataFrame): Unit = frame.write.format("lance").mode("append").save(path)
    Seq(
      "SELECT 2 AS id, 'two' AS name, named_struct('a', 1) AS s, 2.5D AS score, 1 AS more" ->
        "lacks: score, more.",
      "SELECT 2 AS ID, 2.5D AS score" -> "lacks: score.",
      "SELECT 2 AS id, 'two' AS name, named_struct('a', 1, 'b', 2) AS s" -> "lacks: s.b."
    ).foreach { case (rows, named) =>
      val error = refusal(append(sql(rows)))
      assert(error.contains(named) && error.contains("option 'mergeSchema' = 'true'"), rows)
    }
    assert(load(path).count() == 1)
  }

  test("structs get new fields, also in lists, and in maps none") {
    val path = freshPath()
    val narrow = "named_struct('a', 1)"
    sql(s"SELECT $narrow AS s, array($narrow) AS l, map('k', $narrow) AS m").write.format("lance").save(path)
    val wider = "named_struct('a', 2, 'b', 'x')"
    merge(sql(s"SELECT $wider AS s, array($wider) AS l, map('k', $narrow) AS m"), path)
    assert(rows(load(path).selectExpr("s.b", "l[0].b", "m['k'].a", "s.a + l[0].a")) ==
      Set(Row(null, null, 1, 2), Row("x", "x", 1, 4)))
    assert(refusal(merge(sql(s"SELECT map('k', $wider) AS m"), path)).contains(
      "'m.value.b' would be a new field, or have another type, within the map 'm'"
    ))
    assert(load(path).count() == 2 && dataFiles(path).size == 2)
  }

  test("a column of another type keeps its own, and a wider number is refused by name") {
    val path = table()
    merge(sql("SELECT CAST(2 AS SMALLINT) AS id, 'two' AS name"), path)
    assert(load(path).schema("id").dataType.sql == "INT" && load(path).count() == 2)
    assert(refusal(merge(sql("SELECT 3L AS id"), path)).contains("widening column 'id' from int to bigint"))
    assert(refusal(merge(sql("SELECT 3 AS id, named_struct('a', 1.5D) AS s"), path)).contains("column 's.a'"))
    assert(intercept[Exception](merge(sql("SELECT true AS id"), path)).getMessage.contains("`id`"))
    assert(load(path).count() == 2 && dataFiles(path).size == 2)
  }

  test("NOT NULL columns are required, and new ones are nullable in any case") {
    val path = freshPath()
    withTable { t =>
      sql(s"CREATE TABLE $t (id INT NOT NULL, name STRING) USING lance LOCATION '$path'")
      val missing = intercept[Exception](merge(sql("SELECT 'x' AS name, 1 AS more"), path))
      assert(missing.getMessage.contains("`id`"))
      merge(sql("SELECT 1 AS id, 1 AS more"), path)
      assert(load(path).schema("more").nullable && !load(path).schema("id").nullable)
      val nulls = intercept[Exception](merge(sql("SELECT CAST(NULL AS INT) AS id, 1 AS other"), path))
      assert(nulls.getMessage.contains("NULL"))
      assert(load(path).columns.length == 3)
    }
  }

  test("a name that Lance cannot hold and a missing table") {
    val path = freshPath()
    merge(sql("SELECT 1 AS id"), path)
    assert(load(path).count() == 1)
    assert(refusal(merge(sql("SELECT 2 AS id, 3 AS `a.b`"), path)).contains("a column named 'a.b'"))
  }

  test("concurrent appends stay, and columns that others add are a conflict") {
    val path = table()
    val before = Dataset.open(LocalStore, path)
    val merged = before.numbered(
      io.sparklance.spark.schemachange.MergedSchema.of(
        before.schema,
        sql("SELECT 1 AS id, 1L AS more").schema,
        before.fileVersion
      )
    )
    sql(
      "SELECT 5 AS id, 'five' AS name, named_struct('a', 1) AS s"
    ).write.format("lance").mode("append").save(path)
    val merging = new MergeCommit(before, merged, io.sparklance.spark.options.CommitOptions())
    assert(merging.publish(Vector.empty).nonEmpty)
    assert(load(path).columns.toSeq == Seq("id", "name", "s", "more") && load(path).count() == 2)
    assert(refusal(merging.publish(Vector.empty)).contains("conflicts with version"))
  }

  test("a column that others added and dropped meanwhile does not come back as a new one") {
    val path = table()
    val before = Dataset.open(LocalStore, path)
    val merged = before.numbered(
      io.sparklance.spark.schemachange.MergedSchema.of(
        before.schema,
        sql("SELECT 1 AS id, 1 AS more").schema,
        before.fileVersion
      )
    )
    merge(sql("SELECT 2 AS id, 7 AS other"), path)
    val fields = before.manifest.message.fields
    val dropping = Operation.Project(Transaction.Project(fields, preservesNullability = true))
    val _ = Dataset.open(LocalStore, path).commit(dropping)
    val merging = new MergeCommit(before, merged, io.sparklance.spark.options.CommitOptions())
    assert(refusal(merging.publish(Vector.empty)).contains("conflicts with version"))
    assert(load(path).columns.toSeq == Seq("id", "name", "s"))
  }

  test("a batch with new columns is written once") {
    val path = table()
    val batch = Seq("txnAppId" -> "job", "txnVersion" -> "1")
    merge(sql("SELECT 2 AS id, 1 AS more"), path, batch: _*)
    merge(sql("SELECT 2 AS id, 1 AS other"), path, batch: _*)
    assert(load(path).count() == 2 && load(path).columns.length == 4)
  }

  test("by name: saveAsTable and writeTo add columns, in one version") {
    withTable { t =>
      val path = freshPath()
      sql("SELECT 1 AS id").write.format("lance").save(path)
      sql(s"CREATE TABLE $t USING lance AS SELECT 1 AS id")
      for (name <- Seq(t, s"lance.`$path`")) {
        def append(columns: String) = sql(s"SELECT $columns").write.format("lance").mode("append")
          .option("mergeSchema", "true").saveAsTable(name)
        append("2.5D AS score, 2 AS ID")
        sql("SELECT 3 AS id, 'three' AS name").writeTo(name).option("mergeSchema", "true").append()
        sql(s"ALTER TABLE $name ALTER COLUMN name SET DEFAULT 'none'")
        append("4 AS id")
        val read = spark.table(name)
        assert(read.columns.toSeq == Seq("id", "score", "name"))
        assert(rows(read) == Set(
          Row(1, null, null),
          Row(2, 2.5, null),
          Row(3, null, "three"),
          Row(4, null, "none")
        ))
        assert(Dataset.open(LocalStore, if (name == t) root(t) else path).version == 5)
        val without = sql("SELECT 5 AS id, 1 AS other").write.format("lance").mode("append")
        assert(intercept[AnalysisException](without.saveAsTable(name)).getMessage.contains("Cannot write"))
        withSetting("spark.datasource.lance.mergeSchema", "true")(without.saveAsTable(name))
        assert(spark.table(name).where("other = 1").count() == 1)
        if (name != t) {
          merge(sql("SELECT 6 AS id"), path)
          assert(rows(load(path).where("id = 6")) == Set(Row(6, null, "none", null)))
        }
      }
    }
  }
}
