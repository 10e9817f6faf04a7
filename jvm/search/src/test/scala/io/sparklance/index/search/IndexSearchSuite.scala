package io.sparklance.index.search

import java.util.UUID

import scala.util.Random

import com.google.protobuf.ByteString
import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.LanceException
import io.sparklance.dataset.Dataset
import io.sparklance.dataset.predicate.{NumberTest, Predicate}
import io.sparklance.dataset.scan.{ScanPlan, SplitTarget}
import io.sparklance.fuzz.{Damage, Specimen, TableContent}
import io.sparklance.index.TableIndices
import io.sparklance.index.read.SegmentCache
import io.sparklance.proto.transaction.Transaction
import io.sparklance.proto.{table => pb}
import io.sparklance.schema.Leaf
import io.sparklance.table.transaction.Operation
import io.sparklance.testkit.Ring

class IndexSearchSuite extends AnyFunSuite {
  import GoldenIndices._

  private val cases = Ring.cases(fast = 20, everyday = 40, full = 20000)

  private def text(uuid: ByteString): String = {
    val bytes = uuid.asReadOnlyByteBuffer
    new UUID(bytes.getLong, bytes.getLong).toString
  }

  test("each kind of index finds its rows") {
    val store = Specimen.store(files)
    val found = questions.map { question =>
      val answer = ask(store, question, BrokenIndices.Fail)
      (question.name, answer.map(a => (a.found, a.exact.size == 3, a.uncovered.size)))
    }
    assert(found === Vector(
      "tree" -> Some((9L, true, 0)),
      "tree" -> Some((12L, true, 0)),
      "bits" -> Some((26L, true, 0)),
      "bits" -> Some((14L, true, 0)),
      "zone" -> Some((16L, false, 0)),
      "zone" -> Some((0L, true, 0)),
      "bloom" -> Some((64L, false, 0)),
      "text" -> Some((0L, false, 0)),
      "labels" -> Some((21L, false, 0))
    ))
  }

  test("rows of exact answers are not tested again, others are") {
    val dataset = Dataset.open(Specimen.store(files), Root)
    questions.filter(_.lists(dataset).isEmpty).foreach { question =>
      val predicate = question.predicate(dataset)
      val answer = ask(dataset.store, question, BrokenIndices.Fail).get
      val tasks = ScanPlan.splits(
        dataset,
        Vector.empty,
        SplitTarget.Rows(1000),
        answer.addresses,
        predicate,
        passed = answer.exact
      ).flatMap(_.tasks)
      tasks.foreach { task =>
        val kept = if (answer.exact(task.fragmentId)) Predicate.Always else predicate
        assert(task.predicate == kept)
        assert(task.files.isEmpty == (kept == Predicate.Always))
      }
    }
  }

  test("rows of a fragment that two segments cover are tested again: one of the segments may be outdated") {
    val store = Specimen.store(files)
    val dataset = Dataset.open(store, Root)
    val tree = TableIndices.stored(dataset).find(_.name == "tree").get
    val own = tree.uuid.get.uuid
    val other = ByteString.copyFrom(Array.fill[Byte](own.size)(1))
    files.foreach { case (path, bytes) =>
      if (path.contains(text(own))) store.put(path.replace(text(own), text(other)), bytes)
    }
    val second = Transaction.CreateIndex(Seq(tree.copy(uuid = Some(pb.UUID(other)))))
    val _ = dataset.commit(Operation.CreateIndex(second))
    val answer = ask(store, questions.head, BrokenIndices.Fail).get
    assert(answer.uses.map(_.segments) == Vector(2) && answer.found == 9 && answer.exact.isEmpty)
  }

  test("rows are counted in fragments with exact answers only") {
    val dataset = Dataset.open(Specimen.store(files), Root)
    def column(name: String) = Leaf(Vector.empty, dataset.schema.fields.find(_.name == name).get)
    def count(predicate: Predicate) = IndexSearch.count(dataset, predicate, BrokenIndices.Fail)
    val most = Predicate.NotNull(column("tree"))
    val counted = count(most)
    assert(counted.map(c => (c.rows, c.fragments.size)).contains((108L, 3)))
    assert(count(Predicate.Passes(column("zone"), NumberTest.Within(0, 1))).isEmpty)
  }

  test("a runtime filter narrows an answer") {
    val dataset = Dataset.open(Specimen.store(files), Root)
    def found(name: String) = questions.find(_.name == name).get.predicate(dataset)
    def find(predicate: Predicate) =
      IndexSearch.find(dataset, predicate, Vector.empty, BrokenIndices.Fail).get
    val static = find(found("zone"))
    val narrowed = IndexSearch.narrow(static, dataset, found("tree"), BrokenIndices.Fail)
    assert(narrowed.addresses == static.addresses && narrowed.exact.isEmpty)
    val wide = static.copy(found = 1 << 20)
    val both = IndexSearch.narrow(wide, dataset, found("tree"), BrokenIndices.Fail)
    assert(both.addresses == static.addresses.intersect(find(found("tree")).addresses))
    assert(both.uses.map(_.name) == Vector("zone", "tree"))
    assert(IndexSearch.narrow(wide, dataset, Predicate.Always, BrokenIndices.Fail) == wide)
  }

  test("damaged index files are refused or searched, and skipped if the caller wants that") {
    val (own, others) = files.partition(_._1.contains("/_indices/"))
    val content = TableContent.read(Specimen.store(files), Root, Set.empty)
    val specimen = Specimen("indices", own, Set.empty, content)
    val first = Random.nextInt(1 << 30)
    for (number <- first until first + cases) {
      val damaged = new Damage(Vector(specimen), new Random(number.toLong))(specimen)
      val store = Specimen.store(others ++ damaged.files)
      questions.foreach { question =>
        val told = s"case $number (${damaged.what}), a question to ${question.name}"
        SegmentCache.clear()
        withClue(told) {
          try { val _ = ask(store, question, BrokenIndices.Fail) }
          catch { case e: LanceException => assert(e.getMessage.contains(s"the index '${question.name}'")) }
        }
        SegmentCache.clear()
        withClue(told) { val _ = ask(store, question, BrokenIndices.Scan) }
      }
    }
    SegmentCache.clear()
  }
}
