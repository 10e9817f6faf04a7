package io.sparklance.spark.procedures

import java.nio.file.{Files, Path}

import org.apache.spark.sql.{DataFrame, Row}

import io.sparklance.spark.SparkSuite

class ProceduresSuite extends SparkSuite {

  private def numbers(from: Int, until: Int): DataFrame = spark.range(from, until).toDF("id")

  /** A table of three versions: 10, 15 and 18 rows. */
  private def table(): String = {
    val path = freshPath()
    numbers(0, 10).write.format("lance").save(path)
    numbers(10, 15).write.format("lance").mode("append").save(path)
    numbers(15, 18).write.format("lance").mode("append").save(path)
    path
  }

  private def call(text: String): Array[Row] = sql(s"CALL lance.system.$text").collect()

  private def first(text: String): Row = call(text).head

  test("docs/procedures.md has each procedure with its arguments") {
    val row = """\| `(\w+)` \| ([^|]+) \|.*""".r
    val documented = Files.readString(Path.of("docs/procedures.md")).linesIterator.collect {
      case row(name, arguments) =>
        name -> """`(\w+)`""".r.findAllMatchIn(arguments).map(_.group(1)).toVector
    }.toVector
    assert(documented == Procedures.all.map(p => p.name -> p.parameters.map(_.name)))
  }

  test("a procedure is called by position or by name, of the catalog lance or of the session's") {
    val path = table()
    assert(sql(s"CALL lance.system.restore('$path', '1')").collect().toSeq == Seq(Row(4)))
    assert(sql(s"CALL lance.system.restore(version => 2, table => '$path')").collect().toSeq == Seq(Row(5)))
    withTable { name =>
      sql(s"CREATE TABLE $name USING lance LOCATION '$path'")
      assert(sql(s"CALL spark_catalog.system.restore('$name', 1)").collect().toSeq == Seq(Row(6)))
      assert(sql(s"CALL lance.system.restore('lance.`$path`', 3)").collect().toSeq == Seq(Row(7)))
    }
    assert(load(path).count() == 18)
  }

  test("a dry run of restore and of cleanup names the tags and branches concerned, and changes nothing") {
    val path = table()
    call(s"create_tag('$path', 'first', 1)")
    call(s"create_tag('$path', 'last', 3)")
    call(s"create_branch('$path', 'work', 2)")
    val dry = sql(s"RESTORE TABLE lance.`$path` TO VERSION AS OF 1 DRY RUN")
    assert(dry.columns.toSeq == Seq("restored_version", "latest_version", "later_tags", "later_branches"))
    assert(dry.collect().toSeq == Seq(Row(1, 3, Seq("last"), Seq("work"))))
    val later = sql(s"CALL lance.system.restore('$path', 3, dry_run => true)").collect().toSeq
    assert(later == Seq(Row(3, 3, Seq(), Seq())))
    val kept = "old_versions, keeping_tags, keeping_branches".split(", ")
    val vacuum =
      sql(s"VACUUM lance.`$path` RETAIN 0 HOURS DRY RUN").select(kept.head, kept.tail.toIndexedSeq: _*)
    assert(vacuum.collect().toSeq == Seq(Row(0, Seq("first"), Seq("work"))))
    val done = sql(s"VACUUM lance.`$path` RETAIN 0 HOURS")
    assert(done.columns.last == "failed_deletes" && done.head().getLong(1) == 0)
    assert(call(s"history('$path')").length == 3)
  }

  test("a statement runs its procedure once, whatever is asked of the result") {
    val path = table()
    val result = sql(s"CALL lance.system.restore('$path', 1)")
    result.collect()
    result.show()
    assert(result.count() == 1 && load(path).count() == 10)
    assert(call(s"history('$path')").length == 4)
  }

  test("an unknown procedure, a missing argument and a name without a table are errors with a cure") {
    assert(refusal(call("restart('/a')")).contains("branches, cleanup, commit"))
    assert(refusal(sql("CALL lance.other.tags('/a')")).contains("no procedure 'other.tags'"))
    assert(intercept[Exception](call("restart('/a')")).getMessage.contains("no procedure 'system.restart'"))
    assert(refusal(call(s"restore('${table()}')")).contains("a version, or a time as as_of"))
    assert(refusal(call("tags(CAST(NULL AS STRING))")).contains("Argument 'table' is NULL"))
    assert(refusal(call("tags('/no/such/table')")).contains("There is no Lance table"))
    sql("CREATE OR REPLACE TEMP VIEW numbers_view AS SELECT 1 AS a")
    assert(refusal(call("tags('numbers_view')")).contains("is not a Lance table"))
  }

  test("tags name versions, and are moved and deleted") {
    val path = table()
    val made = first(s"create_tag('$path', 'v1', 1)")
    assert(made.getString(0) == "v1" && made.isNullAt(1) && made.getLong(2) == 1)
    assert(refusal(call(s"create_tag('$path', 'v1', 2)")).contains("has a tag 'v1' already"))
    assert(refusal(call(s"create_tag('$path', 'a b')")).contains("cannot be called 'a b'"))
    assert(first(s"update_tag('$path', 'v1')").getLong(2) == 3)
    call(s"create_tag('$path', 'first', 1)")
    assert(call(s"tags('$path')").map(r => r.getString(0) -> r.getLong(2)).toMap ==
      Map("first" -> 1, "v1" -> 3))
    assert(first(s"delete_tag('$path', 'v1')").getLong(2) == 3)
    assert(refusal(call(s"update_tag('$path', 'v1')")).contains("has no tag 'v1'; it has first"))
  }

  test("a version is read by its tag, its branch, its time, or number") {
    val path = table()
    call(s"create_tag('$path', 'old', 1)")
    call(s"create_branch('$path', 'exp', 2)")
    numbers(100, 103).write.format("lance").mode("append").save(s"$path/tree/exp")
    def count(options: (String, String)*) =
      spark.read.format("lance").options(options.toMap).load(path).count()
    assert(count("tag" -> "old") == 10 && count("version" -> "2") == 15)
    assert(count("branch" -> "exp") == 18 && count("branch" -> "exp", "version" -> "2") == 15)
    assert(count("branch" -> "main") == 18)
    val times = call(s"history('$path')").map(r => r.getLong(0) -> r.getTimestamp(1).toInstant).toMap
    assert(count("asOfTimestamp" -> times(2).toString) == 15)
    assert(sql(s"SELECT * FROM lance.`$path` VERSION AS OF 'old'").count() == 10)
    assert(sql(s"SELECT * FROM lance.`$path` VERSION AS OF 'exp'").count() == 18)
    assert(sql(s"SELECT * FROM lance.`$path` VERSION AS OF 'exp:2'").count() == 15)
    assert(sql(s"SELECT * FROM lance.`$path` TIMESTAMP AS OF '${times(2)}'").count() == 15)
    assert(refusal(count("tag" -> "old", "version" -> "2")).contains("Give one of them"))
    assert(refusal(count("tag" -> "new")).contains("has no tag 'new'; it has old"))
    assert(refusal(count("branch" -> "new")).contains("has no branch 'new'; it has exp"))
    assert(
      refusal(sql(s"SELECT * FROM lance.`$path` VERSION AS OF 'new'")).contains("no tag and no branch 'new'")
    )
    assert(refusal(count("asOfTimestamp" -> "yesterday")).contains("it must be a time"))
    assert(refusal(count("asOfTimestamp" -> "1970-01-02")).contains("no version as old as"))
  }

  test("a table of the catalog takes no option that names another version") {
    val path = table()
    withTable { name =>
      sql(s"CREATE TABLE $name USING lance LOCATION '$path'")
      val e = refusal(spark.read.option("branch", "exp").table(name).collect())
      assert(e.contains("was already resolved, at version 3"))
    }
  }

  test("branches have a history of their own and keep shared files") {
    val path = table()
    val made = first(s"create_branch('$path', 'exp', 2)")
    assert(made.getLong(1) == 2 && made.getString(2).endsWith(s"$path/tree/exp"))
    val branch = s"$path/tree/exp"
    numbers(100, 103).write.format("lance").mode("append").save(branch)
    assert(load(path).count() == 18 && load(branch).count() == 18 &&
      load(branch).where("id >= 100").count() == 3)
    // From the branch's own path, everything else is found as well.
    call(s"create_tag('$branch', 'on-exp')")
    assert(call(s"tags('$path')").map(r => (r.getString(0), r.getString(1), r.getLong(2))).toSeq ==
      Seq(("on-exp", "exp", 3L)))
    assert(spark.read.format("lance").option("branch", "main").load(branch).where("id >= 100").count() == 0)
    call(s"create_branch('$branch', 'exp2')")
    val parents = call(s"branches('$path')").map(r => r.getString(0) -> r.getString(1)).toMap
    assert(parents == Map("exp" -> null, "exp2" -> "exp"))
    val e = refusal(call(s"delete_branch('$path', 'exp')"))
    assert(e.contains("branch 'exp2', tag 'on-exp' would lose"))
    call(s"delete_branch('$path', 'exp2')")
    call(s"delete_tag('$path', 'on-exp')")
    call(s"delete_branch('$path', 'exp')")
    assert(call(s"branches('$path')").isEmpty && load(path).count() == 18)
    assert(refusal(load(branch)).contains("There is no Lance table"))
  }

  test("a clone has a history of its own") {
    val (path, clone) = (table(), freshPath())
    assert(first(s"shallow_clone('$path', '$clone', 2)").getLong(1) == 2)
    numbers(100, 103).write.format("lance").mode("append").save(clone)
    assert(load(clone).count() == 18 && load(clone).where("id >= 100").count() == 3 &&
      load(path).count() == 18)
    assert(refusal(call(s"shallow_clone('$path', '$clone')")).contains("A table exists at"))
    assert(call(s"validate('$clone')").isEmpty)
  }

  test("config and metadata are changed, removed and replaced") {
    val path = table()
    assert(call(s"update_config('$path', map('a', '1', 'b', '2'))").toSeq ==
      Seq(Row("a", "1"), Row("b", "2")))
    assert(call(s"update_config('$path', map('a', NULL))").toSeq == Seq(Row("b", "2")))
    assert(call(s"update_config('$path', map('c', '3'), true)").toSeq == Seq(Row("c", "3")))
    assert(call(s"update_metadata('$path', map('owner', 'me'))").toSeq == Seq(Row("owner", "me")))
    assert(call(s"update_schema_metadata('$path', map('k', 'v'))").toSeq == Seq(Row("k", "v")))
    assert(call(s"update_field_metadata('$path', 'id', map('unit', 'm'))").toSeq == Seq(Row("unit", "m")))
    assert(load(path).schema("id").metadata.getString("unit") == "m")
    assert(refusal(call(s"update_field_metadata('$path', 'x', map('a', 'b'))")).contains("has no field 'x'"))
  }

  test("history, versions, fragments and the manifest show the state of a table") {
    val path = table()
    val history = call(s"history('$path')")
    assert(history.map(r =>
      (r.getLong(0), r.getAs[String]("transaction"), r.getAs[Long]("read_version"))
    ).toSeq ==
      Seq((3L, "Append", 2L), (2L, "Append", 1L), (1L, "Overwrite", 0L)))
    assert(call(s"history('$path', limit => 1)").length == 1)
    assert(call(s"versions('$path')").map(r => r.getLong(0) -> r.getAs[Long]("rows")).toSeq ==
      Seq(3 -> 18, 2 -> 15, 1 -> 10))
    assert(call(s"versions('$path', limit => 2)").length == 2)
    val fragments = call(s"fragments('$path')")
    assert(fragments.map(_.getAs[Long]("physical_rows")).sum == 18 &&
      fragments.forall(_.getAs[Long]("deleted_rows") == 0))
    assert(call(s"fragments('$path', 1)").map(_.getAs[Long]("rows")).sum == 10)
    assert(first(s"manifest('$path')").getLong(0) == 3 && first(s"manifest('$path', 2)").getLong(0) == 2)
    assert(first(s"read_transaction('$path', 2)").getString(2) == "Append")
    assert(call(s"row_addresses('$path', array(17, 0, 17))").map(_.getLong(0)).toSeq == Seq(17, 0, 17))
    assert(
      refusal(call(s"row_addresses('$path', array(18))")).contains("has no row 18: version 3 has 18 rows")
    )
    assert(call(s"migrate_manifest_names('$path')").toSeq == Seq(Row(0)))
  }

  test("problems of a table are listed") {
    val path = table()
    assert(call(s"validate('$path')").isEmpty)
    Files.delete(Path.of(dataFiles(path).head))
    assert(call(s"validate('$path')").map(_.getString(2)).exists(_.contains("cannot be read")))
  }

  test("a transaction that was read is committed again to another table") {
    val path = table()
    val bytes = first(s"read_transaction('$path', 3)").getAs[Array[Byte]](4)
    val hex = bytes.map(b => f"$b%02x").mkString
    // It is there already: nothing changes.
    assert(first(s"commit('$path', X'$hex')").getLong(0) == 3)
    assert(refusal(call(s"commit('$path', X'FF')")).contains("not a valid message"))
    assert(refusal(call(s"commit('$path', X'')")).contains("has no read version"))
  }

  test("a listing procedure shows the rows and the columns of a metadata table") {
    val path = table()
    call(s"create_tag('$path', 'first', '1')")
    call(s"create_branch('$path', 'exp')")
    call(s"create_index('$path', 'id', 'BTREE')")
    val tables = Map(
      "branches" -> "branches",
      "fragments" -> "fragments",
      "index_segments" -> "indices",
      "tags" -> "tags",
      "versions" -> "versions"
    )
    tables.foreach { case (procedure, name) =>
      val (listed, table) =
        (sql(s"CALL lance.system.$procedure('$path')"), sql(s"SELECT * FROM lance.`$path`.$name"))
      assert(listed.schema == table.schema, procedure)
      assert(listed.collect().toSeq.map(_.toString) == table.collect().toSeq.map(_.toString), procedure)
      assert(!listed.isEmpty, procedure)
    }
  }
}
