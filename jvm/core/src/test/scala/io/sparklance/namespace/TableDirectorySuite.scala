package io.sparklance.namespace

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.data.FileVersion
import io.sparklance.dataset.{Dataset, WriteSchema}
import io.sparklance.io.{ObjectStore, StorePath}
import io.sparklance.schema.{Field, LanceSchema, LogicalType}
import io.sparklance.table.transaction.{KeyChanges, Operation}
import io.sparklance.testkit.{DelegatingStore, MemoryStore}
import io.sparklance.{LanceFormatException, LanceUsageException, UnsupportedLanceFeatureException}

class TableDirectorySuite extends AnyFunSuite {
  private val columns = WriteSchema.forNewTable(
    LanceSchema(Vector(Field(LanceSchema.NoId, "a", LogicalType.Integer(32, signed = true), nullable = true)))
  )

  private def make(store: ObjectStore, root: String): Unit = {
    val _ = Dataset.create(store, root, columns, FileVersion.V2_2, Vector.empty)
  }

  private def made(directory: TableDirectory, store: ObjectStore, table: TableName): String = {
    val place = directory.place(table)
    make(store, place)
    directory.enter(table, place)
    place
  }

  private def name(parts: String*): TableName = TableName(parts.init.toVector, parts.last)

  test("tables without a namespace are directories, whoever made them") {
    val store = new MemoryStore
    val directory = new TableDirectory(store, "/d")
    make(store, "/d/theirs.lance")
    assert(made(directory, store, name("ours")) == "/d/ours.lance")
    store.put("/d/no table.lance/readme", Array(1))
    make(store, "/d/out.lance")
    store.put("/d/out.lance/.lance-deregistered", Array.empty)
    assert(directory.tables(Vector.empty) == Vector("ours", "theirs"))
    assert(directory.find(name("theirs")).contains("/d/theirs.lance"))
    assert(directory.find(name("out")).isEmpty && directory.find(name("no table")).isEmpty)
    assert(intercept[LanceUsageException](directory.place(name("out"))).getMessage.contains("taken out"))
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
    assert(directory.find(name("eu", "west", "t")).contains(place))
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

  test("a table is made only in a namespace that is there, and under a name that is free and can be kept") {
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
    val first = directory.place(name("a", "t"))
    val second = directory.place(name("a", "t"))
    assert(first != second)
    make(store, first)
    make(store, second)
    directory.enter(name("a", "t"), first)
    assert(intercept[LanceUsageException](directory.enter(
      name("a", "t"),
      second
    )).getMessage.contains("already"))
    assert(directory.find(name("a", "t")).contains(first))
    assert(intercept[LanceUsageException](directory.create(
      Vector("a"),
      Map.empty
    )).getMessage.contains("already"))
    assert(intercept[LanceUsageException](directory.create(Vector("x", "y"), Map.empty))
      .getMessage.contains("no namespace 'x'"))
  }

  test("dropping deletes what has no other name") {
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
    assert(directory.find(name("eu", "t")).contains(place))
  }

  test("renaming in namespaces is a commit; elsewhere it takes a store that renames directories") {
    val memory = new MemoryStore
    val store = new DelegatingStore(memory) {
      override def rename(directory: String, to: String): Boolean = !Dataset.exists(memory, to) && {
        memory.paths.filter(_.startsWith(directory + "/")).foreach { path =>
          memory.put(to + path.stripPrefix(directory), memory.bytes(path))
          memory.delete(path)
        }
        true
      }
    }
    val directory = new TableDirectory(store, "/d")
    Seq("a", "b").foreach(n => directory.create(Vector(n), Map.empty))
    val place = made(directory, store, name("a", "t"))
    directory.rename(name("a", "t"), name("b", "u"))
    assert(directory.find(name("a", "t")).isEmpty && directory.find(name("b", "u")).contains(place))
    made(directory, store, name("x"))
    directory.rename(name("x"), name("y"))
    assert(directory.find(name("x")).isEmpty && directory.find(name("y")).contains("/d/y.lance"))
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

  test("a list that lies sends nobody out of the directory") {
    val store = new MemoryStore
    Seq("/etc", "../x", "a/../../x", "s3://b/x", "", "a//b", "a//", "__manifest", "__manifest/data").foreach {
      location =>
        val root = s"/d${location.hashCode}"
        val directory = new TableDirectory(store, root)
        directory.create(Vector("a"), Map.empty)
        directory.enter(name("a", "t"), StorePath.join(root, location))
        val error = intercept[LanceFormatException](directory.drop(name("a", "t")))
        assert(error.getMessage.contains("no place in the directory") &&
          error.getMessage.contains("__manifest"))
    }
  }

  test("names with empty parts are no others' names") {
    val store = new MemoryStore
    val directory = new TableDirectory(store, "/d")
    directory.create(Vector("a"), Map.empty)
    Seq("", "$", "b$", "$b", "b$$c").foreach(id => directory.enter(TableName(Vector.empty, id), "/d/x"))
    made(directory, store, name("a", "t"))
    made(directory, store, name("b"))
    assert(directory.tables(Vector("a")) == Vector("t"))
    assert(directory.namespaces(Vector.empty) == Vector("a"))
    assert(directory.drop(name("b")) && directory.drop(name("a", "t")))
    assert(directory.dropEmpty(Vector("a")))
  }

  test("a list of later writers, which mean something else by it, is refused") {
    val store = new MemoryStore
    val directory = new TableDirectory(store, "/d")
    directory.create(Vector("a"), Map.empty)
    val flag = Map("lance.namespace.manifest.reader_feature_flags" -> Option("1"))
    Dataset.open(store, "/d/__manifest").commit(Operation.UpdateConfig.ofTable(KeyChanges.Merging(flag)))
    assert(intercept[UnsupportedLanceFeatureException](directory.namespaces(Vector.empty))
      .getMessage.contains("reader_feature_flags = 1"))
    assert(intercept[UnsupportedLanceFeatureException](directory.create(Vector("b"), Map.empty))
      .getMessage.contains("reader_feature_flags = 1"))
  }

  test("another table in the place of the list is refused") {
    val store = new MemoryStore
    make(store, "/d/__manifest")
    assert(intercept[LanceFormatException](new TableDirectory(store, "/d").namespaces(Vector.empty))
      .getMessage.contains("no column 'object_id'"))
  }
}
