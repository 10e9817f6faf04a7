package io.sparklance.table.refs

import java.nio.charset.StandardCharsets.UTF_8
import java.time.Instant

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.table.{ManifestFile, ManifestNaming}
import io.sparklance.testkit.MemoryStore
import io.sparklance.{LanceException, LanceFormatException, LanceTableNotFoundException, LanceUsageException}

class RefsSuite extends AnyFunSuite {
  private val third = ManifestFile(3, ManifestNaming.V2, "/t/_versions/x.manifest", Some(423))

  private def put(store: MemoryStore, kind: String, name: String, json: String): Unit =
    store.put(s"/t/_refs/$kind/$name", json.getBytes(UTF_8))

  test("a tag and a branch as the reference writes them are read") {
    val store = new MemoryStore
    put(
      store,
      "tags",
      "onb.json",
      """{ "branch": "exp", "version": 4, "createdAt": "2026-11-22T06:24:16.302494167Z",
        | "updatedAt": "2026-11-22T07:24:16.302494167+01:00", "manifestSize": 580, "metadata": {"by": "me"} }""".stripMargin
    )
    put(
      store,
      "branches",
      "a%2Fb.json",
      """{ "parentBranch": null, "identifier": {"version_mapping": [[2, "e911372ebaf842cfa377ebeb1cb16cd7"]]},
        | "parentVersion": 2, "createAt": 1795328656, "manifestSize": 423, "metadata": {} }""".stripMargin
    )
    val time = Instant.parse("2026-11-22T06:24:16.302494167Z")
    assert(new Tags(store, "/t").all ==
      Vector("onb" -> Tag(Some("exp"), 4, Some(time), Some(time), 580, Map("by" -> "me"))))
    val step = Branch.Step(2, "e911372ebaf842cfa377ebeb1cb16cd7")
    assert(new Branches(store, "/t").all ==
      Vector("a/b" -> Branch(None, Vector(step), 2, Instant.ofEpochSecond(1795328656L), 423)))
  }

  test("fields that old software left out of a tag or a branch are optional") {
    val store = new MemoryStore
    put(store, "tags", "old.json", """{"version": 1, "manifestSize": 7}""")
    put(store, "branches", "old.json", """{"parentVersion": 1, "createAt": 0, "manifestSize": 7}""")
    assert(new Tags(store, "/t").get("old") == Tag(None, 1, None, None, 7))
    assert(new Branches(store, "/t").get("old").identifier.isEmpty)
  }

  test("a tag is made once, keeps its age and notes when it is moved, and is gone when it is deleted") {
    val store = new MemoryStore
    val tags = new Tags(store, "/t")
    val made = tags.create("v1", Some("exp"), third)
    assert(tags.all == Vector("v1" -> made) && made.version == 3 && made.manifestSize == 423)
    assert(intercept[LanceUsageException](tags.create("v1", None, third)).getMessage.contains("already"))
    val moved = tags.update("v1", None, third.copy(version = 4))
    assert(moved.createdAt == made.createdAt && moved.version == 4 && moved.branch.isEmpty)
    assert(tags.delete("v1") == moved && tags.all.isEmpty)
    assert(intercept[LanceTableNotFoundException](tags.get("v1")).getMessage.contains("it has none"))
  }

  test("names are those that the format has, and none that would lead elsewhere") {
    val good = Seq("v1", "a.b-c_d", "é1", "V")
    val bad = Seq("", ".a", "a.", "a..b", "a/b", "a b", "a.lock", "..", "a\\b", "a\u0000")
    good.foreach(RefNames.checkTag)
    bad.foreach(name => withClue(name)(intercept[LanceUsageException](RefNames.checkTag(name))))
    (good ++ Seq("a/b", "a/b/c")).foreach(RefNames.checkBranch)
    (bad.filterNot(_ == "a/b") ++
      Seq("main", "/a", "a/", "a//b", "a/../b"))
      .foreach(name => withClue(name)(intercept[LanceUsageException](RefNames.checkBranch(name))))
    Seq("a/data", "a/_versions", "a/tree/b").foreach { name =>
      RefNames.checkBranch(name)
      withClue(name)(intercept[LanceUsageException](RefNames.checkNewBranch(name)))
    }
    Seq("data", "a/b", "a/data2").foreach(RefNames.checkNewBranch)
  }

  test("names become names of files as the reference's do") {
    assert(RefNames.encode("a/b.c-d_e") == "a%2Fb.c-d_e" && RefNames.encode("é") == "%C3%A9")
    Seq("a/b", "é1", "x").foreach(name => assert(RefNames.decode(RefNames.encode(name)).contains(name)))
    assert(RefNames.decode("a%2fb").isEmpty && RefNames.decode("a+b").isEmpty &&
      RefNames.decode("%zz").isEmpty)
  }

  test("damaged files are bad data that names them") {
    val damaged = Seq(
      "",
      "[]",
      "nonsense",
      "{\"version\": \"1\", \"manifestSize\": 1}",
      "{\"version\": -1, \"manifestSize\": 1}",
      "{\"version\": 1e400, \"manifestSize\": 1}",
      "{\"version\": 99999999999999999999, \"manifestSize\": 1}",
      "{\"version\": 1}",
      "{\"version\": 1, \"manifestSize\": 1, \"createdAt\": \"now\"}",
      "{\"version\": 1, \"manifestSize\": 1, \"metadata\": {\"a\": 1}}",
      "{\"a\":" * 100000
    )
    damaged.foreach { json =>
      val store = new MemoryStore
      put(store, "tags", "t.json", json)
      put(store, "branches", "t.json", json.replace("\"version\"", "\"parentVersion\""))
      Seq[() => Any](() => new Tags(store, "/t").all, () => new Branches(store, "/t").all).foreach { read =>
        val e = intercept[LanceFormatException](read())
        assert(e.getMessage.contains("t.json"), json.take(60))
      }
    }
    val store = new MemoryStore
    put(store, "tags", "%.json", "{}")
    assert(intercept[LanceFormatException](new Tags(store, "/t").all).getMessage.contains("%.json"))
  }

  test("damage of any byte of a tag or branch is one of our errors, or a tag or branch") {
    val store = new MemoryStore
    new Tags(store, "/t").create("v", None, third)
    new Branches(store, "/t").create("v", None, third)
    for (kind <- Seq("tags", "branches"); at <- 0 until 200; byte <- Seq(0, '"'.toInt, '9'.toInt, 255)) {
      val path = s"/t/_refs/$kind/v.json"
      val before = store.bytes(path)
      if (at < before.length) {
        store.put(path, before.updated(at, byte.toByte))
        try {
          val _ = if (kind == "tags") new Tags(store, "/t").all else new Branches(store, "/t").all
        } catch { case _: LanceException => () }
        store.put(path, before)
      }
    }
  }

  test("a branch that others begin in stays, and so does one with a tag") {
    val store = new MemoryStore
    val branches = new Branches(store, "/t")
    branches.create("a", None, third)
    branches.create("b", Some("a"), third)
    branches.create("c", Some("b"), third)
    assert(intercept[LanceUsageException](branches.delete("a")).getMessage.contains("branch 'b', branch 'c'"))
    new Tags(store, "/t").create("t", Some("c"), third)
    assert(intercept[LanceUsageException](branches.delete("c")).getMessage.contains("tag 't'"))
    new Tags(store, "/t").delete("t")
    Seq("c", "b", "a").foreach(branches.delete)
    assert(branches.all.isEmpty)
  }

  test("a branch is deleted with its directory, except files of other branches") {
    val store = new MemoryStore
    val branches = new Branches(store, "/t")
    Seq("a/b", "a/c/d", "x", "x/y").foreach { name =>
      branches.create(name, None, third)
      store.put(s"/t/tree/$name/_versions/1", Array.emptyByteArray)
    }
    def files = store.paths.filter(_.startsWith("/t/tree/"))
    branches.delete("a/c/d")
    assert(files == Vector("/t/tree/a/b/_versions/1", "/t/tree/x/_versions/1", "/t/tree/x/y/_versions/1"))
    // The other's directory is in it, and would be gone.
    branches.delete("x")
    assert(files.contains("/t/tree/x/y/_versions/1"))
    branches.delete("x/y")
    // Others may have made a branch that lies among the files of another's.
    branches.create("a/b/data", None, third)
    store.put("/t/tree/a/b/data/file", Array.emptyByteArray)
    branches.delete("a/b/data")
    assert(files.contains("/t/tree/a/b/data/file"))
    branches.clear("gone")
    branches.delete("a/b")
    assert(files == Vector.empty)
  }
}
