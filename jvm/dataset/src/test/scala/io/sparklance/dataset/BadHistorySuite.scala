package io.sparklance.dataset

import java.nio.charset.StandardCharsets.UTF_8

import org.scalatest.funsuite.AnyFunSuite
import org.scalatest.tags.Slow

import io.sparklance.data.FileVersion
import io.sparklance.dataset.scan.{ScanPlan, SplitTarget}
import io.sparklance.proto.{table => pb, transaction => txn}
import io.sparklance.table.{Manifest, ManifestCodec, ManifestNaming, Versions}
import io.sparklance.testkit.FileFixtures.written
import io.sparklance.testkit.MemoryStore
import io.sparklance.testkit.TableFixtures._
import io.sparklance.{
  LanceException,
  LanceFormatException,
  LanceTableNotFoundException,
  RetryableCommitConflictException,
  UnsupportedLanceFeatureException
}

/** Errors about a damaged history name the version, the file and the problem. */
@Slow
class BadHistorySuite extends AnyFunSuite {

  /** Version 3 of a table at `/t`. */
  private def created(): MemoryStore = {
    val store = new MemoryStore
    val first = Dataset.create(store, "/t", TableDefinition(schema, FileVersion.V2_2), Vector(written("a")))
    first.append(Vector(written("b"))).append(Vector(written("c")))
    store
  }

  private def open(store: MemoryStore): Dataset = Dataset.open(store, "/t")

  private def path(version: Long): String = s"/t/_versions/${ManifestNaming.V2.fileName(version)}"

  /** Puts another manifest in the place of the latest version's, or of the one after it. */
  private def rewrite(store: MemoryStore, transaction: txn.Transaction = txn.Transaction(uuid = "x"))(
      change: pb.Manifest => pb.Manifest
  ): Unit = {
    val changed = change(open(store).manifest.message)
    store.put(path(changed.version), ManifestCodec.encode(Manifest(changed), None, transaction))
  }

  private def changed(change: pb.Manifest => pb.Manifest): MemoryStore = {
    val store = created()
    rewrite(store)(change)
    store
  }

  private def said(e: LanceException, words: String*): Unit =
    words.foreach(word => assert(e.getMessage.contains(word), word))

  test("flags that are not known: of readers when the table is opened, of writers when it is written to") {
    val unreadable = changed(_.copy(readerFeatureFlags = 1L << 40))
    said(intercept[UnsupportedLanceFeatureException](open(unreadable)), "bit 40", path(3), "version 3")
    val unwritable = open(changed(_.copy(writerFeatureFlags = 1L << 40)))
    val e = intercept[UnsupportedLanceFeatureException](unwritable.append(Vector(written("d"))))
    said(e, "bit 40", path(3), "version 3")
  }

  test("manifests named by both schemes: which versions are the last of each, and what to do") {
    val store = created()
    store.put("/t/_versions/2.manifest", store.bytes(path(2)))
    said(
      intercept[LanceFormatException](open(store)),
      "the older one is version 2",
      "the newer version 3",
      "migrate_manifest_names",
      "/t/_versions"
    )
  }

  test("a data file of another version, or one whose path leads out of the table") {
    def files(change: pb.DataFile => pb.DataFile)(message: pb.Manifest) = message.copy(
      fragments = message.fragments.map(f => f.copy(files = f.files.map(change)))
    )
    val other = changed(files(_.copy(fileMinorVersion = 1)))
    said(
      intercept[LanceFormatException](open(other)),
      "the data file a is of version 2.1",
      path(3),
      "version 3"
    )
    Seq("../a.lance", "/etc/a.lance", "s3://bucket/a.lance", "x/../../a").foreach { leaving =>
      val dataset = open(changed(files(_.copy(path = leaving))))
      def plan() = ScanPlan.splits(dataset, dataset.schema.fields, SplitTarget.Rows(10))
      said(intercept[LanceFormatException](plan()), leaving, "leads out of the table", path(3), "version 3")
    }
  }

  test("a deletion file in a base that the manifest does not list, or that is no table") {
    def deletions(message: pb.Manifest) = message.copy(fragments =
      message.fragments.map(_.copy(deletionFile =
        Some(pb.DeletionFile(baseId = Some(7), numDeletedRows = 1))
      ))
    )
    def plan(dataset: Dataset) = ScanPlan.splits(dataset, dataset.schema.fields, SplitTarget.Rows(10))
    val unlisted = open(changed(deletions))
    said(intercept[LanceFormatException](plan(unlisted)), "base 7", path(3), "version 3")
    val noTable = open(changed(m => deletions(m).copy(basePaths = Seq(pb.BasePath(7, path = "/elsewhere")))))
    said(intercept[LanceFormatException](plan(noTable)), "/elsewhere", path(3), "version 3")
  }

  test("a version without its transaction is read, and in the way of commits that were begun before it") {
    val store = created()
    val before = open(store)
    val tooLargeForManifests = txn.Transaction(uuid = "x" * (21 << 20))
    rewrite(store, tooLargeForManifests)(m => m.copy(version = 4, transactionFile = "3-gone.txn"))
    assert(open(store).version == 4)
    val e = intercept[RetryableCommitConflictException](before.append(Vector(written("d"))))
    said(e, "version 4", "whose changes are not recorded", "begun at version 3", "/t")
  }

  test("a version that was cleaned up, and a tag of it") {
    val store = created()
    Dataset.open(store, "/t", Some(1)).fragments.flatMap(_.files).foreach { file =>
      store.put(s"/t/data/${file.path}", Array.emptyByteArray)
    }
    new TableRefs(Dataset.open(store, "/t", Some(1))).createTag("old")
    store.delete(path(1))
    said(
      intercept[LanceTableNotFoundException](Dataset.open(store, "/t", Some(1))),
      "no version 1",
      "2 to 3",
      "/t"
    )
    val tag = Reference(None, Reference.Tag("old"))
    said(intercept[LanceTableNotFoundException](TableRefs.open(store, "/t", tag)), "no version 1", "/t")
  }

  test("a hint and detached versions say nothing of the latest version") {
    val store = created()
    store.put("/t/_versions/latest_version_hint.json", "{\"version\":".getBytes(UTF_8))
    store.put(s"/t/_versions/${ManifestNaming.detachedFileName(Long.MinValue | 9)}", store.bytes(path(3)))
    assert(open(store).version == 3 && open(store).versions.map(_.version) == Vector(1, 2, 3))
    assert(open(store).append(Vector(written("d"))).version == 4)
    assert(new Versions(store, "/t").list().map(_.version) == Vector(1, 2, 3, 4))
  }
}
