package io.sparklance.spark.erasure

import java.nio.charset.StandardCharsets.ISO_8859_1
import java.nio.file.attribute.FileTime
import java.nio.file.{Files, Path}
import java.time.{Duration, Instant}

import scala.collection.mutable
import scala.jdk.CollectionConverters._
import scala.util.Using

import org.apache.spark.sql.Row

import io.sparklance.data.RowRanges
import io.sparklance.dataset.snapshot.RowAddress
import io.sparklance.dataset.{CommitListeners, Dataset, RowOperations}
import io.sparklance.io.LocalStore
import io.sparklance.spark.SparkSuite
import io.sparklance.spark.options.StoreOptions

/** Rows that are erased leave no trace, or the places that still hold them are named. */
class ErasureSuite extends SparkSuite {
  private val name = "zz-jane-marker"
  private val jane = "id = 42"

  private val written = mutable.Map.empty[(Int, Map[String, String]), String]

  /** A table of persons in fragments of 100 rows, one version each: a copy of one that was written once. */
  private def people(fragments: Int, options: (String, String)*): String = {
    val from = Path.of(written.getOrElseUpdate((fragments, options.toMap), write(fragments, options: _*)))
    val to = Path.of(freshPath(), "data", "people")
    val _ = Files.createDirectories(to.getParent)
    Using.resource(Files.walk(from))(_.forEach { file =>
      val _ = Files.copy(file, to.resolve(from.relativize(file)))
    })
    to.toString
  }

  private def write(fragments: Int, options: (String, String)*): String = {
    val path = freshPath()
    (0 until fragments).foreach { i =>
      val rows = spark.range(i * 100L, (i + 1) * 100L).selectExpr(
        "id",
        s"if(id = 42, '$name', concat('person number ', id)) AS name",
        "CAST(if(id = 42, 119, id % 50) AS INT) AS age"
      )
      rows.coalesce(1).write.format("lance").options(options.toMap).mode("append").save(path)
    }
    path
  }

  private def erase(path: String, more: String = "", condition: String = jane): Vector[Row] =
    sql(s"CALL lance.system.erase('$path', \"$condition\"$more)").collect().toVector

  private def kinds(found: Vector[Row]): Set[String] = found.map(_.getString(0)).toSet

  private def remaining(found: Vector[Row]): Set[(String, String)] =
    found.filter(_.getBoolean(3)).map(row => row.getString(0) -> row.getString(1)).toSet

  private def incomplete(path: String, more: String = ""): String = {
    val message = refusal(erase(path, more))
    assert(message.contains("remaining = "))
    message
  }

  /** Files below a directory that contain a text. */
  private def filesWith(path: String, text: String): Vector[String] =
    Using.resource(Files.walk(Path.of(path))) { paths =>
      paths.iterator.asScala.filter(Files.isRegularFile(_)).filter { file =>
        new String(Files.readAllBytes(file), ISO_8859_1).contains(text)
      }.map(_.toString).toVector
    }

  private def versions(path: String): Set[Long] =
    sql(s"CALL lance.system.versions('$path')").collect().map(_.getAs[Long]("version")).toSet

  private def open(path: String): Dataset = {
    val place = StoreOptions.locate(path)
    Dataset.open(place.store, place.root)
  }

  test("rows go from the table, its files and its versions; versions without them stay") {
    val path = freshPath() + "/people"
    spark.range(1000, 1100).selectExpr("id", "concat('person number ', id) AS name", "1 AS age")
      .coalesce(1).write.format("lance").save(path)
    val other = people(2)
    load(other).coalesce(1).write.format("lance").mode("append").save(path)
    sql(s"UPDATE lance.`$path` SET age = 120 WHERE id = 42")
    val before = open(path).countRows
    val planned = erase(path, ", true")
    assert(kinds(planned) == Set("rows", "fragment", "version", "searched") && remaining(planned).isEmpty)
    assert(open(path).countRows == before && filesWith(path, name).nonEmpty)
    val done = erase(path)
    assert(kinds(done) == kinds(planned))
    assert(filesWith(path, name).isEmpty && load(path).where(jane).isEmpty &&
      open(path).countRows == before - 1)
    assert(versions(path).contains(1L) && !versions(path).contains(2L) && !versions(path).contains(3L))
    assert(spark.read.format("lance").option("version", "1").load(path).count() == 100)
    assert(kinds(erase(path)) == Set("searched"))
    assert(sql(s"CALL lance.system.validate('$path')").isEmpty)
    val history = sql(s"CALL lance.system.history('$path')").collect().map(_.toString)
    assert(history.exists(_.contains("ERASE")) && !history.exists(_.contains(jane)))
  }

  test("rows that were deleted before, few in a fragment, go from the files of the latest version") {
    val path = people(1)
    sql(s"DELETE FROM lance.`$path` WHERE $jane")
    sql(s"CALL lance.system.compact('$path')")
    assert(filesWith(path, name).size == 1)
    val done = erase(path)
    assert(kinds(done) == Set("fragment", "version", "searched"))
    assert(filesWith(path, name).isEmpty && load(path).count() == 99 && versions(path).size == 1)
  }

  test("old values of updated rows and columns go, as the condition finds them in old versions") {
    val path = people(1)
    sql(s"CALL lance.system.update_columns('$path', map('name', \"if(id = 42, 'changed-name', name)\"))")
    assert(filesWith(path, name).nonEmpty)
    val done = erase(path, condition = s"name = '$name'")
    assert(kinds(done) == Set("fragment", "version", "searched"))
    assert(filesWith(path, name).isEmpty && load(path).where("name = 'changed-name'").count() == 1)
    assert(kinds(erase(path)).contains("rows") && filesWith(path, "changed-name").isEmpty)
    sql(s"CALL lance.system.update_columns('$path', map('name', \"if(id = 43, 'other', name)\"))")
    sql(s"CALL lance.system.cleanup('$path', retain_versions => 1)")
    assert(filesWith(path, "person number 43").nonEmpty)
    assert(kinds(erase(path, condition = "name = 'person number 43'")).contains("fragment"))
    assert(filesWith(path, "person number 43").isEmpty && load(path).where("name = 'other'").count() == 1)
  }

  test("columns of old versions count, by their former names and types") {
    val path = people(1)
    sql(s"ALTER TABLE lance.`$path` ADD COLUMN email STRING")
    sql(s"ALTER TABLE lance.`$path` RENAME COLUMN id TO person")
    sql(s"UPDATE lance.`$path` SET email = 'zz@marker' WHERE person = 42")
    sql(s"ALTER TABLE lance.`$path` ALTER COLUMN age TYPE BIGINT")
    val _ = erase(path, condition = "person = 42")
    assert(filesWith(path, name).isEmpty && filesWith(path, "zz@marker").isEmpty)
    assert(load(path).count() == 99 && !load(path).schema.fieldNames.contains("id"))
  }

  test("a version before the key column existed is found by the values that only the erased rows have") {
    val path = freshPath() + "/people"
    spark.range(100).selectExpr(s"if(id = 42, '$name', concat('person number ', id)) AS name")
      .coalesce(1).write.format("lance").save(path)
    sql(s"CALL lance.system.add_columns('$path', map('id', \"if(name = '$name', 42, 7)\"))")
    sql(s"UPDATE lance.`$path` SET id = id")
    val _ = erase(path)
    assert(filesWith(path, name).isEmpty && load(path).count() == 99)
  }

  for (
    (title, compacts, options) <- Seq(
      ("", false, Map.empty[String, String]),
      (", stable row ids", false, Map("enableStableRowIds" -> "true")),
      (", also after a compaction that left the rows out", true, Map.empty[String, String]),
      (", stable row ids, after such a compaction", true, Map("enableStableRowIds" -> "true"))
    )
  )
    test(s"indices that hold values are built again, and find the other rows$title") {
      val path = people(2, options.toSeq: _*)
      sql(s"CALL lance.system.create_index('$path', 'name', 'BTREE')")
      sql(s"CALL lance.system.create_index('$path', 'name', 'INVERTED', name => 'words')")
      sql(s"CALL lance.system.create_index('$path', 'age', 'ZONEMAP', name => 'zones')")
      sql(s"DELETE FROM lance.`$path` WHERE $jane")
      if (compacts) sql(s"CALL lance.system.compact('$path', materialize_deletions_threshold => 0.0)")
      val old = Files.list(Path.of(path, "_indices")).iterator.asScala.map(_.toString).toSet
      assert(filesWith(s"$path/_indices", name).nonEmpty)
      val done = erase(path)
      val built = done.filter(_.getString(0) == "index").map(_.getString(1)).toSet
      assert(compacts || built == Set("name_idx", "words", "zones"))
      val words = name.split("[^a-z]+").filter(_.length > 3)
      assert(words.nonEmpty && words.forall(filesWith(path, _).isEmpty))
      assert(filesWith(path, name).isEmpty)
      val now = Files.list(Path.of(path, "_indices")).iterator.asScala.map(_.toString).toSet
      assert(compacts || now.intersect(old).isEmpty)
      assert(load(path).where("name = 'person number 43'").count() == 1 &&
        load(path).where("age = 119").isEmpty)
      assert(sql(s"CALL lance.system.validate('$path')").isEmpty)
    }

  test("tags and branches stay, and are named until they are gone") {
    val path = people(2)
    sql(s"CALL lance.system.create_tag('$path', 'audit', 1)")
    sql(s"CALL lance.system.create_branch('$path', 'trial', 2)")
    assert(remaining(erase(path, ", true")) == Set("tag" -> "audit", "branch" -> "trial"))
    val message = incomplete(path)
    assert(message.contains("tag audit (version 1") && message.contains("branch trial"))
    assert(load(path).where(jane).isEmpty && versions(path).contains(1L))
    assert(spark.read.format("lance").option("tag", "audit").load(path).count() == 100)
    assert(refusal(erase(s"$path/tree/trial")).contains("branch main"))
    assert(load(s"$path/tree/trial").where(jane).isEmpty)
    sql(s"CALL lance.system.delete_tag('$path', 'audit')")
    assert(!incomplete(path).contains("tag audit"))
    sql(s"CALL lance.system.delete_branch('$path', 'trial')")
    val _ = erase(path)
    assert(filesWith(path, name).isEmpty)
  }

  test("clones beside a table, and those that are named, are found and keep their files") {
    val path = people(1)
    val (beside, away) = (Path.of(path).resolveSibling("clone").toString, freshPath())
    sql(s"CALL lance.system.shallow_clone('$path', '$beside')")
    sql(s"CALL lance.system.shallow_clone('$path', '$away')")
    val message = incomplete(path, s", clones => array('$away')")
    assert(message.contains("remaining = 2") && message.contains(beside) && message.contains(away))
    assert(load(beside).count() == 100 && load(away).count() == 100 && load(path).count() == 99)
    val e = refusal(erase(away))
    assert(e.contains("base ") && e.contains("/people/data/"))
    assert(load(away).count() == 99)
  }

  test("bounds that ANALYZE has kept go from the latest version, and versions with them") {
    val path = people(1)
    sql(s"CALL lance.system.analyze('$path')")
    sql(s"DELETE FROM lance.`$path` WHERE $jane")
    sql(s"CALL lance.system.compact('$path', materialize_deletions_threshold => 0.0)")
    assert(open(path).config.exists(_._2.contains("\"max\":\"119\"")))
    val done = erase(path)
    assert(kinds(done) == Set("statistics", "version", "searched"))
    assert(filesWith(path, "\"max\":\"119\"").isEmpty &&
      !open(path).config.exists(_._2.contains("\"min\"")))
  }

  test("conditions that the history records are found, also of numbers and of fields that were renamed") {
    val path = freshPath() + "/people"
    spark.range(200).selectExpr(
      "named_struct('id', id) AS person",
      s"if(id = 42, '$name', concat('person ', id)) AS name"
    )
      .coalesce(1).write.format("lance").save(path)
    def delete(row: Long, predicate: String) = {
      val table = open(path)
      val address = RowRanges.ofRows(Array(RowAddress.of(table.fragments.last.id, row)))
      table.commit(RowOperations.delete(table, address, predicate))
    }
    sql(s"DELETE FROM lance.`$path` WHERE person.$jane")
    val _ = delete(1, "id > 1000")
    sql(s"CALL lance.system.compact('$path', materialize_deletions_threshold => 0.0)")
    val clean = open(path).version
    val _ = delete(2, "(person.id = 42)")
    val _ = delete(3, s"name = '$name'")
    sql(s"ALTER TABLE lance.`$path` RENAME COLUMN person.id TO number")
    assert(filesWith(path, name).exists(_.contains("_versions")))
    val _ = erase(path, condition = "person.number = 42")
    assert(filesWith(path, name).isEmpty && filesWith(path, "(person.id = 42)").isEmpty)
    assert(versions(path).head == clean || versions(path).contains(clean))
    assert(load(path).count() == 196)
  }

  test("files of failed writes are named while they may belong to a running write, and removed on demand") {
    val path = people(1)
    val data = Path.of(path, "data")
    val file = Path.of(dataFiles(path).head)
    def orphan(name: String) = Files.copy(file, data.resolve(name))
    val _ = orphan("left.lance")
    val old = orphan("old.lance")
    val _ = Files.setLastModifiedTime(old, FileTime.from(Instant.now().minus(Duration.ofDays(8))))
    val _ = Files.write(data.resolve(".tmp_cut"), s"cut off ... $name".getBytes(ISO_8859_1))
    // What may have parts of values, in which nothing can be found.
    val parts = Vector(
      "_indices/6ba7b810-9dad-11d1-80b4-00c04fd430c8/tokens.lance",
      s"data/${"1" * 24}/1.blob",
      "data/cut.lance"
    )
      .map(Path.of(path).resolve(_))
    parts.foreach { part =>
      val _ = Files.createDirectories(part.getParent)
      val _ = Files.write(part, Array[Byte](1, 2, 3))
    }
    val others = Vector(Path.of(path, "notes.txt"), data.resolve("notes.txt"))
    others.foreach(Files.write(_, name.getBytes(ISO_8859_1)))
    val message = incomplete(path)
    assert(parts.forall(part => message.contains(s"orphan file:$part")))
    assert(message.contains("remaining = 7") && message.contains("data/left.lance") &&
      message.contains(".tmp_cut"))
    assert(!message.contains("old.lance") && !Files.exists(old))
    // Only the orphans still have the rows.
    assert(remaining(erase(path, ", true, true")).map(_._1) == Set("file"))
    assert(incomplete(path, ", delete_unverified => true").contains("remaining = 2: file "))
    assert(filesWith(path, name).toSet == others.map(_.toString).toSet)
    assert(!parts.exists(Files.exists(_)))
    others.foreach(Files.delete)
    assert(kinds(erase(path)) == Set("searched"))
  }

  test("what an interrupted backfill has written for erased rows goes with its record") {
    val path = people(2)
    val columns = "map('loud', \"if(id = 150, raise_error('stop'), upper(name))\")"
    intercept[Exception](sql(s"CALL lance.system.add_columns('$path', $columns, job_id => 'loud')"))
    assert(filesWith(path, name.toUpperCase).nonEmpty)
    val done = erase(path)
    assert(kinds(done) == Set("rows", "fragment", "version", "job", "orphan", "searched"))
    assert(filesWith(path, name.toUpperCase).isEmpty && filesWith(path, name).isEmpty)
    sql(s"CALL lance.system.add_columns('$path', map('loud', 'upper(name)'), job_id => 'loud')")
    assert(load(path).where("loud = 'PERSON NUMBER 150'").count() == 1)
  }

  test("a call continues what an interrupted one has left, whatever step it reached") {
    Seq(1, 3).foreach { last =>
      val path = people(2)
      sql(s"CALL lance.system.create_index('$path', 'name', 'BTREE')")
      val location = StoreOptions.locate(path)
      val condition = ErasureCondition(jane)
      val steps = new ErasureSteps(location, condition)
      val survey = Survey.of(location, condition, Vector.empty)
      Vector[() => Any](
        () => steps.delete(),
        () => steps.rewrite(survey.holders),
        () => steps.rebuild(Set("name_idx"))
      ).take(last).foreach(_.apply())
      val _ = erase(path)
      assert(filesWith(path, name).isEmpty && load(path).count() == 199, last)
    }
  }

  test("rows that others add meanwhile are erased, too, and their other rows stay") {
    val path = people(1)
    val root = StoreOptions.locate(path).root
    val late = new java.util.concurrent.atomic.AtomicBoolean(true)
    CommitListeners.add { committed =>
      if (committed == root && late.getAndSet(false))
        spark.range(42, 44).selectExpr("id", s"concat('$name', ' ', id) AS name", "7 AS age")
          .write.format("lance").mode("append").save(path)
    }
    val done = erase(path)
    assert(!late.get && done.count(_.getString(0) == "rows") == 1 + 1)
    assert(filesWith(path, s"$name 42").isEmpty && load(path).count() == 100)
    assert(filesWith(path, s"$name 43").nonEmpty && load(path).where("id = 43").count() == 2)
  }

  test("conditions with subqueries are taken, unless they read the table or change") {
    val path = people(1)
    withTable { requests =>
      sql(s"CREATE TABLE $requests USING lance AS SELECT 42L AS person")
      val _ = erase(path, condition = s"id IN (SELECT person FROM $requests)")
      assert(filesWith(path, name).isEmpty && load(path).count() == 99)
    }
    def wrong(condition: String) = refusal(erase(path, condition = condition))
    assert(wrong(s"id IN (SELECT max(id) FROM lance.`$path`)").contains("reads the table itself"))
    val inner = s"SELECT id FROM range(9) WHERE id IN (SELECT id FROM lance.`$path`)"
    assert(wrong(s"id IN ($inner)").contains("reads the table itself"))
    assert(wrong("id = rand()").contains("is not the same each time"))
    assert(wrong(" ").contains("empty condition"))
    assert(intercept[Exception](erase(path, condition = "nobody = 1")).getMessage.contains("nobody"))
    assert(load(path).count() == 99)
  }

  test("numbers of rows are conditions on the table alone, not on its orphans and branches") {
    val path = people(2, "enableStableRowIds" -> "true")
    sql(s"CALL lance.system.create_branch('$path', 'trial')")
    val _ = Files.copy(
      Path.of(dataFiles(path).diff(filesWith(path, name)).head),
      Path.of(path, "data", "left.lance")
    )
    sql(s"UPDATE lance.`$path` SET age = 3 WHERE $jane")
    val id = load(path).where(jane).select("_rowid").head().getLong(0)
    val left = remaining(erase(path, ", true", s"_rowid = $id"))
    assert(left.exists(_._1 == "branch") && !left.exists(_._1 == "orphan"))
    sql(s"CALL lance.system.delete_branch('$path', 'trial')")
    val _ = erase(path, condition = s"_rowid = $id")
    assert(filesWith(path, name).isEmpty && load(path).count() == 199)
  }

  test("an index with values of rows that no version has is found by the texts of the condition") {
    val path = people(1, "enableStableRowIds" -> "true")
    sql(s"CALL lance.system.create_index('$path', 'name', 'BTREE')")
    sql(s"DELETE FROM lance.`$path` WHERE $jane")
    sql(s"CALL lance.system.compact('$path', materialize_deletions_threshold => 0.0, skip_indices => true)")
    sql(s"CALL lance.system.cleanup('$path', retain_versions => 1)")
    assert(filesWith(path, name).forall(_.contains("_indices")) && filesWith(path, name).nonEmpty)
    withTable { people =>
      sql(s"CREATE TABLE $people USING lance LOCATION '$path'")
      val done = sql(s"CALL lance.system.erase('$people', \"$people.name = '$name'\")").collect().toVector
      assert(kinds(done) == Set("index", "version", "searched"))
    }
    assert(filesWith(path, name).isEmpty && load(path).where("name = 'person number 43'").count() == 1)
  }

  test("values that other rows have, too, are no trace") {
    val path = freshPath() + "/people"
    spark.range(100).selectExpr("id", "'Springfield' AS city", "array(concat('tag ', id % 3)) AS tags")
      .coalesce(1).write.format("lance").save(path)
    sql(s"CALL lance.system.create_index('$path', 'city', 'BTREE')")
    val done = erase(path)
    assert(done.last.getString(2).endsWith("values of erased rows: 0") && load(path).count() == 99)
    assert(LocalStore.exists(path))
  }
}
