package io.sparklance.dataset

import java.time.Instant
import java.time.temporal.ChronoUnit.MICROS

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.LanceException
import io.sparklance.data.FileVersion
import io.sparklance.dataset.changes.{RangeEnd, RangeRequest, VersionTimes}
import io.sparklance.table.Versions
import io.sparklance.testkit.FileFixtures.written
import io.sparklance.testkit.MemoryStore
import io.sparklance.testkit.TableFixtures.schema

/** Versions by time, of a table some of whose versions were cleaned up. */
class RemovedTimesSuite extends AnyFunSuite {
  private val store = new MemoryStore
  Seq("a", "b", "c", "d", "e").foreach(name => store.put(s"/t/data/$name.lance", Array.emptyByteArray))

  /** Versions 1 to 5. */
  private val versions: Vector[Dataset] = {
    val definition = TableDefinition(schema, FileVersion.V2_2)
    val first = Dataset.create(store, "/t", definition, Vector(written("a.lance")))
    Seq("b", "c", "d", "e").scanLeft(first)((t, name) => t.append(Vector(written(s"$name.lance")))).toVector
  }
  private val times: Vector[Instant] = versions.map(_.timestamp.truncatedTo(MICROS))
  private val latest = versions.last

  // A tag keeps version 1.
  Seq(2L, 3L).foreach(number =>
    new Versions(store, "/t").find(number).foreach(file => store.delete(file.path))
  )

  private def refused(body: => Any): Unit = {
    val message = intercept[LanceException](body).getMessage
    val _ = assert(
      message.contains("cleaned up") && message.contains("/t") && message.contains("version 4"),
      message
    )
  }

  test("a time at which a removed version may have been the latest selects no other") {
    assert(latest.asOf(times(0)).version == 1)
    assert(latest.asOf(times(3)).version == 4 && latest.asOf(Instant.now()).version == 5)
    Seq(times(1), times(2), times(3).minusNanos(1000)).foreach(time => refused(latest.asOf(time)))
  }

  test("changes do not start at a time after which versions were removed, unless losses are passed over") {
    def first(time: Instant, isStrict: Boolean = true) = VersionTimes.firstFrom(latest, time, isStrict)
    assert(first(Instant.EPOCH).contains(1L) && first(times(0)).contains(1L))
    assert(first(times(3)).contains(4L) && first(times(4)).contains(5L) && first(Instant.MAX).isEmpty)
    Seq(times(1), times(2)).foreach { time =>
      refused(first(time))
      refused(RangeRequest(RangeEnd.Time(time), None).of(latest))
      assert(first(time, isStrict = false).contains(4L))
    }
    val branch = new TableRefs(latest).createBranch("b")
    assert(VersionTimes.firstFrom(branch, Instant.EPOCH, isStrict = true).contains(5L))
  }
}
