package io.sparklance.dataset.cleanup

import java.time.Duration

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.LanceUsageException
import io.sparklance.data.FileVersion
import io.sparklance.dataset.{Dataset, TableDefinition}
import io.sparklance.proto.{transaction => txn}
import io.sparklance.table.Versions
import io.sparklance.table.transaction.Operation
import io.sparklance.testkit.FileFixtures.written
import io.sparklance.testkit.MemoryStore
import io.sparklance.testkit.TableFixtures._

class AutoCleanupSuite extends AnyFunSuite {
  private def config(entries: (String, String)*): Map[String, String] =
    entries.map { case (key, value) => s"lance.auto_cleanup.$key" -> value }.toMap

  private def policy(version: Long, entries: (String, String)*): Option[CleanupPolicy] =
    AutoCleanup.policy(config(entries: _*), version)

  test("durations are written as by the reference") {
    def parsed(text: String) = Durations.parse(text)
    assert(parsed("14days").contains(Duration.ofDays(14)) && parsed("1209600s").contains(Duration.ofDays(14)))
    assert(parsed("1h 30m").contains(Duration.ofMinutes(90)) &&
      parsed(" 2 weeks1d").contains(Duration.ofDays(15)))
    assert(parsed("5M").contains(Duration.ofSeconds(5 * 2630016)) &&
      parsed("5m").contains(Duration.ofMinutes(5)))
    assert(parsed("0s").contains(Duration.ZERO) && parsed("0").contains(Duration.ZERO))
    assert(parsed("250ms").contains(Duration.ofMillis(250)))
    Seq("", "14", "days", "14 fortnights", "-3d", "1d x", "3d,4h", "99999999999999999y").foreach(text =>
      assert(parsed(text).isEmpty, text)
    )
  }

  test("it is done at an interval of versions, by age, by number or by both") {
    val expected = CleanupPolicy(olderThan = Some(Duration.ofDays(14)), errorIfTagged = false)
    assert(policy(20, "interval" -> "20", "older_than" -> "14days").contains(expected))
    assert(policy(40, "interval" -> "20", "older_than" -> "14days").contains(expected))
    assert(policy(21, "interval" -> "20", "older_than" -> "14days").isEmpty)
    assert(policy(21, "interval" -> "0", "older_than" -> "14days").contains(expected))
    assert(policy(1, "interval" -> "1", "retain_versions" -> "3").contains(
      CleanupPolicy(retainVersions = Some(3), errorIfTagged = false)
    ))
    assert(policy(1, "interval" -> "1", "retain_versions" -> "3", "older_than" -> "14d").contains(
      expected.copy(retainVersions = Some(3))
    ))
  }

  test("without an interval nothing is done, nor if nothing says which versions may go") {
    assert(policy(1, "older_than" -> "14days").isEmpty && policy(1, "interval" -> "1").isEmpty)
  }

  test("values that make no sense are named") {
    Seq("interval" -> "x", "retain_versions" -> "-1").foreach { case (name, text) =>
      val entries = config("interval" -> "1", name -> text)
      val e = intercept[LanceUsageException](AutoCleanup.policy(entries, 1))
      assert(e.getMessage.startsWith(s"The table's config lance.auto_cleanup.$name is '$text'"))
    }
    val soon = intercept[LanceUsageException](policy(1, "interval" -> "1", "older_than" -> "soon"))
    assert(soon.getMessage.startsWith("'soon' is not an age of versions"))
  }

  private def created(entries: (String, String)*): MemoryStore = {
    val store = new MemoryStore
    val table =
      Dataset.create(store, "/t", TableDefinition(schema, FileVersion.V2_2), Vector(written("a.lance")))
    val map = txn.Transaction.UpdateMap(
      config(entries: _*).map { case (key, value) => txn.Transaction.UpdateMapEntry(key, Some(value)) }.toSeq
    )
    table.commit(Operation.UpdateConfig(txn.Transaction.UpdateConfig(configUpdates = Some(map))))
    store
  }

  private def append(store: MemoryStore): Dataset =
    Dataset.open(store, "/t").append(Vector(written("b.lance")))

  private def versions(store: MemoryStore): Vector[Long] = new Versions(store, "/t").list().map(_.version)

  test("commits of a table that asks for it remove old versions") {
    val store = created("interval" -> "2", "retain_versions" -> "2")
    append(store)
    assert(versions(store) == Vector(1, 2, 3))
    append(store)
    assert(versions(store) == Vector(3, 4))
    append(store)
    assert(versions(store) == Vector(3, 4, 5))
  }

  test("a commit succeeds even if the clean-up fails") {
    val store = created("interval" -> "1", "older_than" -> "some day")
    assert(append(store).version == 3 && versions(store) == Vector(1, 2, 3))
  }

  test("an interrupt ends the clean-up, and not the commit that is done") {
    val store = created("interval" -> "4", "retain_versions" -> "1")
    append(store)
    Thread.currentThread().interrupt()
    val (made, interrupted) =
      try (append(store).version, Thread.interrupted())
      finally { val _ = Thread.interrupted() }
    assert(made == 4 && interrupted)
  }
}
