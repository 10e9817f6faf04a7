package io.sparklance.stores.jdbc

import java.io.IOException
import java.nio.file.Files
import java.sql.{DriverManager, SQLException}
import java.util.Comparator

import scala.util.Using

import org.apache.hadoop.conf.Configuration
import org.scalatest.BeforeAndAfterAll
import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.LanceUsageException
import io.sparklance.io.{CommitHandler, ManifestRecord, ObjectStore}
import io.sparklance.stores.{CommitChoice, Stores}
import io.sparklance.table.Versions
import io.sparklance.table.commit.CommitLoop
import io.sparklance.testkit.TableFixtures.{append, overwrite}

/** Commits that an embedded database orders. */
final class JdbcRecordsSuite extends AnyFunSuite with BeforeAndAfterAll {
  private val url = "jdbc:derby:memory:sparklance"

  override def beforeAll(): Unit = Using.resource(DriverManager.getConnection(s"$url;create=true")) {
    connection =>
      for (name <- Seq("lance_manifests", "others")) Using.resource(connection.createStatement()) {
        _.executeUpdate(
          s"CREATE TABLE $name (table_path VARCHAR(1000) NOT NULL, version BIGINT NOT NULL, " +
            "manifest_path VARCHAR(2000) NOT NULL, manifest_size BIGINT, PRIMARY KEY (table_path, version))"
        )
      }
  }

  override def afterAll(): Unit = {
    val _ = intercept[SQLException](DriverManager.getConnection(s"$url;drop=true"))
  }

  private def conf(settings: (String, String)*): Configuration = {
    val made = new Configuration(false)
    (("sparklance.commit.jdbc.url" -> url) +: settings).foreach { case (key, value) => made.set(key, value) }
    made
  }

  test("a record is added once, replaced if it exists, and removed if it is still the same") {
    val records = new JdbcRecords(conf())
    val (first, second) = (ManifestRecord(1, "b/t/1-x", Some(7)), ManifestRecord(2, "b/t/2-y", None))
    assert(records.latest("b/t").isEmpty)
    assert(records.add("b/t", first) && records.add("b/t", second) && records.add("b/u", first))
    assert(!records.add("b/t", second.copy(path = "b/t/2-z")))
    assert(records.latest("b/t").contains(second) && records.latest("b/u").contains(first))
    val last = ManifestRecord(2, "b/t/2", Some(Long.MaxValue))
    records.replace("b/t", last)
    assert(records.latest("b/t").contains(last))
    intercept[IOException](records.replace("b/t", last.copy(version = 3)))
    records.remove("b/t", second)
    assert(records.latest("b/t").contains(last))
    records.remove("b/t", last)
    assert(records.latest("b/t").contains(first))
    assert(new JdbcRecords(conf("sparklance.commit.jdbc.table" -> "others")).latest("b/t").isEmpty)
  }

  test("no password comes into what a driver says") {
    for (
      bad <- Seq(
        "jdbc:derby:memory:no;user=u;password=s3cret",
        "jdbc:none://u:s3cret@host/db",
        "jdbc:none:u/s3cret@//h"
      )
    ) {
      val settings = conf("sparklance.commit.jdbc.url" -> bad, "sparklance.commit.jdbc.password" -> "tiger!")
      val e = intercept[IOException](new JdbcRecords(settings).latest("b/t"))
      val said =
        Iterator.iterate[Throwable](e)(_.getCause).takeWhile(_ != null).map(_.toString).mkString("\n")
      assert(!said.contains("s3cret") && !said.contains("tiger!"), said)
      assert(e.getMessage.contains("the database of lance_manifests fails"), said)
    }
    val secrets = new JdbcSecrets("jdbc:x://h/db?user=u&sslPassword=hid&x=1", Some("tiger!"))
    assert(secrets.withoutSecrets("no 'hid' or tiger! for u") == "no '***' or *** for u")
    assert(secrets.withoutSecrets("bad jdbc:x://h/db?user=u&sslPassword=hid&x=1") ==
      "bad jdbc:x://h/db?user=u&sslPassword=***&x=1")
  }

  test("a database that is missing, unknown or lacks the table is named") {
    def handler(settings: Configuration): CommitHandler = {
      CommitChoice.setHandler(classOf[JdbcRecords].getName, settings)
      Stores.forTable("file:///tmp/t", settings).commits
    }
    def refusal(settings: Configuration): String =
      intercept[LanceUsageException](handler(settings)).getMessage
    assert(refusal(new Configuration(false)).contains("Set sparklance.commit.jdbc.url"))
    assert(refusal(conf("sparklance.commit.jdbc.table" -> "a; DROP TABLE b")).contains("is not the name of"))
    for (
      bad <- Seq(
        "sparklance.commit.jdbc.table" -> "absent",
        "sparklance.commit.jdbc.url" -> "jdbc:derby:memory:no"
      )
    ) {
      val e = intercept[IOException](new JdbcRecords(conf(bad)).latest("b/t"))
      assert(e.getMessage.contains("the database of"), bad)
    }
  }

  test("of writers at the same time each makes a version") {
    val directory = Files.createTempDirectory("sparklance")
    val root = s"file://$directory"
    val settings = conf()
    CommitChoice.setHandler(classOf[JdbcRecords].getName, settings)
    def store: ObjectStore = Stores.forTable(root, settings)
    try {
      new CommitLoop(store, root).commit(0, overwrite("a"))
      val threads = (1 to 4).map { i =>
        new Thread(() => (1 to 5).foreach(j => new CommitLoop(store, root).commit(1, append(s"$i-$j"))))
      }
      threads.foreach(_.start())
      threads.foreach(_.join())
      assert(new Versions(store, root).list().map(_.version) == Vector.range(1, 22))
      val record = new JdbcRecords(settings).latest(directory.toString)
      assert(record.exists(r => r.version == 21 && r.path.endsWith(".manifest")), record)
    } finally Files.walk(directory).sorted(Comparator.reverseOrder()).forEach(p => Files.delete(p))
  }
}
