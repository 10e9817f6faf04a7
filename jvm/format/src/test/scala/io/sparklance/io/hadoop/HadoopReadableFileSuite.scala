package io.sparklance.io.hadoop

import java.io.{FileNotFoundException, IOException}
import java.nio.file.{Files, Path}
import java.util.concurrent.atomic.AtomicInteger

import scala.concurrent.duration._
import scala.jdk.CollectionConverters._
import scala.util.Using

import org.apache.hadoop.fs.{FSDataInputStream, FileStatus, Path => HadoopPath}
import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.data.{ByteRange, FileVersion}
import io.sparklance.io.{FileStamp, IoScheduler, LocalStore, Read, ReadProfile, ReadableFile}
import io.sparklance.schema.LogicalType.{Integer, Utf8}
import io.sparklance.testkit.{RandomColumns, Scans}
import io.sparklance.{LanceFormatException, testkit}

class HadoopReadableFileSuite extends AnyFunSuite {
  private val content = Array.tabulate(1000)(i => (i * 7).toByte)

  private def withFile(body: String => Any): Unit = {
    val path = Files.createTempFile("sparklance", "f")
    try {
      Files.write(path, content)
      val _ = body(path.toString)
    } finally { val _ = Files.deleteIfExists(path) }
  }

  private def flaky(failures: Int, vectored: Boolean, failure: => Exception = new IOException("503")) =
    new FlakyFileSystem(failures, vectored, failure)

  private def open(fs: FlakyFileSystem, path: String, size: Option[Long] = None): ReadableFile =
    HadoopStore.of(fs, "flaky").open(path, size)

  private def read(file: ReadableFile, range: ByteRange): Vector[Byte] = {
    val target = new Array[Byte](range.length.toInt + 10)
    file.read(range, target, 5)
    target.slice(5, 5 + range.length.toInt).toVector
  }

  for (vectored <- Seq(false, true)) {
    val kind = if (vectored) "vectored" else "positional"

    test(s"$kind: short reads are gone on with, and a store that fails once or twice is asked again") {
      withFile { path =>
        for (failures <- 0 to 2) {
          val fs = flaky(failures, vectored)
          Using.resource(open(fs, path)) { file =>
            assert(read(file, ByteRange(100, 800)) == content.slice(100, 900).toVector)
          }
          assert(fs.open.get == 0, "streams that are open")
        }
      }
    }

    test(s"$kind: a store that keeps failing is one error, with the file and the range") {
      withFile { path =>
        val fs = flaky(Int.MaxValue, vectored)
        Using.resource(open(fs, path)) { file =>
          val e = intercept[IOException](read(file, ByteRange(100, 50)))
          assert(e.getMessage == s"bytes [100, 150) of $path cannot be read, tried 3 times: 503")
          assert(fs.reads.get == 3)
        }
        assert(fs.open.get == 0, "streams that are open")
      }
    }

    test(s"$kind: a request that fails lowers the number of concurrent ones") {
      withFile { path =>
        val profile = ReadProfile.remote(s"throttled, $kind")
        IoScheduler.shared.task(profile).close()
        val file = new HadoopFile(flaky(1, vectored), new HadoopPath(path))
        Using.resource(HadoopReadableFile.open(file, FileStamp(profile.lane, path, 1000, 0), None)) {
          opened =>
            assert(IoScheduler.shared.limit(profile) == 15)
            val _ = read(opened, ByteRange(0, 5))
            assert(IoScheduler.shared.limit(profile) == 10)
        }
      }
    }

    test(s"$kind: a permanent failure is not retried") {
      withFile { path =>
        val fs = flaky(Int.MaxValue, vectored, new FileNotFoundException(path))
        Using.resource(open(fs, path)) { file =>
          intercept[FileNotFoundException](read(file, ByteRange(0, 5)))
          assert(fs.reads.get == 1)
        }
      }
    }

    test(s"$kind: a file that is gone is missing, whatever the client makes of that") {
      for (said <- Seq(new IOException("Status Code: 404"), new IllegalStateException("no block"))) withFile {
        path =>
          val fs = flaky(Int.MaxValue, vectored, said)
          Using.resource(open(fs, path)) { file =>
            Files.delete(Path.of(path))
            intercept[FileNotFoundException](read(file, ByteRange(0, 5)))
            assert(fs.reads.get == 1)
          }
          assert(fs.open.get == 0, "streams that are open")
      }
    }

    test(s"$kind: a client that fails in ways of its own is asked again, for what is there by then") {
      withFile { path =>
        for (size <- Seq(None, Some(1000L))) {
          val fs = flaky(1, vectored, new IllegalStateException("no block"))
          Using.resource(open(fs, path, size))(file =>
            assert(read(file, ByteRange(5, 6)) == content.slice(5, 11).toVector)
          )
          assert(fs.statuses.asScala.map(_.map(_.getLen)).toVector ==
            Vector(size.fold(Option(1000L))(_ => None), Some(1000L)))
          assert(fs.open.get == 0, "streams that are open")
        }
        val e = intercept[IOException](Using.resource(open(
          flaky(Int.MaxValue, vectored, new IllegalStateException("no block")),
          path
        ))(read(_, ByteRange(0, 5))))
        assert(e.getMessage.contains("tried 3 times: java.lang.IllegalStateException: no block"))
      }
    }

    test(s"$kind: a file that is shorter than was said is bad data") {
      withFile { path =>
        Using.resource(open(flaky(0, vectored), path, Some(2000))) { file =>
          val e = intercept[LanceFormatException](read(file, ByteRange(900, 200)))
          assert(e.reason == "the file ends before 1100, though its size should be 2000")
          assert(e.location.file.contains(path) && e.location.offset.contains(900L))
        }
      }
    }

    test(s"$kind: many threads read at a time, and closing the file ends all of them") {
      withFile { path =>
        val fs = flaky(0, vectored)
        val scheduler = new IoScheduler(10.millis)
        val client = scheduler.client(HadoopStore.of(fs, "flaky").profile)
        val file = open(fs, path)
        val targets = Vector.fill(200)(new Array[Byte](100))
        val reads =
          targets.zipWithIndex.map { case (t, i) => new Read(file, ByteRange(i.toLong, 100), i.toLong, t, 0) }
        client.begin(reads)
        reads.foreach(client.await)
        targets.zipWithIndex.foreach { case (t, i) => assert(t.sameElements(content.slice(i, i + 100))) }
        assert(fs.opened.get <= client.profile.maxRequests + 1, "streams")
        client.begin(reads.map(r => new Read(file, r.range, r.row, new Array(100), 0)))
        client.close()
        file.close()
        while (scheduler.requests(s"file:///") > 0) Thread.sleep(1)
        assert(fs.open.get == 0, "streams that are open")
        intercept[IOException](read(file, ByteRange(0, 1)))
      }
    }
  }

  test("a store that is not to be reached at first is asked again, for files and for what there is") {
    withFile { path =>
      val calls = new AtomicInteger
      val fs = new FlakyFileSystem(0, vectored = false, new IOException) {
        private def maybeFail(): Unit = if (calls.incrementAndGet() <= 2) throw new IOException("503")
        override def open(path: HadoopPath, bufferSize: Int): FSDataInputStream = {
          maybeFail()
          super.open(path, bufferSize)
        }
        override def getFileStatus(path: HadoopPath): FileStatus = {
          maybeFail()
          super.getFileStatus(path)
        }
        override def listStatus(path: HadoopPath): Array[FileStatus] = {
          maybeFail()
          super.listStatus(path)
        }
      }
      Using.resource(open(fs, path, Some(1000)))(file =>
        assert(read(file, ByteRange(5, 3)).size == 3 && calls.get > 2)
      )
      calls.set(0)
      intercept[FileNotFoundException](HadoopStore.of(fs, "flaky").open(s"$path.not"))
      calls.set(0)
      assert(HadoopStore.of(fs, "flaky").list("/nothing").isEmpty && calls.get > 2)
      assert(fs.open.get == 0)
    }
  }

  test("a table's file is read from a store that fails now and then as from one that does not") {
    val directory = Files.createTempDirectory("sparklance")
    val fields = RandomColumns.fields(Vector(Integer(64, signed = true), Utf8(large = false)))
    try {
      val path = s"$directory/f"
      val written = testkit.Files.write(
        LocalStore,
        path,
        fields,
        FileVersion.V2_2,
        Vector(300, 200, 100),
        RandomColumns.Anything,
        0.1,
        3
      )
      for (vectored <- Seq(false, true)) {
        val fs = flaky(2, vectored)
        assert(Scans.read(HadoopStore.of(fs, "flaky"), path) == written)
        assert(fs.open.get == 0)
      }
    } finally
      Files.walk(directory).sorted(java.util.Comparator.reverseOrder[Path]()).iterator.asScala.foreach(p =>
        Files.delete(p)
      )
  }
}
