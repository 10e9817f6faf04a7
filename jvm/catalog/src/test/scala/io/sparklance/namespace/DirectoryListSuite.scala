package io.sparklance.namespace

import scala.util.Using

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.data.{Column, FileVersion, VariableBlock}
import io.sparklance.dataset.scan.{ScanPlan, SplitReader, SplitTarget}
import io.sparklance.dataset.write.{FragmentWriter, WriteSchema}
import io.sparklance.dataset.{Dataset, TableDefinition}
import io.sparklance.io.{ObjectStore, StorePath}
import io.sparklance.schema.{Field, LanceSchema, LogicalType}
import io.sparklance.table.transaction.{KeyChanges, Operation}
import io.sparklance.testkit.MemoryStore
import io.sparklance.{LanceFormatException, UnsupportedLanceFeatureException}

/** Rows of the list that other writers made, or that make no sense. */
class DirectoryListSuite extends AnyFunSuite with DirectoryTables {

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

  test("a false list does not lead out of the directory") {
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
          assert(message.contains("'a.t'") && message.contains("outside of the directory") &&
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
    Seq(
      "dots" -> "outside of the directory",
      "none" -> "has no location",
      "twice" -> "is there 2 times",
      "view" -> "'view'"
    )
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

  test("other columns of later writers, and values that are not strings, are kept") {
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
