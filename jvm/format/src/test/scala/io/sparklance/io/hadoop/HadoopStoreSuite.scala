package io.sparklance.io.hadoop

import java.io.{FileNotFoundException, IOException}
import java.nio.file.{Files, NotDirectoryException, Path => LocalPath}

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, FilterFileSystem, Path, RawLocalFileSystem, RemoteIterator}
import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.data.ByteRange
import io.sparklance.io.{FileName, LatePutException, Listing, ObjectStore}
import io.sparklance.{LanceFormatException, LanceUsageException, UnsupportedLanceFeatureException}

class HadoopStoreSuite extends AnyFunSuite {

  /** The local disk, with HDFS's rename: it says false when the target exists. */
  private class StrictRename extends FilterFileSystem(new RawLocalFileSystem) {
    initialize(java.net.URI.create("file:///"), new Configuration(false))
    override def rename(from: Path, to: Path): Boolean = !fs.exists(to) && fs.rename(from, to)
  }

  private def withStore(scheme: String)(body: (ObjectStore, String) => Any): Unit = {
    val directory = Files.createTempDirectory("sparklance")
    try {
      val _ = body(HadoopStore.of(new StrictRename, scheme), directory.toString)
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

  test("the second put of a name fails, and changes nothing") {
    for (scheme <- Seq("hdfs", "abfs", "abfss")) withStore(scheme) { (store, root) =>
      assert(store.putIfAbsent(s"$root/_versions/1", Array[Byte](1, 2)))
      assert(!store.putIfAbsent(s"$root/_versions/1", Array[Byte](3)))
      assert(content(store, s"$root/_versions/1") == Vector(1, 2))
      assert(store.list(s"$root/_versions").map(_.name) == Vector("1"))
    }
  }

  test("a rename refused for any other reason is a failure, not somebody else's commit") {
    val refusing = HadoopStore.of(
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

  test("object stores: a manifest is put on condition that there is none, of two exactly one succeeds") {
    for ((scheme, fs) <- Seq("s3a" -> new ObjectFileSystem, "gs" -> new ObjectFileSystem)) withStore("hdfs") {
      (_, root) =>
        val store = HadoopStore.of(fs, scheme)
        assert(store.putIfAbsent(s"$root/_versions/1", Array[Byte](1, 2)))
        assert(!store.putIfAbsent(s"$root/_versions/1", Array[Byte](3)))
        assert(content(store, s"$root/_versions/1") == Vector(1, 2))
        assert(store.list(s"$root/_versions").map(_.name) == Vector("1"), "nothing was staged")
        store.put(s"$root/_versions/1", Array[Byte](4))
        assert(content(store, s"$root/_versions/1") == Vector(4))
        if (scheme == "s3a") assert(fs.demanded == Set("fs.option.create.conditional.overwrite"))
    }
  }

  test(
    "object stores: a put whose answer is lost is not taken for a success, and one that failed not for another's"
  ) {
    for (scheme <- Seq("s3a", "gs"); after <- Seq(true, false)) withStore("hdfs") { (_, root) =>
      val store = HadoopStore.of(
        new ObjectFileSystem {
          override def put(effect: => Unit): Unit = {
            if (after) effect
            throw new IOException("connection reset")
          }
        },
        scheme
      )
      if (after) assert(!store.putIfAbsent(s"$root/1", Array[Byte](1)))
      else intercept[LatePutException](store.putIfAbsent(s"$root/1", Array[Byte](1)))
      assert(store.exists(s"$root/1") == after)
    }
  }

  test("object stores: a file that is given up never appears, and one that is committed stays") {
    for (scheme <- Seq("s3a", "gs")) withStore("hdfs") { (_, root) =>
      val store = HadoopStore.of(new ObjectFileSystem, scheme)
      val kept = store.create(s"$root/data/a.lance")
      kept.stream.write(Array[Byte](1, 2, 3))
      assert(!store.exists(s"$root/data/a.lance"))
      kept.commit()
      kept.abort()
      val dropped = store.create(s"$root/data/b.lance")
      dropped.stream.write(4)
      dropped.abort()
      dropped.abort()
      assert(store.list(s"$root/data").map(e => (e.name, e.size)) == Vector(("a.lance", 3L)))
    }
  }

  test("stores without a safe way to commit are read but not written, unless something else orders commits") {
    withStore("hdfs") { (_, root) =>
      val _ = Files.write(LocalPath.of(root, "f"), Array[Byte](1, 2, 3))
      val old = new ObjectFileSystem(conditional = false)
      for (
        (store, cure) <- Seq(
          HadoopStore.of(old, "s3a") -> "Use hadoop-aws 3.4.2 or later",
          HadoopStore.of(old, "ftp") -> "the value 'unguarded'"
        )
      ) {
        assert(content(store, s"$root/f") == Vector(1, 2, 3))
        for (
          write <- Seq[() => Any](
            () => store.create(s"$root/g"),
            () => store.put(s"$root/g", Array.emptyByteArray),
            () => store.putIfAbsent(s"$root/g", Array.emptyByteArray)
          )
        ) {
          val message = intercept[LanceUsageException](write()).getMessage
          assert(message.contains(cure) && message.contains("'commitHandler'"), message)
        }
        assert(store.list(root).map(_.name) == Vector("f"))
      }
      val ordered = HadoopStore.unguarded(old, "ftp")
      ordered.put(s"$root/g", Array[Byte](1))
      assert(content(ordered, s"$root/g") == Vector(1))
    }
  }

  test("names are listed until there are enough, where they come in order") {
    class Sorted extends StrictRename {
      var seen = 0
      override def listStatusIterator(path: Path): RemoteIterator[FileStatus] = {
        val all = fs.listStatus(path).sortBy(_.getPath.getName).iterator
        new RemoteIterator[FileStatus] {
          def hasNext(): Boolean = all.hasNext
          def next(): FileStatus = {
            seen += 1
            all.next()
          }
        }
      }
    }
    withStore("hdfs") { (_, root) =>
      (1000 until 3000).foreach(i => Files.write(LocalPath.of(root, s"f$i"), new Array[Byte](i % 3)))
      val sorted = new Sorted
      val store = HadoopStore.of(sorted, "hdfs")
      assert(store.listing(root) == Listing.Ordered)
      val first = store.names(root)(_ == "f1002")
      assert(first.head.copy(listed = None) == FileName("f1000", Some(1)) && first.size == 1000 &&
        sorted.seen == 1000)
      assert(store.names(root)(_ == "f2500").size == 1501 && store.names(root)(_ => false).size == 2000)
      assert(store.names(s"$root/no")(_ => false).isEmpty)
      val unknown = HadoopStore.of(sorted, "ftp")
      assert(unknown.listing(root) == Listing.Whole && unknown.names(root)(_ == "f1002").size == 2000)
    }
  }

  test("directories are listed by their names, and renamed in one step where the store has one") {
    for (scheme <- Seq("hdfs", "abfs", "viewfs", "s3a", "gs")) withStore(scheme) { (store, root) =>
      Seq("a b/x", "c/d/y").foreach { path =>
        Files.createDirectories(LocalPath.of(root, path).getParent)
        Files.write(LocalPath.of(root, path), Array[Byte](7))
      }
      Files.write(LocalPath.of(root, "file"), Array[Byte](1))
      assert(store.directories(root).sorted == Vector("a b", "c"))
      assert(store.directories(s"$root/none").isEmpty)
      intercept[NotDirectoryException](store.directories(s"$root/file"))
      intercept[NotDirectoryException](store.directories(s"$root/a b/x"))
      if (Set("s3a", "gs")(scheme)) {
        val e = intercept[UnsupportedLanceFeatureException](store.rename(s"$root/c", s"$root/e"))
        assert(e.getMessage.contains("renaming a directory"))
      } else {
        assert(!store.rename(s"$root/c", s"$root/a b"))
        assert(store.rename(s"$root/c", s"$root/e"))
        assert(content(store, s"$root/e/d/y") == Vector(7) && !store.exists(s"$root/c"))
      }
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
}
