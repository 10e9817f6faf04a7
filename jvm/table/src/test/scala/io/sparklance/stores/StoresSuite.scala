package io.sparklance.stores

import java.nio.file.{Files, Path => LocalPath}

import org.apache.hadoop.conf.Configuration
import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.LanceUsageException
import io.sparklance.io.hadoop.Schemes
import io.sparklance.io.{CommitHandler, CommitLock, LocalStore, LockedCommits, ObjectStore, UnguardedCommits}
import io.sparklance.table.Versions
import io.sparklance.table.commit.CommitLoop
import io.sparklance.testkit.TableFixtures.{append, overwrite}

class StoresSuite extends AnyFunSuite {
  private def conf(settings: (String, String)*): Configuration = {
    val made = new Configuration(false)
    settings.foreach { case (key, value) => made.set(key, value) }
    made
  }

  test("the root's scheme, or else the default file system, chooses the store") {
    val settings = conf()
    assert(Stores.forRoot("/tmp/t", settings) == LocalStore)
    assert(Stores.forRoot("file:///tmp/t", settings) == LocalStore)
    settings.set("fs.defaultFS", "file:///")
    assert(Stores.forRoot("/tmp/t", settings) == LocalStore)
  }

  test("URIs that other software writes are Hadoop's") {
    val settings = conf(Schemes.AccountKey -> "acme")
    def hadoops(uri: String) = Schemes.hadoops(uri, settings)
    assert(hadoops("s3://bucket/a/b") == "s3a://bucket/a/b")
    assert(hadoops("s3a://bucket/a") == "s3a://bucket/a")
    assert(hadoops("gs://bucket/a") == "gs://bucket/a")
    assert(hadoops("az://box/a/b") == "abfss://box@acme.dfs.core.windows.net/a/b")
    assert(hadoops("az://box@other/a") == "abfss://box@other.dfs.core.windows.net/a")
    assert(hadoops("abfss://box@acme.dfs.core.windows.net/a") == "abfss://box@acme.dfs.core.windows.net/a")
    assert(hadoops("file:///a/b") == "file:///a/b" && hadoops("/a/b") == "/a/b")
    val e = intercept[LanceUsageException](Schemes.hadoops("az://box/a", conf()))
    assert(e.getMessage.contains("fs.azure.abfs.account.name"))
  }

  test("s3+ddb is a bucket with a table of records, and is written again as it was read") {
    val uri = TableUri.parse("s3+ddb://bucket/a/t.lance?ddbTableName=locks", conf())
    assert(uri == TableUri("s3a://bucket/a/t.lance", Some("locks")))
    assert(uri.toString == "s3+ddb://bucket/a/t.lance?ddbTableName=locks")
    assert(TableUri.parse("s3://bucket/t", conf()) == TableUri("s3a://bucket/t", None))
    for (query <- Seq("", "?", "?ddbTableName=", "?table=x", "?ddbTableName=a&b=c")) {
      val e = intercept[LanceUsageException](TableUri.parse(s"s3+ddb://bucket/t$query", conf()))
      assert(e.getMessage.contains("does not name the DynamoDB table"), query)
    }
  }

  test("a class, a lock or nothing at all may be named to order commits") {
    def handler(name: String): CommitHandler = {
      val settings = conf()
      CommitChoice.setHandler(name, settings)
      Stores.forTable("file:///tmp/t", settings).commits
    }
    assert(handler("unguarded") == UnguardedCommits)
    assert(handler(classOf[OwnHandler].getName).isInstanceOf[OwnHandler])
    assert(handler(classOf[OwnLock].getName).isInstanceOf[LockedCommits])
    def refusal(name: String): String = intercept[LanceUsageException](handler(name)).getMessage
    assert(refusal("no.such.Class").contains("cannot be instantiated"))
    assert(refusal(
      classOf[String].getName
    ).contains("is no io.sparklance.io.CommitHandler, io.sparklance.io.CommitLock or"))
  }

  test("a table is ordered by a database or by a handler of one's own, not by both") {
    val settings = conf()
    CommitChoice.setHandler("unguarded", settings)
    CommitChoice.setRecords("locks", settings)
    val e = intercept[LanceUsageException](Stores.forTable("file:///tmp/t", settings))
    assert(e.getMessage.contains("Leave one of them out"))
  }

  test("with a lock, of writers at the same time each makes a version") {
    val directory = Files.createTempDirectory("sparklance")
    val root = s"file://$directory"
    val settings = conf()
    CommitChoice.setHandler(classOf[OwnLock].getName, settings)
    def store: ObjectStore = Stores.forTable(root, settings)
    new CommitLoop(store, root).commit(0, overwrite("a"))
    val threads = (1 to 4).map { i =>
      new Thread(() => (1 to 5).foreach(j => new CommitLoop(store, root).commit(1, append(s"$i-$j"))))
    }
    threads.foreach(_.start())
    threads.foreach(_.join())
    assert(new Versions(store, root).list().map(_.version) == Vector.range(1, 22))
    Files.walk(directory).sorted(java.util.Comparator.reverseOrder[LocalPath]()).forEach(p => Files.delete(p))
  }

  test("files in other places are found there, and plain paths on the machine") {
    val directory = Files.createTempDirectory("sparklance")
    val file = directory.resolve("f")
    Files.write(file, Array[Byte](1, 2))
    val settings = conf("fs.mem.impl" -> classOf[EmptyFileSystem].getName)
    val store = Stores.forTable("mem://here/t", settings)
    assert(store.open(file.toString).size == 2)
    assert(store.open(s"file://$file").size == 2)
    assert(!store.exists("mem://there/t/f") && !store.exists("mem://here/t/f"))
    Files.delete(file)
    Files.delete(directory)
  }

  test("a table's own settings make a file system of its own, which others do not share") {
    def settings(key: String): Configuration = {
      val made = conf("fs.mem.impl" -> classOf[EmptyFileSystem].getName)
      StorageSettings.add(Map("fs.mem.key" -> key), made)
      made
    }
    val path = new org.apache.hadoop.fs.Path("mem://bucket/t")
    val (first, second) = (FileSystems.of(path, settings("a")), FileSystems.of(path, settings("b")))
    assert(first ne second)
    assert(FileSystems.of(path, settings("a")) eq first)
    assert(first.getConf.get("fs.mem.key") == "a" && second.getConf.get("fs.mem.key") == "b")
  }
}

final class OwnHandler(settings: Configuration) extends CommitHandler {
  def commit(store: ObjectStore, path: String, version: Long, manifest: Array[Byte]): Boolean =
    settings != null && store.putIfAbsent(path, manifest)
  def settle(store: ObjectStore, directory: String): Unit = ()
}

final class OwnLock extends CommitLock {
  def acquire(path: String, version: Long): AutoCloseable = {
    OwnLock.held.acquire()
    () => OwnLock.held.release()
  }
}

object OwnLock {
  private val held = new java.util.concurrent.Semaphore(1)
}
