package io.sparklance.table

import java.io.IOException
import java.nio.charset.StandardCharsets.UTF_8

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.proto.{table => pb, transaction => txn}
import io.sparklance.testkit.{DelegatingStore, MemoryStore}
import io.sparklance.{LanceFormatException, LanceTableNotFoundException}

class VersionsSuite extends AnyFunSuite {

  private def put(store: MemoryStore, name: String, version: Long): Unit = store.put(
    s"/t/_versions/$name",
    ManifestCodec.encode(Manifest(pb.Manifest(version = version)), None, txn.Transaction(uuid = "u"))
  )

  test("versions are listed in ascending order; other files, detached versions and the hint do not count") {
    val store = new MemoryStore
    Seq(10L, 9L, 11L).foreach(v => put(store, ManifestNaming.V2.fileName(v), v))
    put(store, ManifestNaming.detachedFileName(Long.MinValue), Long.MinValue)
    store.put("/t/_versions/.tmp_12.manifest_x", Array.emptyByteArray)
    store.put("/t/_versions/latest_version_hint.json", "{\"version\":99}".getBytes(UTF_8))
    val versions = new Versions(store, "/t")
    assert(versions.list().map(_.version) == Vector(9, 10, 11))
    assert(versions.latest().map(_.path).contains("/t/_versions/18446744073709551604.manifest"))
  }

  test("version 10 comes after 9 in the first scheme") {
    val store = new MemoryStore
    (1L to 10L).foreach(v => put(store, s"$v.manifest", v))
    assert(new Versions(store, "/t").latest().map(_.naming).contains(ManifestNaming.V1))
    assert(new Versions(store, "/t").latest().map(_.version).contains(10L))
  }

  test("both schemes in one directory are an error that tells the way out") {
    val store = new MemoryStore
    put(store, "1.manifest", 1)
    put(store, ManifestNaming.V2.fileName(2), 2)
    val e = intercept[LanceFormatException](new Versions(store, "/t").list())
    assert(e.getMessage.contains("named by both schemes") &&
      e.getMessage.contains("migrate_manifest_paths_v2"))
  }

  test("a manifest whose version is not that of its name is refused") {
    val store = new MemoryStore
    put(store, ManifestNaming.V2.fileName(2), 7)
    val versions = new Versions(store, "/t")
    val e = intercept[LanceFormatException](versions.read(versions.latest().get))
    assert(e.getMessage.contains("says version 7, its name 2") &&
      e.getMessage.contains("18446744073709551613"))
  }

  test("a version that is removed before it is read is not found") {
    val store = new MemoryStore
    put(store, ManifestNaming.V2.fileName(2), 2)
    val versions = new Versions(store, "/t")
    val file = versions.latest().get
    store.delete(file.path)
    val e = intercept[LanceTableNotFoundException](versions.read(file))
    assert(e.getMessage.contains("Version 2 of the table at /t was removed"))
  }

  test("the hint is written to the letter, and failing to write it is no failure") {
    val store = new MemoryStore
    new Versions(store, "/t").writeHint(12)
    assert(new String(store.bytes("/t/_versions/latest_version_hint.json"), UTF_8) == "{\"version\":12}")
    val broken = new DelegatingStore(store) {
      override def put(path: String, bytes: Array[Byte]): Unit = throw new IOException("disk full")
    }
    new Versions(broken, "/t").writeHint(13)
  }
}
