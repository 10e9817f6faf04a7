package io.sparklance.io

import java.io.FileNotFoundException
import java.nio.file.{Files, Path}
import java.util.concurrent.{CountDownLatch, Executors}

import scala.concurrent.duration._
import scala.concurrent.{Await, ExecutionContext, Future}

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.data.ByteRange
import io.sparklance.{LanceFormatException, LanceTableNotFoundException}

class LocalStoreSuite extends AnyFunSuite {

  private def withDirectory(body: Path => Any): Unit = {
    val directory = Files.createTempDirectory("sparklance")
    try { val _ = body(directory) }
    finally
      Files.walk(directory).sorted(java.util.Comparator.reverseOrder[Path]()).forEach(p => Files.delete(p))
  }

  private def content(path: String): Array[Byte] = {
    val file = LocalStore.open(path)
    try {
      val bytes = new Array[Byte](file.size.toInt)
      file.read(ByteRange(0, file.size), bytes, 0)
      bytes
    } finally file.close()
  }

  test("of many writers of one name exactly one wins, and its bytes are what everybody sees") {
    withDirectory { directory =>
      val threads = 8
      val pool = Executors.newFixedThreadPool(threads)
      implicit val context: ExecutionContext = ExecutionContext.fromExecutor(pool)
      try
        for (round <- 0 until 50) {
          val path = s"$directory/versions/$round.manifest"
          val start = new CountDownLatch(1)
          val wins = (0 until threads).map { i =>
            Future {
              start.await()
              val bytes = Array.fill(10000)(i.toByte)
              if (i % 2 == 0) LocalStore.putIfAbsent(path, bytes) else LocalStore.claim(path, bytes)
            }
          }
          start.countDown()
          val results = Await.result(Future.sequence(wins), 1.minute)
          assert(results.count(identity) == 1)
          assert(content(path).sameElements(Array.fill(10000)(results.indexOf(true).toByte)))
        }
      finally { val _ = pool.shutdownNow() }
      assert(LocalStore.list(s"$directory/versions").size == 50, "nothing else is left behind")
    }
  }

  test("a file whose directory is removed while it is written is refused by name") {
    withDirectory { directory =>
      val file = LocalStore.create(s"$directory/t.lance/data/a.lance")
      file.stream.write(1)
      LocalStore.deleteTree(s"$directory/t.lance")
      val refusal = intercept[LanceTableNotFoundException](file.commit())
      assert(refusal.getMessage.contains(s"$directory/t.lance/data/a.lance cannot be completed"))
      file.abort()
      assert(!Files.exists(directory.resolve("t.lance")))
    }
  }

  test("a file that may be lost is visible as a whole, or the one before it") {
    withDirectory { directory =>
      val path = s"$directory/hint/latest.json"
      (1 to 3).foreach(i => LocalStore.putExpendable(path, Array.fill(i)(i.toByte)))
      assert(content(path).sameElements(Array[Byte](3, 3, 3)))
      assert(LocalStore.list(s"$directory/hint").size == 1, "nothing else is left behind")
    }
  }

  test("directories are listed by their names, and renamed in one step if the name is free") {
    withDirectory { directory =>
      LocalStore.put(s"$directory/a b/x", Array[Byte](1))
      LocalStore.put(s"$directory/c/d/y", Array[Byte](2))
      LocalStore.put(s"$directory/file", Array[Byte](3))
      assert(LocalStore.directories(directory.toString).sorted == Vector("a b", "c"))
      assert(LocalStore.directories(s"$directory/none").isEmpty)
      intercept[java.nio.file.NotDirectoryException](LocalStore.directories(s"$directory/file"))
      assert(!LocalStore.rename(s"$directory/c", s"$directory/a b"))
      assert(LocalStore.rename(s"$directory/c", s"$directory/e"))
      assert(content(s"$directory/e/d/y").sameElements(Array[Byte](2)) && !LocalStore.exists(s"$directory/c"))
      intercept[java.io.FileNotFoundException](LocalStore.rename(s"$directory/c", s"$directory/f"))
    }
  }

  test("names of a directory are listed; a missing one, or a file, has none") {
    withDirectory { directory =>
      LocalStore.put(s"$directory/a/b", Array.emptyByteArray)
      assert(LocalStore.names(s"$directory/a")(_ => false).map(_.name) == Vector("b"))
      assert(LocalStore.names(s"$directory/none")(_ => false).isEmpty)
      assert(LocalStore.names(s"$directory/a/b")(_ => false).isEmpty)
    }
  }

  test("a file under way is not seen under its name, and not at all once given up") {
    withDirectory { directory =>
      val path = s"$directory/data/a.lance"
      val file = LocalStore.create(path)
      file.stream.write(Array[Byte](1, 2, 3))
      assert(!LocalStore.exists(path))
      assert(!LocalStore.list(s"$directory/data").exists(_.name.endsWith(".lance")))
      file.abort()
      assert(LocalStore.list(s"$directory/data").isEmpty)
      file.abort()
    }
  }

  test("a committed file has all its bytes, and giving it up afterwards does not take it away") {
    withDirectory { directory =>
      val path = s"$directory/data/a.lance"
      val bytes = Array.tabulate(3 << 20)(_.toByte)
      val file = LocalStore.create(path)
      file.stream.write(bytes)
      file.stream.write(77)
      file.commit()
      file.abort()
      assert(content(path).sameElements(bytes :+ 77.toByte))
      assert(LocalStore.list(s"$directory/data").map(e => (e.name, e.size)) ==
        Vector(("a.lance", (3L << 20) + 1)))
    }
  }

  test("a walk shows the files of a whole tree, by their paths in it") {
    withDirectory { directory =>
      Seq("a", "b/c", "b/d/e").foreach(name => LocalStore.put(s"$directory/$name", Array[Byte](1, 2)))
      val found = Vector.newBuilder[FileEntry]
      LocalStore.walk(directory.toString)(found += _)
      assert(found.result().map(e => (e.name, e.size)).toSet == Set(("a", 2L), ("b/c", 2L), ("b/d/e", 2L)))
      LocalStore.walk(s"$directory/none")(_ => fail("there is nothing"))
    }
  }

  test("put replaces an existing file") {
    withDirectory { directory =>
      LocalStore.put(s"$directory/hint", Array[Byte](1))
      LocalStore.put(s"$directory/hint", Array[Byte](2, 3))
      assert(content(s"$directory/hint").sameElements(Array[Byte](2, 3)))
      assert(LocalStore.list(directory.toString).size == 1)
    }
  }

  test(
    "a missing file is a FileNotFoundException; a missing directory has no files; deleting nothing is fine"
  ) {
    withDirectory { directory =>
      assert(intercept[FileNotFoundException](LocalStore.open(s"$directory/no")).getMessage ==
        s"$directory/no")
      assert(LocalStore.list(s"$directory/no").isEmpty)
      LocalStore.delete(s"$directory/no")
    }
  }

  test("only files are listed") {
    withDirectory { directory =>
      LocalStore.put(s"$directory/sub/a", Array[Byte](1))
      LocalStore.put(s"$directory/b", Array[Byte](1))
      assert(LocalStore.list(directory.toString).map(_.name) == Vector("b"))
    }
  }

  test("a range outside of the file is bad data, whatever its numbers") {
    withDirectory { directory =>
      LocalStore.put(s"$directory/f", new Array[Byte](10))
      val file = LocalStore.open(s"$directory/f")
      try
        for (
          range <- Seq(
            ByteRange(5, 6),
            ByteRange(-1, 2),
            ByteRange(0, -1),
            ByteRange(Long.MaxValue, 9),
            ByteRange(9, Long.MaxValue)
          )
        )
          assert(
            intercept[LanceFormatException](file.read(
              range,
              new Array[Byte](20),
              0
            )).getMessage.contains("of a file of 10")
          )
      finally file.close()
    }
  }

  test("plain paths and file URIs name the same file") {
    withDirectory { directory =>
      LocalStore.put(s"$directory/a b%20c", Array[Byte](5))
      for (root <- Seq(s"file:$directory", s"file://$directory", s"file://localhost$directory"))
        assert(content(s"$root/a b%20c").sameElements(Array[Byte](5)))
    }
  }
}
