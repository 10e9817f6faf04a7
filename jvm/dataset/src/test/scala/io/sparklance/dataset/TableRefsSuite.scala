package io.sparklance.dataset

import java.time.Instant

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.data.FileVersion
import io.sparklance.dataset.validation.Validation
import io.sparklance.io.ObjectStore
import io.sparklance.table.transaction.{KeyChanges, Operation}
import io.sparklance.table.{FeatureFlags, ManifestNaming, NamingMigration}
import io.sparklance.testkit.FileFixtures.written
import io.sparklance.testkit.MemoryStore
import io.sparklance.testkit.TableFixtures.schema
import io.sparklance.{LanceFormatException, LanceTableNotFoundException, LanceUsageException}

/** Tables with empty files: what their manifests say. */
class TableRefsSuite extends AnyFunSuite {

  /** Versions 1 and 2. */
  private def table(store: ObjectStore): Dataset = {
    Seq("/t/data/a.lance", "/t/data/b.lance", "/c/data/c.lance").foreach(store.put(_, Array.emptyByteArray))
    Dataset.create(
      store,
      "/t",
      TableDefinition(schema, FileVersion.V2_2),
      Vector(written("a.lance"))
    ).append(Vector(written("b.lance")))
  }

  private def open(store: ObjectStore, text: String, root: String = "/t") =
    TableRefs.open(store, root, Reference.parse(text))

  test("a clone says where it comes from in URIs that other software takes") {
    Seq(
      "file:///a/b" -> "/a/b",
      "/a/b" -> "/a/b",
      "s3a://bucket/t" -> "s3://bucket/t",
      "gs://bucket/t" -> "gs://bucket/t",
      "abfss://box@acme.dfs.core.windows.net/t" -> "abfss://box@acme.dfs.core.windows.net/t",
      "abfs://box@acme.dfs.core.windows.net/t" -> "abfss://box@acme.dfs.core.windows.net/t"
    ).foreach { case (root, shown) => assert(TableRefs.shown(root) == shown) }
  }

  test("a branch begins with the version that it is made of, and has its files in a base") {
    val store = new MemoryStore
    val branch = new TableRefs(table(store)).createBranch("exp")
    assert(branch.root == "/t/tree/exp" && branch.version == 2 && branch.manifest.branch.contains("exp"))
    val bases = branch.manifest.basePaths.map(b => (b.id, b.path, b.isDatasetRoot, b.name))
    assert(bases == Seq((0, "/t", true, None)))
    assert(branch.fragments.flatMap(_.files).forall(_.baseId.contains(0)))
    assert(FeatureFlags.isSet(branch.manifest.message.readerFeatureFlags, FeatureFlags.BasePaths))
    val next = branch.append(Vector(written("c.lance")))
    assert(next.version == 3 && next.manifest.branch.contains("exp"))
    assert(next.fragments.flatMap(_.files).map(_.baseId) == Vector(Some(0), Some(0), None))
    assert(Dataset.open(store, "/t").version == 2)
  }

  test("a clone of a clone has the places of both") {
    val store = new MemoryStore
    val first = new TableRefs(table(store)).shallowClone("/c").append(Vector(written("c.lance")))
    val second = new TableRefs(first).shallowClone("/d")
    assert(second.version == 3 && second.manifest.branch.isEmpty)
    assert(second.manifest.basePaths.map(b => b.id -> b.path) == Seq(0 -> "/t", 1 -> "/c"))
    assert(second.fragments.flatMap(_.files).map(_.baseId) == Vector(Some(0), Some(0), Some(1)))
  }

  test("nothing is cloned to where there is a table") {
    val store = new MemoryStore
    val refs = new TableRefs(table(store))
    refs.createBranch("exp")
    assert(
      intercept[LanceUsageException](refs.shallowClone("/t/tree/exp")).getMessage.contains("A table exists")
    )
    assert(
      intercept[LanceUsageException](refs.createBranch("exp")).getMessage.contains("a branch 'exp' already")
    )
    // As an interrupted creation leaves it.
    store.delete("/t/_refs/branches/exp.json")
    assert(intercept[LanceUsageException](refs.createBranch("exp")).getMessage.contains("A table exists"))
    refs.branches.clear("exp")
    assert(refs.createBranch("exp").version == 2)
  }

  test("a version is named by number, tag, branch, both, and time, from each of the branches") {
    val store = new MemoryStore
    val dataset = table(store)
    new TableRefs(dataset).createBranch("a/b").append(Vector(written("c.lance")))
    store.put("/t/tree/a/b/data/c.lance", Array.emptyByteArray)
    new TableRefs(open(store, "1")).createTag("first")
    new TableRefs(open(store, "a/b")).createTag("tip")
    Seq("/t", "/t/tree/a/b").foreach { root =>
      assert(open(store, "first", root).root == "/t" && open(store, "first", root).version == 1)
      assert(open(store, "tip", root).root == "/t/tree/a/b" && open(store, "tip", root).version == 3)
      assert(open(store, "a/b:2", root).version == 2 && open(store, "main", root).root == "/t")
      assert(open(store, "main:1", root).version == 1)
    }
    assert(open(store, "3", "/t/tree/a/b").version == 3)
    assert(dataset.asOf(Instant.now()).version == 2)
    assert(
      intercept[LanceTableNotFoundException](dataset.asOf(Instant.EPOCH)).getMessage.contains("as old as")
    )
  }

  test("a reference without a version is refused, with the existing ones") {
    val store = new MemoryStore
    new TableRefs(table(store)).createTag("first")
    Seq("0", "-1", "", " ", "a:", "a:0", "a:b", ":").foreach { text =>
      withClue(text)(intercept[LanceUsageException](Reference.parse(text)))
    }
    val missing = intercept[LanceTableNotFoundException](open(store, "x")).getMessage
    assert(missing.contains("Its tags are first; its branches none."))
    assert(intercept[LanceTableNotFoundException](open(
      store,
      "x:1"
    )).getMessage.contains("has no branch 'x'"))
    assert(intercept[LanceTableNotFoundException](open(store, "7")).getMessage.contains("no version 7"))
    Seq("../x", "a/../b").foreach(text => intercept[LanceUsageException](open(store, text)))
  }

  test(
    "a tag that points to a version that is gone, or to a branch whose name leads elsewhere, is an error"
  ) {
    val store = new MemoryStore
    table(store)
    def tag(json: String) = store.put("/t/_refs/tags/x.json", json.getBytes)
    tag("""{"branch": null, "version": 9, "manifestSize": 1}""")
    assert(intercept[LanceTableNotFoundException](open(store, "x")).getMessage.contains("no version 9"))
    tag("""{"branch": "../../other", "version": 1, "manifestSize": 1}""")
    intercept[LanceUsageException](open(store, "x"))
  }

  test("a branch in a directory of another name does not find its table") {
    val store = new MemoryStore
    new TableRefs(table(store)).createBranch("exp")
    store.paths.filter(_.startsWith("/t/tree/exp/")).foreach { path =>
      store.put(path.replace("/t/tree/exp", "/moved"), store.bytes(path))
    }
    assert(Dataset.open(store, "/moved").version == 2)
    val e = intercept[LanceFormatException](new TableRefs(Dataset.open(store, "/moved")))
    assert(e.getMessage.contains("not in the directory tree/exp"))
  }

  test("the history shows transactions; a clone's is one") {
    val store = new MemoryStore
    val branch = new TableRefs(table(store)).createBranch("exp").append(Vector(written("c.lance")))
    for (withTransactions <- Seq(true, false)) {
      val names =
        KnownVersion.all(branch, withTransactions).map(v => v.version -> v.transaction.map(_.operation.name))
      assert(names == Vector(3L -> Some("Append"), 2L -> Some("Clone")))
    }
    assert(new History(branch).transactionOf(7).isEmpty)
  }

  test("config and metadata change key by key or as a whole") {
    val dataset = table(new MemoryStore)
    def config(of: Dataset, changes: KeyChanges) = of.commit(Operation.UpdateConfig.ofConfig(changes)).dataset
    val one = config(dataset, KeyChanges.Merging(Map("a" -> Some("1"), "b" -> Some("2"))))
    val two = config(one, KeyChanges.Merging(Map("a" -> None)))
    assert(one.config == Map("a" -> "1", "b" -> "2") && two.config == Map("b" -> "2"))
    assert(config(two, KeyChanges.Replacing(Map("c" -> "3"))).config == Map("c" -> "3"))
  }

  test("manifests of the old naming get the new one, also where that was interrupted") {
    val store = new MemoryStore
    val dataset = table(store)
    Seq(1L, 2L).foreach { version =>
      val path = s"/t/_versions/${ManifestNaming.V2.fileName(version)}"
      store.put(s"/t/_versions/${ManifestNaming.V1.fileName(version)}", store.bytes(path))
      store.delete(path)
    }
    store.put(s"/t/_versions/${ManifestNaming.V2.fileName(1)}", store.bytes("/t/_versions/1.manifest"))
    intercept[LanceFormatException](Dataset.open(store, "/t"))
    assert(new NamingMigration(store, "/t").run() == 2 && new NamingMigration(store, "/t").run() == 0)
    assert(Dataset.open(store, "/t").fragments == dataset.fragments)
    assert(Dataset.open(store, "/t").append(Vector(written("d.lance"))).version == 3)
  }

  test("a table whose files are missing, or whose manifest contradicts itself, is not valid") {
    val store = new MemoryStore
    val dataset = table(store)
    store.deleteTree("/t/data")
    val problems = Validation.problems(dataset)
    assert(problems.map(_.fragment) == Vector(Some(0L), Some(1L)) &&
      problems.forall(_.message.contains("cannot be read")))
  }
}
