package io.sparklance.spark.catalog

import java.nio.file.{Files, Path}
import java.util.concurrent.CyclicBarrier
import java.util.concurrent.atomic.{AtomicBoolean, AtomicInteger}

import scala.concurrent.duration.DurationInt
import scala.concurrent.{Await, ExecutionContext, Future}
import scala.jdk.CollectionConverters._
import scala.util.Try

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.analysis.TableAlreadyExistsException
import org.apache.spark.sql.connector.catalog.{Column, Identifier, StagedTable}
import org.apache.spark.sql.types.IntegerType
import org.scalatest.tags.Slow

import io.sparklance.ServerError
import io.sparklance.namespace.TableName
import io.sparklance.spark.LanceCatalog

/** Catalogs behind a server: several at once, and a server that misbehaves. */
@Slow
final class SharedCatalogSuite extends ServerCatalogs {
  private val Secret = "t0p-s3cret"

  private def files(root: String): Set[String] =
    if (!Files.exists(Path.of(root))) Set.empty
    else {
      val all = Files.walk(Path.of(root))
      try all.iterator.asScala.filter(Files.isRegularFile(_)).map(_.toString).filterNot(_.contains(
          "__manifest"
        )).toSet
      finally all.close()
    }

  private def condition(body: => Any): String =
    Iterator.iterate(intercept[Throwable](body))(_.getCause).takeWhile(_ != null).collectFirst {
      case known: SparkThrowable if known.getCondition != null => known.getCondition
    }.getOrElse(fail("no condition"))

  private def staged(catalog: String, table: String): StagedTable =
    spark.sessionState.catalogManager.catalog(catalog).asInstanceOf[LanceCatalog]
      .stageCreate(
        Identifier.of(Array.empty, table),
        Array(Column.create("a", IntegerType)),
        Array.empty,
        java.util.Map.of()
      )

  test("namespaces, and what the specification cannot change") {
    withServer() { (c, _) =>
      sql(s"CREATE NAMESPACE $c.eu COMMENT 'Europe' WITH DBPROPERTIES (k = 'v')")
      sql(s"CREATE NAMESPACE IF NOT EXISTS $c.eu")
      sql(s"CREATE NAMESPACE $c.eu.west")
      assert(names(s"SHOW NAMESPACES IN $c") == Seq("eu") &&
        names(s"SHOW NAMESPACES IN $c.eu") == Seq("eu.west"))
      val described = sql(s"DESCRIBE NAMESPACE EXTENDED $c.eu").collect().mkString
      assert(described.contains("Europe") && described.contains("(k,v)"))
      assert(message(sql(s"CREATE NAMESPACE $c.eu")).contains("ALREADY_EXISTS"))
      assert(message(sql(s"CREATE NAMESPACE $c.us.west")).contains("SCHEMA_NOT_FOUND"))
      assert(message(sql(s"DROP NAMESPACE $c.eu")).contains("SCHEMA_NOT_EMPTY"))
      assert(refusal(sql(s"ALTER NAMESPACE $c.eu SET PROPERTIES (k = 'w')")).contains("no call"))
      sql(s"CREATE TABLE $c.eu.west.t AS SELECT 1 AS a")
      sql(s"DROP NAMESPACE $c.eu CASCADE")
      assert(names(s"SHOW NAMESPACES IN $c").isEmpty)
      assert(message(sql(s"SELECT * FROM $c.eu.west.t")).contains("TABLE_OR_VIEW_NOT_FOUND"))
    }
  }

  test("branches, tags, metadata tables, procedures and time travel by name") {
    withServer() { (c, server) =>
      sql(s"CREATE TABLE $c.t AS SELECT id FROM range(3)")
      sql(s"CALL $c.system.create_tag('$c.t', 'v1', 1)")
      sql(s"CALL $c.system.create_branch('$c.t', 'exp')")
      sql(s"INSERT INTO $c.t.branch_exp VALUES (7)")
      sql(s"INSERT INTO $c.t VALUES (8)")
      sql(s"ALTER TABLE $c.t SET TBLPROPERTIES (k = 'v')")
      assert(sql(s"SELECT * FROM $c.t.branch_exp").count() == 4 &&
        sql(s"SELECT * FROM $c.t.tag_v1").count() == 3)
      assert(sql(s"SELECT * FROM $c.t VERSION AS OF 1").count() == 3)
      assert(sql(s"SELECT version FROM $c.t.versions").count() == 3)
      sql(s"CALL $c.system.compact('$c.t')")
      sql(s"CALL $c.system.restore('$c.t', 1)")
      assert(sql(s"SELECT * FROM $c.t").count() == 3)
      assert(server.operations.count(_ == "table/version/create") >= 6)
    }
  }

  test("names: the delimiter, slashes, control characters; quotes and characters beyond ASCII") {
    withServer(options = Map("delimiter" -> ".")) { (c, server) =>
      Seq("a.b", "a/b", "a\\b", "..", ".").foreach { name =>
        Seq(
          s"CREATE TABLE $c.`$name` (a INT)",
          s"SELECT * FROM $c.`$name`",
          s"DROP TABLE $c.`$name`",
          s"CREATE NAMESPACE $c.`$name`",
          s"SHOW TABLES IN $c.`$name`"
        ).foreach(statement =>
          assert(refusal(sql(statement).collect()).contains("cannot be called"), statement)
        )
      }
      assert(server.operations.isEmpty)
    }
    withServer() { (c, _) =>
      Seq("a table", "ünï ✓", "a.b", "per%cent", "#?*[]{}").foreach { name =>
        sql(s"CREATE TABLE $c.`$name` AS SELECT 1 AS a")
        sql(s"INSERT INTO $c.`$name` VALUES (2)")
        assert(rows(sql(s"SELECT * FROM $c.`$name`")) == Set(Row(1), Row(2)), name)
      }
      assert(names(s"SHOW TABLES IN $c").size == 5)
    }
  }

  test("of two statements that create one table, one does") {
    withServer() { (c, _) =>
      val first = staged(c, "t")
      val refused = intercept[TableAlreadyExistsException](staged(c, "t"))
      assert(refused.getMessage.contains("ALREADY_EXISTS"))
      first.abortStagedChanges()
      assert(names(s"SHOW TABLES IN $c").isEmpty)
      val (made, barrier) = (new AtomicInteger, new CyclicBarrier(2))
      implicit val pool: ExecutionContext = ExecutionContext.global
      val both = Seq(1, 2).map(n =>
        Future {
          barrier.await()
          Try(spark.sql(s"CREATE OR REPLACE TABLE $c.t AS SELECT $n AS a")).foreach(_ =>
            made.incrementAndGet()
          )
        }
      )
      both.foreach(Await.ready(_, 1.minute))
      assert(made.get >= 1 && sql(s"SELECT * FROM $c.t").count() == 1)
    }
  }

  test("a table that is deregistered during a statement: the error says so, and no file stays") {
    val root = freshPath()
    withServer(root) { (c, server) =>
      sql(s"CREATE TABLE $c.t AS SELECT 1 AS a")
      val before = files(root)
      server.instead = (operation, _) => {
        if (operation == "table/version/create") {
          server.instead = (_, _) => None
          server.deregister(TableName(Vector.empty, "t"))
        }
        None
      }
      val refused = refusal(sql(s"INSERT INTO $c.t VALUES (2)"))
      assert(refused.contains("no longer in the catalog") && refused.contains("Nothing was committed"))
      assert(files(root).filterNot(_.endsWith(".lance-deregistered")) == before)
      val made = staged(c, "u")
      server.deregister(TableName(Vector.empty, "u"))
      assert(refusal(made.commitStagedChanges()).contains("no longer in the catalog"))
      made.abortStagedChanges()
      assert(dataFiles(s"$root/u.lance").isEmpty)
    }
  }

  test("a lost answer, a server that fails and a busy one: a commit takes effect once, or not at all") {
    val root = freshPath()
    withServer(root) { (c, server) =>
      sql(s"CREATE TABLE $c.t AS SELECT 1 AS a")
      val lost = new AtomicInteger
      server.losesAnswerTo = operation => operation == "table/version/create" && lost.incrementAndGet() == 1
      sql(s"INSERT INTO $c.t VALUES (2)")
      assert(lost.get >= 2 && rows(sql(s"SELECT * FROM $c.t")) == Set(Row(1), Row(2)))
      assert(sql(s"SELECT * FROM $c.t.versions").count() == 2)
      val calls = new AtomicInteger
      server.losesAnswerTo = _ => false
      server.instead = (operation, _) =>
        Option.when(operation == "table/version/create" && calls.incrementAndGet() < 3)((503, ""))
      sql(s"INSERT INTO $c.t VALUES (3)")
      assert(sql(s"SELECT * FROM $c.t").count() == 3)
      val before = files(root)
      server.instead = (operation, _) =>
        Option.when(operation == "table/version/create")(SpecServer.failed(
          ServerError.PermissionDenied,
          "read only"
        ))
      assert(condition(sql(s"INSERT INTO $c.t VALUES (4)")) == "LANCE_CATALOG_FORBIDDEN")
      assert(files(root) == before)
    }
  }

  test("a server that does not publish manifests itself, and one that names others") {
    val root = freshPath()
    withServer(root) { (c, server) =>
      sql(s"CREATE TABLE $c.t AS SELECT 1 AS a")
      val directory = Path.of(s"$root/t.lance/_versions")
      val name = directory.toFile.list().find(_.endsWith(".manifest")).get
      // The version as it is after the server recorded it, and before anybody published it.
      Files.move(directory.resolve(name), directory.resolve(s"$name-1234"))
      // It does not look whether the table has a version.
      def recorded(path: String) = (operation: String, _: Any) =>
        operation match {
          case "table/version/list" =>
            Some((200, s"""{"versions":[{"version":1,"manifest_path":"$path"}]}"""))
          case "table/describe" => Some((200, s"""{"location":"$root/t.lance","managed_versioning":true}"""))
          case _ => None
        }
      server.instead = recorded(s"${root.drop(1)}/t.lance/_versions/$name-1234")
      assert(rows(sql(s"SELECT * FROM $c.t")) == Set(Row(1)) && Files.exists(directory.resolve(name)))
      Seq(
        "etc/passwd",
        s"${root.drop(1)}/u.lance/_versions/$name",
        s"${root.drop(1)}/t.lance/_versions/1.manifest/x"
      ).foreach { path =>
        server.instead = recorded(path)
        assert(refusal(sql(s"SELECT * FROM $c.t").collect()).contains("which is none of the table's"), path)
      }
    }
  }

  test("locations that are not granted, not absolute, or of another table") {
    val root = freshPath()
    withServer(root, Map("locations" -> s"s3://bucket/lake, file://$root")) { (c, server) =>
      sql(s"CREATE TABLE $c.t AS SELECT 1 AS a")
      def answer(json: String): Unit =
        server.instead = (operation, _) => Option.when(operation == "table/describe")((200, json))
      answer(s"""{"location":"$root-2/t.lance","is_only_declared":false}""")
      assert(refusal(sql(s"SELECT * FROM $c.t")).contains("in none of the directories"))
      Seq("t.lance", s"$root/../x", "s3://bucket/lake/../x").foreach { location =>
        answer(s"""{"location":"$location","is_only_declared":false}""")
        assert(refusal(sql(s"SELECT * FROM $c.t")).contains("neither an absolute path nor a URI"), location)
      }
      answer(s"""{"table":"u","location":"$root/u.lance"}""")
      assert(refusal(sql(s"SELECT * FROM $c.t")).contains("describes another table, 'u'"))
      answer(
        s"""{"location":"s3://bucket/lake/t","is_only_declared":false,"storage_options":{"aws_later":"$Secret"}}"""
      )
      assert(refusal(sql(s"SELECT * FROM $c.t")).contains("'aws_later'"))
    }
  }

  test("files that a table refers to outside of what is granted: clones, and what is registered there") {
    val (root, other) = (freshPath(), freshPath())
    spark.range(3).write.format("lance").save(s"$other/source")
    sql(s"CALL lance.system.shallow_clone('$other/source', '$root/clone')")
    spark.range(3).write.format("lance").save(s"$root/inside")
    def registered(c: String, name: String) = sql(s"CALL $c.system.register_table('$name', '$root/$name')")
    withServer(root, Map("locations" -> s"$root, $other")) { (c, _) =>
      registered(c, "clone")
      assert(sql(s"SELECT * FROM $c.clone").count() == 3 &&
        sql(s"SELECT sum(id) FROM $c.clone").head() == Row(3))
    }
    withServer(root, Map("locations" -> root)) { (c, _) =>
      val message = refusal(sql(s"SELECT sum(id) FROM $c.clone").collect())
      assert(message.contains(s"refers to ") && message.contains(s"$other/source") &&
        message.contains(s"grants: $root."))
      registered(c, "inside")
      assert(sql(s"SELECT sum(id) FROM $c.inside").head() == Row(3))
    }
    withServer(root, Map("locations" -> s"$root/deep")) { (c, _) =>
      sql(s"CREATE NAMESPACE $c.n")
      assert(refusal(
        sql(s"CALL $c.system.register_table('n.t', '$root/inside')")
      ).contains("in none of the directories"))
      assert(names(s"SHOW TABLES IN $c.n").isEmpty)
    }
  }

  test("credentials: a new token during the session, refused ones, and no secret in what users see") {
    withServer(options = Map("auth_token" -> "old", "headers.x-key" -> Secret)) { (c, server) =>
      server.instead = (_, exchange) => {
        val sent = exchange.getRequestHeaders
        Option.when(sent.getFirst("authorization") != "Bearer new")((
          401,
          s"""{"error":"${sent.getFirst("x-key")}","code":16}"""
        ))
      }
      assert(condition(sql(s"SHOW TABLES IN $c").collect()) == "LANCE_CATALOG_UNAUTHENTICATED")
      val refused = refusal(sql(s"CREATE TABLE $c.t AS SELECT 1 AS a"))
      assert(refused.contains("auth_token") && !refused.contains(Secret))
      spark.conf.set(s"spark.sql.catalog.$c.auth_token", "new")
      sql(s"CREATE TABLE $c.t AS SELECT 1 AS a")
      val frame = sql(s"SELECT a FROM $c.t WHERE a > 0")
      val shown = Seq(
        frame.queryExecution.toString,
        frame.collect().mkString,
        sql(s"DESCRIBE EXTENDED $c.t").collect().mkString,
        sql(s"SHOW CREATE TABLE $c.t").collect().mkString,
        sql(s"SHOW TBLPROPERTIES $c.t").collect().mkString,
        sql(s"SELECT * FROM $c.t.versions").queryExecution.toString
      ).mkString
      assert(!shown.contains(Secret) && !shown.contains("Bearer"))
    }
  }

  test("a server that gives a new table the location of another, and one that stops to know its caller") {
    val root = freshPath()
    withServer(root) { (c, server) =>
      sql(s"CREATE TABLE $c.t AS SELECT 1 AS a")
      val before = files(root)
      server.instead = (operation, _) =>
        Option.when(operation == "table/declare")((200, s"""{"location":"$root/t.lance"}"""))
      assert(refusal(sql(s"CREATE TABLE $c.u AS SELECT 2 AS a")).contains("and a table is there"))
      assert(files(root) == before && rows(sql(s"SELECT * FROM $c.t")) == Set(Row(1)))
      val isExpired = new AtomicBoolean
      server.instead = (operation, _) => {
        if (operation == "table/version/create") isExpired.set(true)
        Option.when(isExpired.get)(SpecServer.failed(ServerError.Unauthenticated, "expired"))
      }
      assert(condition(sql(s"CREATE TABLE $c.v AS SELECT 2 AS a")) == "LANCE_CATALOG_UNAUTHENTICATED")
      assert(dataFiles(s"$root/v.lance").isEmpty)
      assert(condition(sql(s"INSERT INTO $c.t VALUES (2)")) == "LANCE_CATALOG_UNAUTHENTICATED")
      isExpired.set(false)
      assert(condition(sql(s"INSERT INTO $c.t VALUES (2)")) == "LANCE_CATALOG_UNAUTHENTICATED")
      server.instead = (_, _) => None
      assert(files(s"$root/t.lance") == before && rows(sql(s"SELECT * FROM $c.t")) == Set(Row(1)))
      // The name that the server did not let the statement remove.
      sql(s"DROP TABLE $c.v")
      sql(s"CREATE TABLE $c.v AS SELECT 2 AS a")
      assert(rows(sql(s"SELECT * FROM $c.v")) == Set(Row(2)))
    }
  }

  test("options that contradict each other") {
    def refused(options: (String, String)*): String = {
      val name = s"lake${DirectoryCatalogs.count.incrementAndGet()}"
      spark.conf.set(s"spark.sql.catalog.$name", classOf[LanceCatalog].getName)
      options.foreach { case (key, value) => spark.conf.set(s"spark.sql.catalog.$name.$key", value) }
      refusal(sql(s"SHOW TABLES IN $name"))
    }
    val uri = "uri" -> "http://127.0.0.1:1"
    assert(refused(uri, "warehouse" -> "/tmp").contains("Leave one out"))
    assert(refused(uri, "impl" -> "dir").contains("impl cannot be 'dir'"))
    assert(refused("delimiter" -> ".").contains("no meaning without a server"))
    assert(refused("headers.x" -> "y").contains("no meaning without a server"))
    assert(refused("locations" -> "/d", "warehouse" -> "/d").contains("no meaning without a server"))
    assert(refused("uri" -> "nowhere").contains("'uri' of a catalog cannot be"))
  }
}
