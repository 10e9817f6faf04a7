package io.sparklance.dataset.scan

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.data.RowRanges
import io.sparklance.dataset.predicate.{NumberTest, Predicate}
import io.sparklance.dataset.snapshot.MetadataColumn
import io.sparklance.schema.LogicalType.{Integer, List, Struct, Utf8}
import io.sparklance.schema.{Field, Leaf}
import io.sparklance.{LanceFormatException, Location}

/** Plans of fragments are made without a store. */
class FragmentPlanSuite extends AnyFunSuite {
  private val id = Field(0, "id", Integer(64, signed = true), nullable = true)
  private val text = Field(1, "text", Utf8(large = false), nullable = true)
  private val x = Field(3, "x", Integer(32, signed = true), nullable = true)
  private val y = Field(4, "y", Integer(32, signed = true), nullable = true)
  private val point = Field(2, "point", Struct, nullable = true, children = Vector(x, y))
  private val words = Field(6, "words", Utf8(large = false), nullable = true)
  private val list =
    Field(5, "list", List(large = false, ofStruct = false), nullable = true, children = Vector(words))

  private val first = FileSource("a.lance", None, Vector(0, 1), Vector(0, 1))
  private val second = FileSource("b.lance", None, Vector(3, 5, 6), Vector(7, 8, 9))

  private def task(projection: Field*): FragmentTask =
    FragmentTask(3, Vector(first, second), 100, None, RowRanges(50, 200), projection.toVector)

  private def leaf(field: Field): Leaf = Leaf(Vector.empty, field)
  private def positive(field: Field): Predicate =
    Predicate.Passes(leaf(field), NumberTest.Within(1, Long.MaxValue))

  test("each leaf comes from the file that has it, and rows end with the fragment") {
    val plan = FragmentPlan.of(task(id, text, point, list), None)
    assert(plan.rows == RowRanges(50, 100))
    assert(
      plan.files.map(file => file.source.path -> file.streamed.map(_.name)).toMap ==
        Map("a.lance" -> Vector("id", "text"), "b.lance" -> Vector("point.x", "list.words"))
    )
    assert(plan.files.forall(file => file.tested.isEmpty && file.rest.isEmpty))
    assert(plan.missing == Vector(y) && plan.missingTested.isEmpty)
  }

  test("requests have the file's columns: that of the leaf, and those of lists around it") {
    val requests = FragmentPlan.of(task(list), None).files.flatMap(_.streamedRequests)
    assert(requests.map(r => (r.columnIndex, r.leaf.name)) == Vector((9, "list.words")))
    assert(requests.forall(_.chunkFilter.isEmpty))
  }

  test("leaves of the first filter are streamed, those of the second tested, and all others read last") {
    val large = Predicate.NotNull(leaf(text))
    val planned = FragmentPlan.of(task(list).copy(predicate = Predicate.all(positive(id), large)), None)
    val files = planned.files.map(file => file.source.path -> file).toMap
    assert(files("a.lance").streamed == Vector(leaf(id)) && files("a.lance").tested == Vector(leaf(text)))
    assert(files("b.lance").streamed.isEmpty && files("b.lance").rest.map(_.name) == Vector("list.words"))
    assert(files("a.lance").streamedRequests.forall(_.chunkFilter.isDefined))
    assert(files("a.lance").testedRequests.forall(_.chunkFilter.isEmpty))
  }

  test("a filter may need a leaf that no file has; it is null") {
    val added = Field(9, "added", Integer(64, signed = true), nullable = true)
    val plan = FragmentPlan.of(task(id).copy(predicate = positive(added)), None)
    assert(plan.missing.isEmpty && plan.missingTested == Vector(added))
  }

  test("a plan that tests less reads fewer leaves") {
    val plan = FragmentPlan.of(task(list).copy(predicate = Predicate.all(positive(id), positive(x))), None)
    assert(plan.testing(plan.task.predicate) == plan)
    val less = plan.testing(positive(x)).files.map(file => file.source.path -> file).toMap
    assert(less.keySet == Set("b.lance") && less("b.lance").streamed == Vector(leaf(x)))
    assert(plan.testing(Predicate.Always) == FragmentPlan.of(task(list), None))
  }

  test("a field that no file has must be nullable") {
    val strict = Field(9, "strict", Utf8(large = false), nullable = false)
    val e = intercept[LanceFormatException](FragmentPlan.of(task(id, strict), None))
    assert(e.reason == "no data file has column 'strict', whose schema does not allow nulls")
    assert(e.location == Location(column = Some("strict")))
  }

  test("format errors name the file of a field if there is one only") {
    val split = point.copy(children = Vector(x, id.copy(id = 1, name = "z")))
    val plan = FragmentPlan.of(task(split, MetadataColumn.FragId.field), None)
    assert(FragmentPlan.of(task(text), None).location(text) ==
      Location(file = Some("a.lance"), column = Some("text")))
    assert(plan.location(split) == Location(column = Some("point")))
    assert(plan.location(MetadataColumn.FragId.field) == Location(column = Some("_fragid")))
  }
}
