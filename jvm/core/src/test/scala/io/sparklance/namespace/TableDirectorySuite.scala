package io.sparklance.namespace

import java.util.concurrent.{CountDownLatch, TimeUnit}

import scala.util.Using

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.data.{Column, FileVersion, VariableBlock}
import io.sparklance.dataset.Dataset
import io.sparklance.dataset.TableDefinition
import io.sparklance.dataset.scan.{ScanPlan, SplitReader, SplitTarget}
import io.sparklance.dataset.write.{FragmentWriter, WriteSchema}
import io.sparklance.io.{FileEntry, ObjectStore, StorePath}
import io.sparklance.schema.{Field, LanceSchema, LogicalType}
import io.sparklance.table.transaction.{KeyChanges, Operation}
import io.sparklance.testkit.{DelegatingStore, MemoryStore}
import io.sparklance.{LanceFormatException, LanceUsageException, UnsupportedLanceFeatureException}

class TableDirectorySuite extends AnyFunSuite {
  private val columns = WriteSchema.forNewTable(
    LanceSchema(Vector(Field(LanceSchema.NoId, "a", LogicalType.Integer(32, signed = true), nullable = true)))
  )

  private def make(store: ObjectStore, root: String): Unit = {
    val _ = Dataset.create(store, root, TableDefinition(columns, FileVersion.V2_2), Vector.empty)
  }

  private def made(directory: TableDirectory, store: ObjectStore, table: TableName): String = {
    val place = directory.place(table)
    make(store, place)
    directory.enter(table, place)
    place
  }

  /** Where a table is that has a version. */
  private def madeAt(directory: TableDirectory, table: TableName): Option[String] =
    directory.find(table).collect { case FoundTable.Made(place) => place }

  private def renaming(memory: MemoryStore): ObjectStore = new DelegatingStore(memory) {
    override def rename(directory: String, to: String): Boolean = !Dataset.exists(memory, to) && {
      memory.paths.filter(_.startsWith(directory + "/")).foreach { path =>
        memory.put(to + path.stripPrefix(directory), memory.bytes(path))
        memory.delete(path)
      }
      true
    }
  }

  /** Adds rows to the list of `/d`, as others might: texts of its columns, or null. */
  private def insert(store: ObjectStore, rows: Vector[String]*): Unit = {
    val dataset = Dataset.open(store, "/d/__manifest")
    val writer = new FragmentWriter(store, "/d/__manifest", dataset.schema, dataset.fileVersion)
    rows.foreach { row =>
      writer.columns.zip(row.padTo(writer.columns.size, null)).foreach {
        case (column, null) => column.appendNulls(1)
        case (column, text) =>
          column.values.asInstanceOf[VariableBlock].append(text.getBytes, 0, text.getBytes.length)
          column.nulls.appendValid(1)
      }
      writer.rowWritten()
    }
    val _ = dataset.append(Vector(writer.finish()))
  }

  /** The texts of its rows. */
  private def listed(store: ObjectStore): Set[Vector[String]] = {
    val dataset = Dataset.open(store, "/d/__manifest")
    val fields = dataset.schema.fields.filter(_.logicalType == LogicalType.Utf8(large = false))
    val rows = Set.newBuilder[Vector[String]]
    ScanPlan.splits(dataset, fields, SplitTarget.Rows(Long.MaxValue)).foreach { split =>
      Using.resource(new SplitReader(store, split, 4096)) { reader =>
        while (reader.next())
          rows ++= Vector.tabulate(reader.rowCount)(row => reader.columns.map(text(_, row)))
      }
    }
    rows.result()
  }

  private def text(column: Column, row: Int): String = column.values match {
    case strings: VariableBlock if !column.nulls.isNull(row) =>
      val from = strings.offsets(row)
      new String(strings.bytes, from, strings.offsets(row + 1) - from)
    case _ => null
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
    assert(madeAt(directory, name("theirs")).contains("/d/theirs.lance"))
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
    assert(madeAt(directory, name("a", "t")).contains(first))
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
    Seq("/etc", "../x", "a/../../x", "s3://b/x", "", "a//b", "a//", ".", "__manifest", "./__manifest/data")
      .foreach { location =>
        val root = s"/d${location.hashCode}"
        val directory = new TableDirectory(store, root)
        directory.create(Vector("a"), Map.empty)
        make(store, s"$root/t.lance")
        directory.enter(name("a", "t"), StorePath.join(root, location))
        def refused(body: => Any) = {
          val message = intercept[LanceFormatException](body).getMessage
          assert(message.contains("'a.t'") && message.contains("no place in the directory") &&
            message.contains("__manifest"))
        }
        refused(directory.find(name("a", "t")).foreach {
          case FoundTable.Unusable(failure) => throw failure
          case other => fail(other.toString)
        })
        refused(directory.place(name("a", "t")))
        refused(directory.rename(name("a", "t"), name("a", "u")))
        assert(directory.tables(Vector("a")) == Vector("t"))
        val before = store.paths.toSet
        assert(directory.drop(name("a", "t")) && before.subsetOf(store.paths.toSet))
        assert(directory.tables(Vector("a")).isEmpty && directory.find(name("a", "t")).isEmpty)
      }
  }

  test("a row that makes no sense is an error only for who needs it") {
    val store = new MemoryStore
    val directory = new TableDirectory(store, "/d")
    directory.create(Vector("a"), Map("k" -> "v"))
    make(store, "/d/good")
    insert(
      store,
      Vector("a$good", "table", "./good/"),
      Vector("a$dots", "table", "../x"),
      Vector("a$none", "table"),
      Vector("a$twice", "table", "x"),
      Vector("a$twice", "table", "y"),
      Vector("a$view", "view", "SELECT 1"),
      Vector("odd", "namespace", null, "[1]"),
      Vector("torn", "namespace", null, "{")
    )
    val place = made(directory, store, name("a", "t"))
    assert(madeAt(directory, name("a", "t")).contains(place))
    assert(madeAt(directory, name("a", "good")).contains("/d/good"))
    assert(directory.tables(Vector("a")) == Vector("dots", "good", "none", "t", "twice"))
    assert(directory.namespaces(Vector.empty) == Vector("a", "odd", "torn"))
    Seq("dots" -> "no place", "none" -> "has no location", "twice" -> "is there 2 times", "view" -> "'view'")
      .foreach { case (table, why) =>
        val found = directory.find(name("a", table))
        assert(found.collect { case FoundTable.Unusable(e) => e.getMessage }.exists(_.contains(why)))
      }
    assert(intercept[UnsupportedLanceFeatureException](directory.drop(name("a", "view")))
      .getMessage.contains("object of type 'view'"))
    Seq("odd" -> "no JSON object", "torn" -> "no JSON:").foreach { case (namespace, why) =>
      assert(directory.hasNamespace(Vector(namespace)))
      assert(
        intercept[LanceFormatException](directory.properties(Vector(namespace))).getMessage.contains(why)
      )
      assert(intercept[LanceFormatException](directory.change(Vector(namespace))(identity))
        .getMessage.contains(s"metadata of '$namespace'"))
      made(directory, store, name(namespace, "t"))
      assert(directory.drop(name(namespace, "t")) && directory.dropEmpty(Vector(namespace)))
    }
    Seq("dots", "none", "twice").foreach(table => assert(directory.drop(name("a", table))))
    assert(directory.tables(Vector("a")) == Vector("good", "t") && !directory.dropEmpty(Vector("a")))
  }

  test("what later writers say in other columns, and values that are no strings, are kept") {
    val store = new MemoryStore
    val more = EntryRows.schema.fields :+
      Field(LanceSchema.NoId, "owner", LogicalType.Utf8(large = false), nullable = true)
    val schema = WriteSchema.forVersion(LanceSchema(more), FileVersion.V2_2)
    val _ = Dataset.create(store, "/d/__manifest", TableDefinition(schema, FileVersion.V2_2), Vector.empty)
    val metadata = """{"size":5,"tree":{"a":[1]},"word":"x"}"""
    insert(store, Vector("a", "namespace", null, metadata, null, "me"))
    insert(store, Vector("a$t", "table", "t", metadata, null, "you"))
    make(store, "/d/t")
    val directory = new TableDirectory(store, "/d")
    val shown = Map("size" -> "5", "tree" -> """{"a":[1]}""", "word" -> "x")
    assert(directory.properties(Vector("a")).contains(shown))
    directory.change(Vector("a"))(_ - "word" + ("new" -> "y"))
    assert(directory.properties(Vector("a")).contains(shown - "word" + ("new" -> "y")))
    directory.rename(name("a", "t"), name("a", "u"))
    directory.create(Vector("b"), Map.empty)
    assert(listed(store) == Set(
      Vector("a", "namespace", null, """{"size":5,"tree":{"a":[1]},"new":"y"}""", "me"),
      Vector("a$u", "table", "t", metadata, "you"),
      Vector("b", "namespace", null, null, null)
    ))
    directory.change(Vector("a"))(_ => Map.empty)
    assert(listed(store).contains(Vector("a", "namespace", null, null, "me")))
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
    assert(directory.find(name("t")).contains(FoundTable.Declared("/d/t.lance")))
    assert(directory.find(name("a", "t")).contains(FoundTable.Declared("/d/at")))
    assert(made(directory, store, name("t")) == "/d/t.lance")
    assert(made(directory, store, name("a", "t")) == "/d/at")
    assert(directory.find(name("a", "t")).contains(FoundTable.Made("/d/at")))
    Seq(name("t"), name("a", "t")).foreach(table => assert(directory.drop(table)))
    declare()
    Seq(name("t"), name("a", "t")).foreach(table => assert(directory.drop(table)))
    assert(directory.tables(Vector.empty).isEmpty && directory.tables(Vector("a")).isEmpty)
    assert(store.paths.forall(_.startsWith("/d/__manifest/")))
  }

  test("what is no table stays when its name goes") {
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
    assert(intercept[LanceUsageException](directory.place(name("plain"))).getMessage.contains("taken out"))
    assert(directory.drop(name("a", "alias")) && !Dataset.exists(store, "/d/plain.lance"))
    assert(directory.place(name("plain")) == "/d/plain.lance")
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
