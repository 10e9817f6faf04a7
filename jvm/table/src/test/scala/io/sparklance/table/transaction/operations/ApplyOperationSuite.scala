package io.sparklance.table.transaction.operations

import java.time.Instant

import com.google.protobuf.ByteString
import org.scalacheck.Gen
import org.scalatest.funsuite.AnyFunSuite
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

import io.sparklance.data.FileVersion
import io.sparklance.proto.transaction.{Transaction => Messages}
import io.sparklance.proto.{file, table => pb}
import io.sparklance.table.index.RoaringSet
import io.sparklance.table.transaction.{Operation, TableState, Transaction}
import io.sparklance.table.{Manifest, ManifestCodecSuite}
import io.sparklance.testkit.TableFixtures._
import io.sparklance.{LanceUsageException, UnsupportedLanceFeatureException}

class ApplyOperationSuite extends AnyFunSuite with ScalaCheckPropertyChecks {
  private val now = Instant.parse("2026-05-04T03:02:01.000000007Z")

  private def applied(latest: TableState, operation: Operation, tag: String = "") =
    ApplyOperation(
      latest,
      Transaction(latest.manifest.version, "u", operation, tag),
      "1-u.txn",
      now,
      _ => fail("no older version is wanted")
    )

  private def state(name: String): TableState = {
    val stored = ManifestCodecSuite.decode(golden(s"$name.manifest"))
    TableState(stored.manifest, stored.indexSection)
  }

  test("an append to the reference's table keeps all that it does not speak of") {
    Seq("create", "append", "index", "config", "delete").foreach { name =>
      val message = state(name).manifest.message.copy(unknownFields = unknownFields)
      val latest = state(name).copy(manifest = Manifest(message))
      val next = applied(latest, append("new"))
      val added = next.manifest.message.fragments.last
      assert(next.indexSection == latest.indexSection, name)
      assert(
        next.manifest.message == message.copy(
          version = message.version + 1,
          fragments = message.fragments :+ added,
          maxFragmentId = message.maxFragmentId.map(_ + 1),
          timestamp = next.manifest.message.timestamp,
          writerVersion = next.manifest.message.writerVersion,
          transactionFile = "1-u.txn",
          indexSection = None,
          transactionSection = None
        ),
        name
      )
      assert(added.id == message.maxFragmentId.get + 1L)
    }
  }

  private def indices(state: TableState): Seq[pb.IndexMetadata] =
    state.indexSection.fold(Seq.empty[pb.IndexMetadata])(s =>
      pb.IndexSection.parseFrom(s.toByteArray).indices
    )

  test("an index on a column that was dropped meanwhile is not added") {
    val latest = state("index")
    val known = indices(latest).head
    val late = known.copy(name = "late", uuid = Some(pb.UUID(ByteString.copyFrom(new Array[Byte](16)))))
    def names(added: pb.IndexMetadata): Set[String] = {
      val message = Messages.CreateIndex(newIndices = Seq(added))
      indices(applied(latest, Operation.CreateIndex(message))).map(_.name).toSet
    }
    assert(names(late) == Set("late", known.name))
    assert(names(late.copy(fields = Seq(999))) == Set(known.name))
  }

  test("an index does not cover a fragment in which its column had no file before a merge") {
    val latest = state("index")
    val (index, message) = (indices(latest).head, latest.manifest.message)
    val (field, fragment) = (index.fields.head, message.fragments.head)
    val bare = fragment.copy(files = fragment.files.map { file =>
      file.copy(fields = file.fields.map(id => if (id == field) -2 else id))
    })
    val before = message.copy(fragments = bare +: message.fragments.tail)
    val merge = Messages.Merge(fragments = message.fragments, schema = message.fields)
    val next = applied(latest.copy(manifest = Manifest(before)), Operation.Merge(merge))
    def covers(state: TableState): Boolean =
      indices(state).exists(i => i.name == index.name && CreateIndex.covers(i, Set(fragment.id)))
    assert(covers(latest) && !covers(next))
  }

  test("an index covers what a rewrite makes of fragments only if it covered all of them") {
    val (stored, own) = (state("index"), RoaringSet.of(Set(0L, 2L)).encode)
    val fragment = stored.manifest.message.fragments.head
    val message = stored.manifest.message.copy(
      fragments = (0L to 3L).map(id => fragment.copy(id = id)),
      maxFragmentId = Some(3)
    )
    val index = indices(stored).head.copy(fragmentBitmap = own)
    val latest =
      TableState(Manifest(message), Some(pb.IndexSection(indices = Seq(index)).toByteString))
    def moving(ids: Long*) = Messages.Rewrite.RewriteGroup(
      message.fragments.filter(f => ids.contains(f.id)),
      Seq(fragment.copy(id = 0))
    )
    val remapped = Messages.Rewrite.RewrittenIndex(index.uuid, index.uuid)
    val rewrite = Messages.Rewrite(
      groups = Seq(moving(0, 1), moving(2)),
      rewrittenIndices = Seq(remapped)
    )
    val next = applied(latest, Operation.Rewrite(rewrite))
    assert(next.manifest.message.fragments.map(_.id) == Seq(3, 4, 5))
    assert(indices(next).head.fragmentBitmap == RoaringSet.of(Set(5L)).encode)
  }

  test("each version has a time, a writer, a tag and a transaction of its own") {
    val old = manifest(
      pb.Manifest(
        version = 4,
        versionAuxData = 9,
        tag = "old",
        transactionFile = "old.txn",
        transactionSectionDeprecated = Some(3)
      )
    )
    val next = applied(old, append("a"), tag = "t").manifest
    assert(next.timestamp == now)
    assert(next.version == 5)
    val message = next.message
    assert(message.writerVersion.map(_.library).contains("sparklance"))
    assert(message.writerVersion.exists(_.version.matches("""\d+\.\d+\.\d+.*""")))
    assert(message.versionAuxData == 0 && message.tag == "t" && message.transactionFile == "1-u.txn")
    assert(message.transactionSectionDeprecated.isEmpty)
  }

  test("fragment ids are never used twice, whatever is committed") {
    val operations =
      Gen.listOf(Gen.oneOf(append("a"), append("b", "c"), overwrite("d"), overwrite(), overwrite("e", "f")))
    forAll(operations) { steps =>
      val states =
        steps.scanLeft(applied(TableState.Empty, overwrite()))((latest, step) => applied(latest, step))
      val ids = states.map(_.manifest.fragments.map(_.id))
      states.zip(states.drop(1)).foreach { case (before, after) =>
        val fresh = after.manifest.fragments.map(_.id).diff(before.manifest.fragments.map(_.id))
        assert(fresh.forall(_ > before.manifest.maxFragmentId))
        assert(after.manifest.maxFragmentId >= before.manifest.maxFragmentId)
        assert(after.manifest.version == before.manifest.version + 1)
      }
      ids.foreach(of => assert(of == of.sorted && of == of.distinct))
      val used = ids.flatten.distinct
      assert(used.sorted == used.indices.map(_.toLong))
    }
  }

  test("the first fragment of a table is 0; without fragments there is no highest id") {
    assert(applied(TableState.Empty, overwrite()).manifest.message.maxFragmentId.isEmpty)
    assert(applied(TableState.Empty, overwrite("a", "b")).manifest.fragments.map(_.id) == Vector(0, 1))
  }

  test("ids of the fragments there count where the highest id was not recorded") {
    val old = manifest(pb.Manifest(version = 1, fragments = Seq(fragment("a", 1).withId(7).message)))
    assert(applied(old, append("b")).manifest.fragments.map(_.id) == Vector(7, 8))
    assert(applied(old, overwrite("b")).manifest.fragments.map(_.id) == Vector(8))
    assert(applied(old, overwrite()).manifest.maxFragmentId == 7)
  }

  test("fragment ids end at 32 bits") {
    val last = manifest(pb.Manifest(version = 1, maxFragmentId = Some(-2)))
    assert(applied(last, append("a")).manifest.maxFragmentId == 0xffffffffL)
    val e = intercept[LanceUsageException](applied(last, append("a", "b")))
    assert(e.getMessage.contains("used up its fragment ids"))
    val hostile =
      manifest(pb.Manifest(version = 1, fragments = Seq(fragment("a", 1).withId(Long.MaxValue).message)))
    intercept[LanceUsageException](applied(hostile, append("b")))
  }

  test(
    "an overwrite replaces schema, rows and file version, drops indices and statistics, keeps config, metadata and bases"
  ) {
    val base = pb.BasePath(id = 1, path = "/elsewhere")
    val latest = state("config").manifest.message
      .copy(tableMetadata = Map("m" -> "n"), basePaths = Seq(base), unknownFields = unknownFields)
      .addConfig("sparklance.column-statistics.0" -> "{}")
    val next = applied(
      TableState(Manifest(latest), state("config").indexSection),
      overwrite("a").copy(
        fields = Vector(file.Field(name = "x", parentId = -1, logicalType = "int64")),
        schemaMetadata = Map("k" -> ByteString.copyFromUtf8("v")),
        configUpserts = Map("more" -> "config"),
        initialBases = Vector(pb.BasePath(id = 2, path = "/ignored")),
        fileVersion = Some(FileVersion.V2_1)
      )
    )
    val manifest = next.manifest
    assert(next.indexSection.isEmpty && state("config").indexSection.isDefined)
    assert(manifest.schema.fields.map(_.name) == Vector("x") && manifest.schema.metadata == Map("k" -> "v"))
    assert(manifest.fragments.map(_.id) == Vector(2))
    assert(manifest.config == Map("owner" -> "golden", "more" -> "config"))
    assert(manifest.tableMetadata == Map("m" -> "n") && manifest.basePaths == Seq(base))
    assert(manifest.fileVersion == FileVersion.V2_1)
    assert(manifest.message.unknownFields == unknownFields)
  }

  test("an overwrite that creates the table brings its bases") {
    val base = pb.BasePath(id = 1, path = "/elsewhere")
    val created = applied(TableState.Empty, overwrite("a").copy(initialBases = Vector(base))).manifest
    assert(created.version == 1 && created.basePaths == Seq(base))
    assert(created.message.readerFeatureFlags == 16 && created.message.writerFeatureFlags == 16)
  }

  test("an overwrite drops the deletion flag, an append keeps it") {
    val deleted = state("delete")
    assert((deleted.manifest.message.readerFeatureFlags & 1) == 1)
    assert((applied(deleted, append("a")).manifest.message.readerFeatureFlags & 1) == 1)
    assert((applied(deleted, overwrite("a")).manifest.message.readerFeatureFlags & 1) == 0)
  }

  test("files of another version than the table's are flagged in both words, and stay so") {
    val mixed =
      applied(state("create"), Operation.Append(Vector(fragment("a", 1, minor = 1)))).manifest.message
    assert(mixed.readerFeatureFlags == 256 && mixed.writerFeatureFlags == 256)
    assert(mixed.dataFormat.map(_.version).contains("2.2"))
    assert(applied(TableState(Manifest(mixed), None), append("b")).manifest.message.readerFeatureFlags == 256)
    assert(applied(state("create"), append("b")).manifest.message.readerFeatureFlags == 0)
  }

  test("operations that are not ours are refused") {
    val e =
      intercept[UnsupportedLanceFeatureException](applied(TableState.Empty, Operation.Other("DataOverlay")))
    assert(e.getMessage.contains("committing DataOverlay"))
  }
}
