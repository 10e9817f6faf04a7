package io.sparklance.namespace

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.dataset.Dataset
import io.sparklance.io.ObjectStore
import io.sparklance.testkit.{DelegatingStore, MemoryStore}
import io.sparklance.{LanceUsageException, UnsupportedLanceFeatureException}

/** Drops and renames of tables that have several names, or stand inside each other. */
class DropAndRenameSuite extends AnyFunSuite with DirectoryTables {
  private def renaming(memory: MemoryStore): ObjectStore = new DelegatingStore(memory) {
    override def rename(directory: String, to: String): Boolean = !Dataset.exists(memory, to) && {
      memory.paths.filter(_.startsWith(directory + "/")).foreach { path =>
        memory.put(to + path.stripPrefix(directory), memory.bytes(path))
        memory.delete(path)
      }
      true
    }
  }

  test("dropping deletes tables without another name") {
    val store = new MemoryStore
    val directory = new TableDirectory(store, "/d")
    directory.create(Vector("a"), Map.empty)
    val place = made(directory, store, name("a", "t"))
    made(directory, store, name("plain"))
    directory.enter(name("a", "other"), "/d/plain.lance")
    assert(directory.drop(name("a", "t")) && !Dataset.exists(store, place))
    assert(!directory.drop(name("a", "t")))
    assert(directory.drop(name("a", "other")) && Dataset.exists(store, "/d/plain.lance"))
    assert(directory.drop(name("plain")) && !Dataset.exists(store, "/d/plain.lance"))
    assert(directory.tables(Vector.empty).isEmpty && directory.tables(Vector("a")).isEmpty)
  }

  test("a name in a namespace goes without the table of that name, or those in and around its place") {
    val store = new MemoryStore
    val directory = new TableDirectory(store, "/d")
    directory.create(Vector("a"), Map.empty)
    Seq("t", "u").foreach(n => make(store, s"/d/$n.lance"))
    Seq("outer", "outer/inner", "t.lance/data/x").foreach(place => make(store, s"/d/$place"))
    Seq("t" -> "t.lance", "u" -> "u.lance", "o" -> "outer", "i" -> "outer/inner", "x" -> "t.lance/data/x")
      .foreach { case (table, place) => directory.enter(name("a", table), s"/d/$place") }
    Seq("t", "o", "x").foreach(table => assert(directory.drop(name("a", table))))
    assert(directory.tables(Vector.empty) == Vector("t", "u"))
    assert(directory.tables(Vector("a")) == Vector("i", "u"))
    assert(Dataset.exists(store, "/d/outer/inner") && Dataset.exists(store, "/d/t.lance/data/x"))
    directory.dropWhole(Vector("a"))
    assert(!Dataset.exists(store, "/d/outer/inner") && directory.tables(Vector.empty) == Vector("t", "u"))
  }

  test("a namespace stays when a table that is called so goes, or would come") {
    val store = new MemoryStore
    val directory = new TableDirectory(store, "/d")
    directory.create(Vector("eu"), Map("owner" -> "me"))
    val place = made(directory, store, name("eu", "t"))
    made(directory, store, name("plain"))
    assert(intercept[LanceUsageException](directory.rename(name("plain"), name("eu")))
      .getMessage.contains("already"))
    assert(!directory.drop(name("eu")))
    make(store, "/d/eu.lance")
    assert(directory.drop(name("eu")) && !Dataset.exists(store, "/d/eu.lance"))
    assert(directory.properties(Vector("eu")).contains(Map("owner" -> "me")))
    assert(madeAt(directory, name("eu", "t")).contains(place))
  }

  test("renaming in namespaces is a commit; elsewhere it takes a store that renames directories") {
    val memory = new MemoryStore
    val store = renaming(memory)
    val directory = new TableDirectory(store, "/d")
    Seq("a", "b").foreach(n => directory.create(Vector(n), Map.empty))
    val place = made(directory, store, name("a", "t"))
    directory.rename(name("a", "t"), name("b", "u"))
    assert(directory.find(name("a", "t")).isEmpty && madeAt(directory, name("b", "u")).contains(place))
    made(directory, store, name("x"))
    directory.rename(name("x"), name("y"))
    assert(directory.find(name("x")).isEmpty && madeAt(directory, name("y")).contains("/d/y.lance"))
    made(directory, store, name("x"))
    def refused(from: TableName, to: TableName) =
      intercept[LanceUsageException](directory.rename(from, to)).getMessage
    assert(refused(name("x"), name("y")).contains("already"))
    assert(refused(name("x"), name("a", "x")).contains("cannot become"))
    assert(refused(name("b", "u"), name("u")).contains("cannot become"))
    assert(refused(name("z"), name("zz")).contains("no table 'z'"))
    assert(intercept[UnsupportedLanceFeatureException](
      new TableDirectory(memory, "/d").rename(name("x"), name("z"))
    ).getMessage.contains("renaming a directory"))
  }

  test("files that are not a table stay when the name is dropped") {
    val store = new MemoryStore
    val directory = new TableDirectory(store, "/d")
    Seq("a", "b").foreach { namespace =>
      directory.create(Vector(namespace), Map.empty)
      directory.enter(name(namespace, "t"), "/d/deep")
    }
    make(store, "/d/deep/down")
    assert(directory.drop(name("a", "t")) && directory.tables(Vector("a")).isEmpty)
    directory.dropWhole(Vector("b"))
    assert(Dataset.exists(store, "/d/deep/down"))
  }

  test("a table that goes although it has other names is left to these") {
    val store = new MemoryStore
    val directory = new TableDirectory(store, "/d")
    directory.create(Vector("a"), Map.empty)
    made(directory, store, name("plain"))
    directory.enter(name("a", "alias"), "/d/plain.lance")
    assert(directory.drop(name("plain")))
    assert(directory.tables(Vector.empty).isEmpty && directory.find(name("plain")).isEmpty)
    assert(madeAt(directory, name("a", "alias")).contains("/d/plain.lance"))
    assert(intercept[LanceUsageException](directory.place(name("plain"))).getMessage.contains("deregistered"))
    assert(directory.drop(name("a", "alias")) && !Dataset.exists(store, "/d/plain.lance"))
    assert(directory.place(name("plain")).place.root == "/d/plain.lance")
  }

  test("other names of a directory that is renamed follow it") {
    val store = renaming(new MemoryStore)
    val directory = new TableDirectory(store, "/d")
    directory.create(Vector("a"), Map.empty)
    made(directory, store, name("x"))
    make(store, "/d/x.lance/inner")
    Seq("alias" -> "x.lance", "inner" -> "x.lance/inner").foreach { case (table, place) =>
      directory.enter(name("a", table), s"/d/$place")
    }
    directory.rename(name("x"), name("y"))
    assert(madeAt(directory, name("y")).contains("/d/y.lance") && directory.find(name("x")).isEmpty)
    assert(madeAt(directory, name("a", "alias")).contains("/d/y.lance"))
    assert(madeAt(directory, name("a", "inner")).contains("/d/y.lance/inner"))
  }
}
