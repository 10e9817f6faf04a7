package io.sparklance.namespace

import java.io.IOException
import java.util.concurrent.{CountDownLatch, TimeUnit}

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.dataset.Dataset
import io.sparklance.io.FileEntry
import io.sparklance.testkit.{DelegatingStore, MemoryStore}
import io.sparklance.{LanceUsageException, RetryableCommitConflictException}

class TableDirectorySuite extends AnyFunSuite with DirectoryTables {
  test("tables without a namespace are directories, whoever made them") {
    val store = new MemoryStore
    val directory = new TableDirectory(store, "/d")
    make(store, "/d/theirs.lance")
    assert(made(directory, store, name("ours")) == "/d/ours.lance")
    store.put("/d/no table.lance/readme", Array(1))
    make(store, "/d/out.lance")
    store.put("/d/out.lance/.lance-deregistered", Array.empty)
    assert(directory.tables(Vector.empty) == Vector("ours", "theirs"))
    assert(madeAt(directory, name("theirs")).contains("/d/theirs.lance"))
    assert(directory.find(name("out")).isEmpty && directory.find(name("no table")).isEmpty)
    assert(intercept[LanceUsageException](directory.place(name("out"))).getMessage.contains("deregistered"))
  }

  test("a registration that broke off before the table showed again can be repeated") {
    val memory = new MemoryStore
    var isBroken = true
    val store = new DelegatingStore(memory) {
      override def delete(path: String): Unit =
        if (isBroken && path.endsWith(".lance-deregistered")) throw new IOException("no answer")
        else memory.delete(path)
    }
    val directory = new TableDirectory(store, "/d")
    made(directory, store, name("t"))
    assert(directory.deregister(name("t")).contains("/d/t.lance"))
    intercept[IOException](directory.register(name("t"), "t.lance"))
    assert(directory.find(name("t")).isEmpty && directory.tables(Vector.empty).isEmpty)
    make(store, "/d/other")
    intercept[LanceUsageException](directory.register(name("t"), "other"))
    isBroken = false
    assert(directory.register(name("t"), "t.lance").root == "/d/t.lance")
    assert(madeAt(directory, name("t")).contains("/d/t.lance"))
    intercept[LanceUsageException](directory.register(name("t"), "t.lance"))
  }

  test("namespaces hold tables and namespaces, and lie where only the list knows") {
    val store = new MemoryStore
    val directory = new TableDirectory(store, "/d")
    directory.create(Vector("eu"), Map("owner" -> "me"))
    directory.create(Vector("eu", "west"), Map.empty)
    val place = made(directory, store, name("eu", "west", "t"))
    assert(place.matches("/d/[0-9a-f]{8}_eu\\$west\\$t"))
    assert(directory.namespaces(Vector.empty) == Vector("eu"))
    assert(directory.namespaces(Vector("eu")) == Vector("west"))
    assert(directory.tables(Vector("eu", "west")) == Vector("t") && directory.tables(Vector("eu")).isEmpty)
    assert(madeAt(directory, name("eu", "west", "t")).contains(place))
    assert(directory.properties(Vector("eu")).contains(Map("owner" -> "me")))
    assert(directory.properties(Vector("us")).isEmpty)
    directory.change(Vector("eu"))(_ + ("a" -> "b"))
    assert(directory.properties(Vector("eu")).contains(Map("owner" -> "me", "a" -> "b")))
  }

  test("a namespace is dropped when it is empty, or with all that is in it") {
    val store = new MemoryStore
    val directory = new TableDirectory(store, "/d")
    directory.create(Vector("a"), Map.empty)
    directory.create(Vector("ab"), Map.empty)
    directory.create(Vector("a", "b"), Map.empty)
    val place = made(directory, store, name("a", "b", "t"))
    assert(!directory.dropEmpty(Vector("a")))
    assert(directory.namespaces(Vector("a")) == Vector("b"))
    directory.dropWhole(Vector("a"))
    assert(directory.namespaces(Vector.empty) == Vector("ab") && !Dataset.exists(store, place))
    assert(directory.dropEmpty(Vector("ab")))
    assert(directory.namespaces(Vector.empty).isEmpty)
  }

  test("a table is created only in an existing namespace, under a name that is free and valid") {
    val store = new MemoryStore
    val directory = new TableDirectory(store, "/d")
    directory.create(Vector("a"), Map.empty)
    def refused(parts: String*) =
      intercept[LanceUsageException](directory.place(name(parts: _*))).getMessage
    assert(refused("b", "t").contains("no namespace 'b'"))
    assert(refused("a").contains("already"))
    assert(refused("a", "x$y").contains("separates the parts"))
    assert(refused("").contains("it is empty"))
    assert(refused("..").contains("a directory's own name"))
    assert(refused("x\\y").contains("becomes a directory's name"))
    val first = directory.place(name("a", "t")).place.root
    val second = directory.place(name("a", "t")).place.root
    assert(first != second)
    make(store, first)
    make(store, second)
    directory.enter(name("a", "t"), first)
    assert(intercept[RetryableCommitConflictException](directory.enter(
      name("a", "t"),
      second
    )).getMessage.contains("already"))
    assert(madeAt(directory, name("a", "t")).contains(first))
    assert(intercept[LanceUsageException](directory.create(
      Vector("a"),
      Map.empty
    )).getMessage.contains("already"))
    assert(intercept[LanceUsageException](directory.create(Vector("x", "y"), Map.empty))
      .getMessage.contains("no namespace 'x'"))
  }

  test("many change the list at once, and nothing is lost") {
    val store = new MemoryStore
    val threads = (0 until 4).map { i =>
      val thread = new Thread(() =>
        (0 until 3).foreach(j => new TableDirectory(store, "/d").create(Vector(s"n$i$j"), Map.empty))
      )
      thread.start()
      thread
    }
    threads.foreach(_.join())
    val wanted = for (i <- 0 until 4; j <- 0 until 3) yield s"n$i$j"
    assert(new TableDirectory(store, "/d").namespaces(Vector.empty) == wanted)
  }

  test("a name that was declared has no version, and can be filled or dropped") {
    val store = new MemoryStore
    val directory = new TableDirectory(store, "/d")
    directory.create(Vector("a"), Map.empty)
    def declare(): Unit = {
      store.put("/d/t.lance/.lance-reserved", Array(1))
      directory.enter(name("t"), "/d/t.lance")
      store.put("/d/at/.lance-reserved", Array(1))
      directory.enter(name("a", "t"), "/d/at")
    }
    declare()
    assert(directory.tables(Vector.empty) == Vector("t") && directory.tables(Vector("a")) == Vector("t"))
    assert(directory.find(name("t")).contains(FoundTable.Declared(PlacedTable("/d/t.lance"))))
    assert(directory.find(name("a", "t")).contains(FoundTable.Declared(PlacedTable("/d/at"))))
    assert(made(directory, store, name("t")) == "/d/t.lance")
    assert(made(directory, store, name("a", "t")) == "/d/at")
    assert(directory.find(name("a", "t")).contains(FoundTable.Made(PlacedTable("/d/at"))))
    Seq(name("t"), name("a", "t")).foreach(table => assert(directory.drop(table)))
    declare()
    Seq(name("t"), name("a", "t")).foreach(table => assert(directory.drop(table)))
    assert(directory.tables(Vector.empty).isEmpty && directory.tables(Vector("a")).isEmpty)
    assert(store.paths.forall(_.startsWith("/d/__manifest/")))
  }

  test("tables are looked for several at a time") {
    val memory = new MemoryStore
    (0 until 4).foreach(i => make(memory, s"/d/t$i.lance"))
    val together = new CountDownLatch(4)
    val store = new DelegatingStore(memory) {
      override def list(directory: String): Vector[FileEntry] = {
        if (directory.endsWith(".lance")) {
          together.countDown()
          assert(together.await(60, TimeUnit.SECONDS))
        }
        memory.list(directory)
      }
    }
    assert(new TableDirectory(store, "/d").tables(Vector.empty) == (0 until 4).map(i => s"t$i"))
  }
}
