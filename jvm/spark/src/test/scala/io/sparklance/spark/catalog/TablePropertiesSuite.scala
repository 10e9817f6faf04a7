package io.sparklance.spark.catalog

import io.sparklance.data.FileVersion
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

  test("options for new tables among the properties count without AS SELECT, and OPTIONS win") {
    withTable { t =>
      val properties =
        "TBLPROPERTIES ('lance.write.dataStorageVersion' = '2.0', 'lance.write.enableStableRowIds' = 'true')"
      sql(s"CREATE TABLE $t (id INT) USING lance $properties")
      val made = Dataset.open(LocalStore, root(t))
      assert(made.fileVersion == FileVersion.V2_0 && made.hasStableRowIds)
      sql(s"REPLACE TABLE $t (id INT) USING lance OPTIONS (dataStorageVersion = '2.1') $properties")
      assert(Dataset.open(LocalStore, root(t)).fileVersion == FileVersion.V2_1)
    }
  }

  test("an unknown property with our prefix is refused, with the nearest known one") {
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

  test("names of the reference connector stand for ours, in properties and options") {
    val properties = Seq(
      "file_format_version" -> "2.1",
      "Enable_Stable_Row_Ids" -> "true",
      "max_row_per_file" -> "2",
      "b.lance.encoding" -> "blob",
      "s.lance.compression" -> "zstd",
      "s.arrow.large_var_char" -> "true"
    ).map { case (key, value) => s"'$key' = '$value'" }.mkString(", ")
    withTable { t =>
      Seq(t, s"lance.`${freshPath()}`").foreach { table =>
        sql(s"CREATE TABLE $table (id INT, b BINARY, s STRING) USING lance TBLPROPERTIES ($properties)")
        sql(s"INSERT INTO $table SELECT /*+ COALESCE(1) */ id, X'00', 'x' FROM range(4)")
        val root = sql(s"DESCRIBE DETAIL $table").head().getAs[String]("location")
        val made = Dataset.open(LocalStore, root.stripPrefix("file:"))
        assert(made.fileVersion.name == "2.1" && made.hasStableRowIds && made.fragments.size == 2, table)
        val column = made.schema.fields.find(_.name == "s").get
        assert(column.metadata.get("lance-encoding:compression").contains("zstd"))
        assert(io.sparklance.schema.LogicalTypes.print(column.logicalType) == "large_string")
        assert(made.schema.fields.exists(field => field.name == "b" && field.isBlob))
        assert(sql(
          s"SHOW TBLPROPERTIES $table"
        ).collect().map(_.getString(0)).contains("lance.write.maxRowsPerFile"))
        sql(s"ALTER TABLE $table SET TBLPROPERTIES ('max_row_per_file' = '1')")
        sql(s"INSERT INTO $table SELECT /*+ COALESCE(1) */ id, X'00', 'x' FROM range(2)")
        sql(s"ALTER TABLE $table UNSET TBLPROPERTIES ('max_row_per_file')")
        sql(s"INSERT INTO $table SELECT /*+ COALESCE(1) */ id, X'00', 'x' FROM range(2)")
        assert(Dataset.open(LocalStore, made.root).fragments.size == 5, table)
      }
      val late = s"ALTER TABLE $t SET TBLPROPERTIES ('s.lance.compression' = 'lz4')"
      assert(refusal(sql(late)).contains("s.lance-encoding:compression"))
      val ids = s"ALTER TABLE $t SET TBLPROPERTIES ('enable_stable_row_ids' = 'true')"
      assert(refusal(sql(ids)).contains("CALL lance.system.enable_stable_row_ids"))
      val twice = "'max_row_per_file' = '1', 'lance.write.maxRowsPerFile' = '2'"
      assert(
        refusal(sql(s"CREATE TABLE ${t}_2 (a INT) USING lance TBLPROPERTIES ($twice)")).contains("twice")
      )
    }
    val path = freshPath()
    spark.range(4).coalesce(1).write.format("lance").option("max_row_per_file", 2)
      .option("data_storage_version", "2.0").save(path)
    val written = Dataset.open(LocalStore, path)
    assert(written.fragments.size == 2 && written.fileVersion.name == "2.0")
    assert(spark.read.format("lance").option("batch_size", 2).load(path).count() == 4)
    assert(refusal(spark.read.format("lance").option("index_cache_size", 2).load(path)).contains("not known"))
    assert(refusal(spark.read.format("lance").option("batch_size", "x").load(path)).contains("batchSize"))
  }

  test("names of the reference connector without a meaning here, and of jobs, are refused with a cure") {
    withTable { t =>
      def create(table: String)(property: (String, String)) = sql(
        s"CREATE TABLE $table (id INT, b BINARY, s STRING) USING lance TBLPROPERTIES ('${property._1}' = '${property._2}')"
      )
      val cures = Seq(
        ("file_format_version", "legacy") -> "it must be one of 2.0",
        ("max_row_per_file", "-1") -> "a number of rows",
        ("Batch_Size", "1") -> "Set 'batchSize' as an option of reads",
        ("build_mode", "x") -> "Leave it out",
        ("b.lance.encoding", "packed") -> "Set 'b.lance-encoding:…'",
        ("s.arrow.large_var_char", "false") -> "Leave it out: columns of texts may have any size",
        ("s.lance.nothing", "1") -> "Leave it out: 'lance.nothing' is no setting",
        ("topN_push_down", "true") -> "Leave it out",
        ("pushDownFilters", "true") -> "Set 'pushDownFilters' as an option of reads",
        ("LANCE.Write.maxRowsPerFile", "1") -> "Did you mean 'lance.write.maxRowsPerFile'?",
        ("maxrowsPerFile", "1") -> "set 'lance.write.maxrowsPerFile'",
        ("sparklance.job", "1") -> "cannot be set",
        ("SparkLance.job", "1") -> "cannot be set"
      )
      cures.foreach { case (property, cure) =>
        Seq(t, s"lance.`${freshPath()}`").foreach { table =>
          val said = refusal(create(table)(property))
          assert(said.contains(cure), said)
        }
      }
      create(t)("batch_size_of_mine" -> "1")
      cures.foreach { case ((name, value), cure) =>
        assert(refusal(sql(s"ALTER TABLE $t SET TBLPROPERTIES ('$name' = '$value')")).contains(cure), name)
      }
      sql(s"ALTER TABLE $t UNSET TBLPROPERTIES ('batch_size_of_mine', 'build_mode')")
    }
  }

  test(
    "options of a single write cannot be properties: later writes would count as done, or go elsewhere"
  ) {
    withTable { t =>
      val batch = "'lance.write.txnAppId' = 'job', 'lance.write.txnVersion' = '1'"
      def create(properties: String) =
        sql(s"CREATE TABLE $t (id INT) USING lance TBLPROPERTIES ($properties)")
      assert(refusal(create(batch)).contains("'lance.write.txnAppId' cannot be a property of a table"))
      create("k = 'v'")
      Seq(
        batch,
        "'lance.write.uncommitted' = 'a'",
        "'lance.write.BRANCH' = 'b'",
        "'lance.write.columns' = 'add'"
      ).foreach { properties =>
        val refused = refusal(sql(s"ALTER TABLE $t SET TBLPROPERTIES ($properties)"))
        assert(refused.contains("cannot be a property of a table"), properties)
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

  test("the location of a managed table cannot be set: DROP would remove the other table") {
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

  private val columns = "id INT, v ARRAY<FLOAT>, d STRING, f FLOAT, b BINARY, s STRUCT<a: INT>, c VARCHAR(5)"

  /** Settings of columns that are none, or do not fit, and what errors say. */
  private val wrong = Seq(
    "v.arrow.fixed_size_list.size" -> "2" -> "Did you mean 'arrow.fixed-size-list.size'",
    "v.fixed-size-list.size" -> "2" -> "Did you mean 'arrow.fixed-size-list.size'",
    "v.arrow.size" -> "2" -> "no such setting exists",
    "vv.arrow.fixed_size_list.size" -> "2" -> "no such setting exists",
    "arrow.fixed-size-list.size" -> "2" -> "Write <column>.<key>",
    "v.arrow.float32" -> "true" -> "no such setting exists",
    "f.float16" -> "true" -> "no such setting exists",
    "f.arrow-float16" -> "true" -> "no such setting exists",
    "c.arrow.large_var_char" -> "false" -> "(docs/options.md)",
    "b.lance-encoding:blbo" -> "true" -> "Did you mean 'lance-encoding:blob'",
    "b.lance.encoding.blob" -> "true" -> "no such setting exists",
    "d.ARROW:extension" -> "lance.json" -> "no such setting exists",
    "d.ARROW:extension:metadata" -> "" -> "no such setting exists",
    "id.lance-schema:primary-key" -> "1" -> "no such setting exists",
    "no.arrow.fixed-size-list.size" -> "2" -> "for a column that does not exist",
    "v.arrow.fixed-size-list.size" -> "two" -> "it must be a number, 1 or more",
    "v.arrow.fixed-size-list.size" -> "0" -> "it must be a number, 1 or more",
    "d.arrow.fixed-size-list.size" -> "2" -> "it is for an ARRAY, but the column is string",
    "id.arrow.float16" -> "true" -> "it is for a FLOAT or a vector of FLOAT, but the column is int",
    "v.arrow.float16" -> "true" -> "'v.item.arrow.float16'",
    "f.arrow.float16" -> "yes" -> "it must be true or false",
    "id.ARROW:extension:name" -> "lance.json" -> "it is for a STRING without a length, but the column is int",
    "c.ARROW:extension:name" -> "lance.json" -> "a STRING without a length",
    "d.ARROW:extension:name" -> "lance.jsn" -> "it must be lance.json, arrow.json",
    "d.lance-encoding:blob" -> "true" -> "it is for a BINARY, but the column is string",
    "s.lance-encoding:blob" -> "true" -> "it is for a BINARY",
    "b.lance-encoding:blob" -> "yes" -> "it must be true or false",
    "d.lance-encoding:packed" -> "true" -> "it is for a STRUCT"
  ).map { case ((key, value), why) => (key, value, why) }

  wrong.foreach { case (key, value, why) =>
    test(s"'$key' = '$value' is refused wherever a table is made or altered") {
      withTable { t =>
        val path = freshPath()
        val clause = s"TBLPROPERTIES ('$key' = '$value')"
        Seq(s"$t ($columns) USING lance", s"lance.`$path` ($columns)").foreach { table =>
          val message = refusal(sql(s"CREATE TABLE $table $clause"))
          assert(message.contains(s"'$key'") && message.contains(why), message)
          assert(refusal(sql(s"CREATE OR REPLACE TABLE $table $clause")).contains(s"'$key'"))
        }
        assert(!spark.catalog.tableExists(t))
        sql(s"CREATE TABLE $t ($columns) USING lance")
        sql(s"CREATE TABLE lance.`$path` ($columns)")
        Seq(t, s"lance.`$path`").foreach { table =>
          assert(refusal(sql(s"ALTER TABLE $table SET $clause")).contains(s"'$key'"))
        }
      }
    }
  }

  test("settings of two kinds of floats are refused") {
    withTable { t =>
      val message = refusal(
        sql(
          s"CREATE TABLE $t (f FLOAT) USING lance TBLPROPERTIES ('f.arrow.float16' = 'true', 'f.arrow.bfloat16' = 'true')"
        )
      )
      assert(message.contains("both half floats and bfloat16"))
    }
  }

  test("a setting of a column that exists comes too late, unless it says what the column is") {
    withTable { t =>
      withTable { u =>
        sql(s"CREATE TABLE $t ($columns) USING lance TBLPROPERTIES ('v.arrow.fixed-size-list.size' = '2')")
        sql(s"INSERT INTO $t VALUES (1, NULL, NULL, NULL, NULL, NULL, NULL)")
        val late = Seq(
          "v.arrow.fixed-size-list.size" -> "3",
          "d.ARROW:extension:name" -> "lance.json",
          "f.arrow.float16" -> "true",
          "b.lance-encoding:blob" -> "true",
          "d.lance-encoding:compression" -> "zstd"
        )
        late.foreach { case (key, value) =>
          def refused(body: => Any): Unit = {
            val message = refusal(body)
            // Options may come in lower case.
            val said = s"'$key' = '$value' comes too late".toLowerCase
            val _ = assert(message.toLowerCase.contains(said), message)
          }
          refused(sql(s"ALTER TABLE $t SET TBLPROPERTIES ('$key' = '$value')"))
          refused(spark.table(t).write.format("lance").option(key, value).mode("append").save(root(t)))
          refused(spark.table(t).writeTo(t).option(key, value).append())
          refused(sql(s"CREATE TABLE $u USING lance LOCATION '${root(t)}' TBLPROPERTIES ('$key' = '$value')"))
          refused(sql(
            s"CREATE TABLE $u ($columns) USING lance LOCATION '${root(t)}' TBLPROPERTIES ('$key' = '$value')"
          ))
        }
        val same = "v.arrow.fixed-size-list.size"
        spark.table(t).write.format("lance").option(same, 2).mode("append").save(root(t))
        sql(s"ALTER TABLE $t SET TBLPROPERTIES ('$same' = '2', 'mine.arrow.version' = '5', 'id.note' = 'a')")
        sql(s"CREATE TABLE $u USING lance LOCATION '${root(t)}' TBLPROPERTIES ('$same' = '2')")
        assert(spark.table(u).count() == 2)
        assert(spark.table(t).count() == 2)
      }
    }
  }

  test("columns that mergeSchema adds are what the options say") {
    val path = freshPath()
    sql("SELECT 1 AS id").write.format("lance").save(path)
    sql("SELECT 2 AS id, array(1F, 2F) AS v").write.format("lance").mode("append")
      .option("mergeSchema", "true").option("v.arrow.fixed-size-list.size", 2).save(path)
    assert(load(path).schema("v").metadata.getLong("arrow.fixed-size-list.size") == 2)
  }

  test(
    "a STRING is JSON by a property or an option, in any case, and bad JSON is refused when it is written"
  ) {
    withTable { t =>
      val path = freshPath()
      val json = "TBLPROPERTIES ('d.ARROW:extension:name' = 'lance.json')"
      sql(
        s"CREATE TABLE $t (id INT, d STRING, l ARRAY<STRING>) USING lance " +
          "TBLPROPERTIES ('d.arrow:extension:NAME' = 'arrow.json', 'l.item.ARROW:extension:name' = 'lance.json')"
      )
      sql(s"CREATE TABLE lance.`$path` $json AS SELECT 1 AS id, '{\"a\": 1}' AS d")
      sql(s"""INSERT INTO $t VALUES (1, '{"a": [1, 2]}', array('1', NULL)), (2, NULL, NULL)""")
      Seq(root(t), path).foreach { place =>
        val field = Dataset.open(LocalStore, place).schema.fields(1)
        assert(field.logicalType == io.sparklance.schema.LogicalType.Json, field)
      }
      assert(spark.table(t).select("d").collect().map(_.getString(0)).toSet == Set("""{"a":[1,2]}""", null))
      Seq(s"$t VALUES (3, '{bad', NULL)", s"lance.`$path` VALUES (3, '{bad')").foreach { rows =>
        assert(refusal(sql(s"INSERT INTO $rows")).contains("JSON"))
      }
      val other = freshPath()
      sql("SELECT 1 AS id, '[]' AS d").write.format("lance").option(
        "d.ARROW:extension:name",
        "lance.json"
      ).save(other)
      assert(Dataset.open(LocalStore, other).schema.fields(1).logicalType ==
        io.sparklance.schema.LogicalType.Json)
    }
  }
}
