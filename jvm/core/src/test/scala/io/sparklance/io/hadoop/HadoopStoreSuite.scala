package io.sparklance.io.hadoop

import java.io.{FileNotFoundException, IOException}
import java.nio.file.{Files, Path => LocalPath}

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FilterFileSystem, Path, RawLocalFileSystem}
import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.data.ByteRange
import io.sparklance.io.{LocalStore, ObjectStore}
import io.sparklance.{LanceFormatException, UnsupportedLanceFeatureException}

class HadoopStoreSuite extends AnyFunSuite {

  /** The local disk, with HDFS's rename: it says false when the target exists. */
  private class StrictRename extends FilterFileSystem(new RawLocalFileSystem) {
    initialize(java.net.URI.create("file:///"), new Configuration(false))
    override def rename(from: Path, to: Path): Boolean = !fs.exists(to) && fs.rename(from, to)
  }

  private def withStore(scheme: String)(body: (ObjectStore, String) => Any): Unit = {
    val directory = Files.createTempDirectory("sparklance")
    try {
      val _ = body(new HadoopStore(new StrictRename, scheme), directory.toString)
    } finally
      Files.walk(directory).sorted(java.util.Comparator.reverseOrder[LocalPath]()).forEach(p =>
        Files.delete(p)
      )
  }

  private def content(store: ObjectStore, path: String): Vector[Byte] = {
    val file = store.open(path)
    try {
      val bytes = new Array[Byte](file.size.toInt)
      file.read(ByteRange(0, file.size), bytes, 0)
      bytes.toVector
    } finally file.close()
  }

  test("the second to put a file of one name is told so, and changes nothing") {
    withStore("hdfs") { (store, root) =>
      assert(store.putIfAbsent(s"$root/_versions/1", Array[Byte](1, 2)))
      assert(!store.putIfAbsent(s"$root/_versions/1", Array[Byte](3)))
      assert(content(store, s"$root/_versions/1") == Vector(1, 2))
      assert(store.list(s"$root/_versions").map(_.name) == Vector("1"))
    }
  }

  test("a rename refused for any other reason is a failure, not somebody else's commit") {
    val refusing = new HadoopStore(
      new StrictRename { override def rename(from: Path, to: Path): Boolean = false },
      "hdfs"
    )
    withStore("hdfs") { (_, root) =>
      val e = intercept[IOException](refusing.putIfAbsent(s"$root/1", Array[Byte](1)))
      assert(e.getMessage.contains("refused to rename a new file to"))
      assert(refusing.list(root).isEmpty)
    }
  }

  test("a file is seen once it is committed, and not at all if it was given up") {
    withStore("hdfs") { (store, root) =>
      val kept = store.create(s"$root/data/a.lance")
      kept.stream.write(Array[Byte](1, 2, 3))
      assert(!store.exists(s"$root/data/a.lance"))
      kept.commit()
      kept.abort()
      val dropped = store.create(s"$root/data/b.lance")
      dropped.stream.write(4)
      dropped.abort()
      assert(store.list(s"$root/data").map(e => (e.name, e.size)) == Vector(("a.lance", 3L)))
      store.delete(s"$root/data/a.lance")
      store.delete(s"$root/data/a.lance")
      assert(store.list(s"$root/data").isEmpty)
    }
  }

  test("stores without a safe rename are read but not written") {
    withStore("s3a") { (store, root) =>
      val _ = Files.write(LocalPath.of(root, "f"), Array[Byte](1, 2, 3))
      assert(content(store, s"$root/f") == Vector(1, 2, 3))
      for (
        write <- Seq[() => Any](
          () => store.create(s"$root/g"),
          () => store.put(s"$root/g", Array.emptyByteArray),
          () => store.putIfAbsent(s"$root/g", Array.emptyByteArray)
        )
      ) assert(intercept[UnsupportedLanceFeatureException](write()).feature.startsWith("writing to s3a://"))
      assert(store.list(root).map(_.name) == Vector("f"))
    }
  }

  test("a walk shows the files of a whole tree, by their paths in it") {
    withStore("hdfs") { (store, root) =>
      Seq("a", "b/c", "b/d/e").foreach(name => store.put(s"$root/$name", Array[Byte](1, 2)))
      val found = Vector.newBuilder[(String, Long)]
      store.walk(root)(entry => found += (entry.name -> entry.size))
      assert(found.result().sorted == Vector(("a", 2L), ("b/c", 2L), ("b/d/e", 2L)))
    }
  }

  test("missing files are FileNotFoundExceptions, missing directories are empty") {
    withStore("hdfs") { (store, root) =>
      store.walk(s"$root/no")(_ => fail("there is nothing"))
      intercept[FileNotFoundException](store.open(s"$root/no"))
      assert(store.list(s"$root/no").isEmpty)
      assert(!store.exists(s"$root/no"))
    }
  }

  test("a file shorter than the manifest says, and a range outside of it, are bad data") {
    withStore("hdfs") { (store, root) =>
      store.put(s"$root/f", new Array[Byte](10))
      val file = store.open(s"$root/f", Some(20))
      try {
        val early = intercept[LanceFormatException](file.read(ByteRange(5, 10), new Array[Byte](10), 0))
        assert(early.getMessage.contains("the file ends before 15"))
        val outside = intercept[LanceFormatException](file.read(ByteRange(15, 10), new Array[Byte](10), 0))
        assert(outside.getMessage.contains("of a file of 20"))
      } finally file.close()
    }
  }

  test("the root's scheme, or else the default file system, chooses the store") {
    val conf = new Configuration(false)
    assert(Stores.forRoot("/tmp/t", conf) == LocalStore)
    assert(Stores.forRoot("file:///tmp/t", conf) == LocalStore)
    conf.set("fs.defaultFS", "file:///")
    assert(Stores.forRoot("/tmp/t", conf) == LocalStore)
  }
}
