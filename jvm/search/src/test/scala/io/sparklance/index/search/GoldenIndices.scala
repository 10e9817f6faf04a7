package io.sparklance.index.search

import java.nio.file.{Files, Paths}

import scala.jdk.CollectionConverters._
import scala.util.Using

import io.sparklance.dataset.Dataset
import io.sparklance.dataset.predicate.{BytesTest, NumberKeys, NumberTest, Predicate}
import io.sparklance.index.ListTest
import io.sparklance.io.ObjectStore
import io.sparklance.schema.Leaf

/** The table that `tests/golden/indices.py` writes, and a question to each of its indices. */
object GoldenIndices {
  final val Root = "/table"

  lazy val files: Map[String, Array[Byte]] = filesOf("tests/golden/indices")

  /** Returns the files of a directory as those of a table. */
  def filesOf(path: String): Map[String, Array[Byte]] = {
    val directory = Paths.get(path)
    Using.resource(Files.walk(directory)) { paths =>
      paths.iterator.asScala.filter(Files.isRegularFile(_)).map { path =>
        s"$Root/${directory.relativize(path)}" -> Files.readAllBytes(path)
      }.toMap
    }
  }

  /** @param name of the index and of its column */
  final case class Question(name: String, predicate: Dataset => Predicate, lists: Dataset => Vector[ListTest])

  val questions: Vector[Question] = Vector(
    question("tree")(Predicate.Passes(_, NumberTest.Within(5, 7))),
    question("tree")(Predicate.IsNull(_)),
    question("bits")(Predicate.Passes(_, BytesTest.SameAs(BytesTest.bytes("red".getBytes)))),
    question("bits")(Predicate.IsNull(_)),
    question("zone")(Predicate.Passes(_, NumberTest.Within(NumberKeys.ofDouble(1), NumberKeys.ofDouble(2)))),
    question("zone")(Predicate.IsNull(_)),
    question("bloom")(Predicate.Passes(_, BytesTest.SameAs(BytesTest.bytes("key003".getBytes)))),
    question("text")(Predicate.Passes(_, BytesTest.Contains(BytesTest.bytes("brown cat".getBytes)))),
    Question(
      "labels",
      _ => Predicate.Always,
      dataset => {
        val list = dataset.schema.fields.find(_.name == "labels").get
        val item = Leaf(Vector.empty, list.children.head)
        Vector(ListTest(list.id, item, BytesTest.SameAs(BytesTest.bytes("a1".getBytes))))
      }
    )
  )

  def ask(store: ObjectStore, question: Question, broken: BrokenIndices): Option[IndexAnswer] = {
    val dataset = Dataset.open(store, Root)
    IndexSearch.find(dataset, question.predicate(dataset), question.lists(dataset), broken)
  }

  private def question(column: String)(predicate: Leaf => Predicate): Question = Question(
    column,
    dataset => predicate(Leaf(Vector.empty, dataset.schema.fields.find(_.name == column).get)),
    _ => Vector.empty
  )
}
