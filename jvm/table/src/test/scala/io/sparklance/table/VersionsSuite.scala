package io.sparklance.table

import java.io.{FileNotFoundException, IOException}
import java.nio.charset.StandardCharsets.UTF_8

import com.google.protobuf.ByteString
import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.data.ByteRange
import io.sparklance.io.{FileName, FileStamp, Listing, ReadableFile}
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

  test("both schemes in one directory are an error with a cure") {
    val store = new MemoryStore
    put(store, "1.manifest", 1)
    put(store, ManifestNaming.V2.fileName(2), 2)
    val e = intercept[LanceFormatException](new Versions(store, "/t").list())
    assert(e.getMessage.contains("named by both schemes") &&
      e.getMessage.contains("migrate_manifest_paths_v2"))
  }

  /** A store that lists by name, and remembers how many names it gave. */
  private class Ordered(inner: MemoryStore) extends DelegatingStore(inner) {
    var listed = 0
    override def listing(directory: String): Listing = Listing.Ordered
    override def names(directory: String)(isEnough: String => Boolean): Vector[FileName] = {
      val all = super.names(directory)(isEnough).sortBy(_.name)
      val enough = all.indexWhere(file => isEnough(file.name)) match {
        case -1 => all.size
        case last => math.max(last + 1, Listing.Page)
      }
      listed += math.min(enough, all.size)
      all.take(enough)
    }
  }

  test("a store that lists by name is asked for no more than the versions above the one that is known") {
    val memory = new MemoryStore
    (1L to 3000L).foreach(v =>
      memory.put(s"/t/_versions/${ManifestNaming.V2.fileName(v)}", Array.emptyByteArray)
    )
    memory.put("/t/_versions/.tmp_x", Array.emptyByteArray)
    val store = new Ordered(memory)
    val versions = new Versions(store, "/t")
    assert(versions.latest().map(_.version).contains(3000L) && store.listed == 1000)
    store.listed = 0
    val newer = versions.since(1500).map(_.version)
    assert(newer == Vector.range(1501L, 3001L) && store.listed == 1502)
    assert(versions.since(3000).last.version == 3000 && versions.since(5000).last.version == 3000)
    assert(versions.list().size == 3000)
    assert(new Versions(memory, "/t").since(2998).map(_.version) == Vector(2999, 3000), "others list all")
  }

  test("a later version of the other scheme is missed by no store") {
    for (count <- Seq(3L, 2000L)) {
      val memory = new MemoryStore
      def add(name: String): Unit = memory.put(s"/t/_versions/$name", Array.emptyByteArray)
      (1L to count).foreach(v => add(ManifestNaming.V2.fileName(v)))
      add(s"${count + 1}.manifest")
      val e = intercept[LanceFormatException](new Versions(new Ordered(memory), "/t").latest())
      assert(e.getMessage.contains("named by both schemes"))
    }
  }

  test("versions of the first scheme are all listed, in whatever store") {
    val memory = new MemoryStore
    (1L to 12L).foreach(v => put(memory, s"$v.manifest", v))
    assert(new Versions(new Ordered(memory), "/t").since(11).last.version == 12)
  }

  test("no hint is written where none is needed") {
    val memory = new MemoryStore
    new Versions(new Ordered(memory), "/t").writeHint(3)
    assert(memory.paths.isEmpty)
  }

  test("a manifest whose version is not that of its name is refused") {
    val store = new MemoryStore
    put(store, ManifestNaming.V2.fileName(2), 7)
    val versions = new Versions(store, "/t")
    val e = intercept[LanceFormatException](versions.read(versions.latest().get))
    assert(e.getMessage.contains("says version 7, its name 2") &&
      e.getMessage.contains("18446744073709551613"))
  }

  test("a damaged section of indices fails who asks for it, not who reads the version") {
    val store = new MemoryStore
    val damaged = ByteString.copyFrom(Array.fill[Byte](9)(-1))
    store.put(
      s"/t/_versions/${ManifestNaming.V2.fileName(2)}",
      ManifestCodec.encode(Manifest(pb.Manifest(version = 2)), Some(damaged), txn.Transaction(uuid = "u"))
    )
    val versions = new Versions(store, "/t")
    val file = versions.latest().get
    assert(versions.read(file).version == 2)
    assert(intercept[LanceFormatException](versions.readWhole(file)).getMessage.contains("index section"))
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

  test("a latest version that is removed before it is read is not the latest any more") {
    val store = new MemoryStore
    put(store, ManifestNaming.V2.fileName(2), 2)
    val cleaning = new DelegatingStore(store) {
      override def open(path: String, knownSize: Option[Long]): ReadableFile = {
        if (store.exists(path) && !store.exists(s"/t/_versions/${ManifestNaming.V2.fileName(4)}")) {
          store.delete(path)
          VersionsSuite.this.put(store, ManifestNaming.V2.fileName(4), 4)
        }
        super.open(path, knownSize)
      }
    }
    assert(new Versions(cleaning, "/t").readLatest().map(_._1.version).contains(4L))
    assert(new Versions(new MemoryStore, "/t").readLatest().isEmpty)
  }

  test("so it is if it was there when it was opened, as object stores have it") {
    val store = new MemoryStore
    put(store, ManifestNaming.V2.fileName(2), 2)
    val late = new DelegatingStore(store) {
      override def open(path: String, knownSize: Option[Long]): ReadableFile = {
        val file = super.open(path, knownSize)
        assert(knownSize.isEmpty, "the store is to look")
        new ReadableFile {
          def path: String = file.path
          def size: Long = file.size
          def stamp: Option[FileStamp] = None
          def read(range: ByteRange, target: Array[Byte], at: Int): Unit =
            throw new FileNotFoundException(path)
          def close(): Unit = file.close()
        }
      }
    }
    val versions = new Versions(late, "/t")
    intercept[LanceTableNotFoundException](versions.readWhole(versions.latest().get))
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
