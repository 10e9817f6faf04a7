package io.sparklance.spark.catalog

import io.sparklance.dataset.Dataset
import io.sparklance.io.LocalStore
import io.sparklance.spark.SparkSuite
import io.sparklance.table.transaction.{KeyChanges, Operation}

/** TBLPROPERTIES and LOCATION of tables in the session catalog. */
final class TablePropertiesSuite extends SparkSuite {
  private def config(path: String): Map[String, String] = Dataset.open(LocalStore, path).config

  private def shown(table: String): Map[String, String] =
    sql(s"SHOW TBLPROPERTIES $table").collect().map(row => row.getString(0) -> row.getString(1)).toMap

  test("properties of the format are the table's config, from CREATE on; others are the metastore's") {
    withTable { t =>
      sql(
        s"CREATE TABLE $t (id INT) USING lance TBLPROPERTIES ('lance.auto_cleanup.interval' = '5', 'k' = 'v')"
      )
      assert(config(root(t)) == Map("lance.auto_cleanup.interval" -> "5"))
      assert(shown(t) == Map("lance.auto_cleanup.interval" -> "5", "k" -> "v"))
      sql(s"ALTER TABLE $t SET TBLPROPERTIES ('lance.auto_cleanup.interval' = '7', 'k' = 'w')")
      assert(config(root(t)) == Map("lance.auto_cleanup.interval" -> "7"))
      assert(shown(t) == Map("lance.auto_cleanup.interval" -> "7", "k" -> "w"))
      sql(s"ALTER TABLE $t UNSET TBLPROPERTIES ('lance.auto_cleanup.interval', 'k')")
      assert(config(root(t)).isEmpty && shown(t).isEmpty)
    }
  }

  test("properties of the format reach a table that is registered, and one that is replaced") {
    withTable { t =>
      val path = freshPath()
      spark.range(1).write.format("lance").save(path)
      sql(s"CREATE TABLE $t USING lance LOCATION '$path' TBLPROPERTIES ('lance.auto_cleanup.interval' = '5')")
      assert(config(path) == Map("lance.auto_cleanup.interval" -> "5"))
      sql(
        s"REPLACE TABLE $t USING lance LOCATION '$path' TBLPROPERTIES ('lance.compaction.batch_size' = '9') AS SELECT 1 AS x"
      )
      assert(config(path) == Map("lance.auto_cleanup.interval" -> "5", "lance.compaction.batch_size" -> "9"))
    }
  }

  test("a property that begins as ours and is none is refused, with the nearest that is") {
    withTable { t =>
      def create(property: String) =
        sql(s"CREATE TABLE $t (id INT) USING lance TBLPROPERTIES ('$property' = '1')")
      assert(refusal(create("lance.auto_cleanup.intervall")).contains("'lance.auto_cleanup.interval'"))
      assert(refusal(create("lance.write.maxRowsPerFiles")).contains("'maxRowsPerFile'"))
      assert(refusal(create("lance.maxRowsPerFile")).contains("'lance.write.maxRowsPerFile'"))
      val far = refusal(create("lance.nothing.of.the.kind"))
      assert(!far.contains("Did you mean") && far.contains("lance.auto_cleanup.interval, "))
      assert(!spark.catalog.tableExists(t))
      sql(s"CREATE TABLE $t (id INT) USING lance")
      def set(property: String) = sql(s"ALTER TABLE $t SET TBLPROPERTIES ('$property' = '1')")
      assert(refusal(set("lance.auto_cleanup.intervall")).contains("'lance.auto_cleanup.interval'"))
      assert(refusal(set("lance.write.maxRowsPerFiles")).contains("'maxRowsPerFile'"))
      assert(
        refusal(sql(s"ALTER TABLE $t SET TBLPROPERTIES ('lance.write.maxRowsPerFile' = 'x')")).contains("'x'")
      )
      sql(s"INSERT INTO $t VALUES (1)")
      assert(spark.table(t).count() == 1)
    }
  }

  test(
    "what an option says of one write, no property can say of all: they would count as done, or go elsewhere"
  ) {
    withTable { t =>
      val batch = "'lance.write.txnAppId' = 'job', 'lance.write.txnVersion' = '1'"
      def create(properties: String) =
        sql(s"CREATE TABLE $t (id INT) USING lance TBLPROPERTIES ($properties)")
      assert(refusal(create(batch)).contains("no property 'lance.write.txn"))
      create("k = 'v'")
      Seq(
        batch,
        "'lance.write.uncommitted' = 'a'",
        "'lance.write.BRANCH' = 'b'",
        "'lance.write.columns' = 'add'"
      ).foreach { properties =>
        val refused = refusal(sql(s"ALTER TABLE $t SET TBLPROPERTIES ($properties)"))
        assert(refused.contains("There can be no property"), properties)
      }
      // Other software may have set it.
      val theirs = Map("lance.write.txnAppId" -> Option("job"), "lance.write.txnVersion" -> Option("1"))
      val config = Operation.UpdateConfig.of(Some(KeyChanges.Merging(theirs)), None)
      Dataset.open(LocalStore, root(t)).commit(config)
      assert(refusal(sql(s"INSERT INTO $t VALUES (1)")).contains("UNSET the property"))
    }
  }

  test("the location of an external table can be set to another Lance table with the same columns") {
    withTable { t =>
      val (here, there, other) = (freshPath(), freshPath(), freshPath())
      spark.range(1).write.format("lance").save(here)
      spark.range(5).write.format("lance").save(there)
      spark.range(5).selectExpr("'x' AS id").write.format("lance").save(other)
      sql(s"CREATE TABLE $t USING lance LOCATION '$here' COMMENT 'stays' TBLPROPERTIES (k = 'v')")
      assert(refusal(sql(s"ALTER TABLE $t SET LOCATION '$other'")).contains("has other columns"))
      assert(
        refusal(sql(s"ALTER TABLE $t SET LOCATION '${freshPath()}'")).contains("there is no Lance table")
      )
      assert(spark.table(t).count() == 1)
      sql(s"ALTER TABLE $t SET LOCATION '$there'")
      assert(spark.table(t).count() == 5)
      assert(sql(s"DESCRIBE EXTENDED $t").where("col_name = 'Comment'").head().getString(1) == "stays")
      sql(s"DROP TABLE $t")
      assert(load(there).count() == 5 && load(here).count() == 1)
    }
  }

  test("that of a managed table cannot: DROP would remove what is there") {
    withTable { t =>
      val there = freshPath()
      spark.range(5).write.format("lance").save(there)
      sql(s"CREATE TABLE $t (id BIGINT) USING lance")
      assert(refusal(sql(s"ALTER TABLE $t SET LOCATION '$there'")).contains("it is managed"))
      sql(s"DROP TABLE $t")
      assert(load(there).count() == 5)
    }
  }

  test("CLUSTER BY and PARTITIONED BY are refused in the words of the statement") {
    withTable { t =>
      assert(refusal(
        sql(s"CREATE TABLE $t (a INT, b INT) USING lance CLUSTER BY (b, a)")
      ).contains("CLUSTER BY (b, a)"))
      assert(
        refusal(sql(s"CREATE TABLE $t (a INT) USING lance PARTITIONED BY (a)")).contains("PARTITIONED BY (a)")
      )
    }
  }
}
