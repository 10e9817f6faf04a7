package io.sparklance.dataset.blob

import java.nio.file.{Files, Path, Paths}

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.data.{ByteRange, Column, Fixed8Block, StructBlock}
import io.sparklance.dataset.Dataset
import io.sparklance.dataset.scan.{FragmentReader, ScanPlan, SplitTarget}
import io.sparklance.io.{IoScheduler, ReadProfile}
import io.sparklance.schema.Field
import io.sparklance.testkit.MemoryStore
import io.sparklance.{LanceFormatException, UnsupportedLanceFeatureException}

/** Tables of pylance that tests/golden/tables.py made: 60 blobs, in a column and within structs. */
class BlobReaderSuite extends AnyFunSuite {
  private val Rows = 60

  /** The blob of row `i`, and of row `59 - i` in the structs. */
  private def expected(i: Int): Option[Vector[Byte]] = i % 5 match {
    case 3 => None
    case 4 => Some(Vector.empty)
    case _ => Some(Vector.tabulate(1 + i * 37 % 430)(j => (i * 7 + j).toByte))
  }

  private def golden(name: String): MemoryStore = {
    val table = Paths.get(s"tests/golden/tables/$name").toAbsolutePath
    val files: Vector[Path] =
      Using.resource(Files.walk(table))(_.iterator.asScala.filter(Files.isRegularFile(_)).toVector)
    val store = new MemoryStore
    files.foreach { file =>
      store.put(s"/t/${table.relativize(file).iterator.asScala.mkString("/")}", Files.readAllBytes(file))
    }
    store
  }

  /** Reads all rows of a top-level field in one batch; the reader is for the blobs of `field`, which `inside`
    * takes from it.
    */
  private def reading[A](
      store: MemoryStore,
      projected: Field,
      field: Field,
      inside: Column => Column = identity
  )(body: (Column, BlobReader) => A): A = {
    val dataset = Dataset.open(store, "/t")
    val tasks = ScanPlan.splits(dataset, Vector(projected), SplitTarget.Bytes(Long.MaxValue)).flatMap(_.tasks)
    assert(tasks.size == 1)
    Using.resources(FragmentReader.open(store, tasks.head, 1000), new BlobReader(_ => store, field)) {
      (reader, blobs) =>
        assert(reader.next() && reader.rowCount == Rows)
        blobs.show(tasks.head, inside(reader.columns.head).values)
        body(reader.columns.head, blobs)
    }
  }

  private def blobs[A](store: MemoryStore)(body: (Column, BlobReader) => A): A = {
    val field = Dataset.open(store, "/t").schema.fields(1)
    reading(store, field, field)(body)
  }

  private def firstField(column: Column): Column = column.values match {
    case structs: StructBlock => structs.children.head
    case other => fail(s"$other")
  }

  private def values(column: Column, reader: BlobReader): Seq[Option[Vector[Byte]]] = (0 until Rows).map(i =>
    Option.unless(column.nulls.isNull(i))(reader.bytes(i).toVector)
  )

  for (version <- Seq("2.0", "2.1", "2.2")) {
    test(s"$version: blobs have the bytes that were written, and nulls are not empty") {
      blobs(golden(s"blobs_$version"))((column, reader) =>
        assert(values(column, reader) == (0 until Rows).map(expected))
      )
    }

    test(s"$version: blobs within structs are found, too") {
      val store = golden(s"blobs_$version")
      val struct = Dataset.open(store, "/t").schema.fields(2)
      reading(store, struct, struct.children(0), firstField) { (column, reader) =>
        val isNull = (i: Int) => version != "2.0" && i % 7 == 6
        assert((0 until Rows).forall(i => column.nulls.isNull(i) == isNull(i)))
        assert(values(firstField(column), reader) ==
          (0 until Rows).map(i => if (isNull(i)) None else expected(Rows - 1 - i)))
      }
    }
  }

  test("no bytes are read but those of the rows that are asked for") {
    val store = golden("blobs_2.1")
    blobs(store) { (_, reader) =>
      store.forgetReads()
      assert(reader.bytes(52).toVector == expected(52).get && reader.bytes(4).isEmpty)
      assert(store.reads.map(_.length) == Vector(expected(52).get.size.toLong))
    }
  }

  test("blobs that lie one behind the other take few reads") {
    val store = golden("blobs_2.1")
    blobs(store) { (column, reader) =>
      store.forgetReads()
      assert(values(column, reader) == (0 until Rows).map(expected))
      assert(store.reads.size < 4, store.reads)
    }
  }

  test("a large blob is read in parts, which the store's other requests are counted with") {
    val store = new MemoryStore(ReadProfile(
      "blobs",
      maxRequests = 3,
      readAhead = 1 << 20,
      maxGap = 0,
      maxLength = 1000
    ))
    val content = Array.tabulate(10500)(i => (i * 31 >> 3).toByte)
    store.put("f", content)
    Using.resource(new BlobFile(store.open("f"), IoScheduler.shared.client(store.profile))) { file =>
      assert(file.read(300, 10100).sameElements(content.slice(300, 10400)))
      assert(file.stats.requests == 11 && file.stats.bytes == 10100 && store.reads.size == 11)
    }
  }

  test("a descriptor of a kind that there is not is bad data of its file and column") {
    blobs(golden("blobs_2.2")) { (column, reader) =>
      firstField(column).values match {
        case kinds: Fixed8Block => kinds.values(0) = -1
        case other => fail(s"$other")
      }
      val e = intercept[LanceFormatException](reader.bytes(0))
      assert(e.reason == "a blob of kind 255")
      assert(e.location.column.nonEmpty && e.location.file.exists(_.startsWith("/t/data/")))
    }
  }

  test("a column that no file has is all null") {
    val store = golden("blobs_2.2")
    val field = Dataset.open(store, "/t").schema.fields(1).copy(id = 99)
    reading(store, field, field)((column, _) => assert(column.nulls.count == Rows))
  }

  test("positions and sizes that are not in the file are bad data, whatever they are") {
    val store = golden("blobs_2.1")
    val io = IoScheduler.shared.client(store.profile)
    val file = new BlobFile(store.open("/t/_versions/latest_version_hint.json"), io)
    val wrong = Seq(-1L, 14L, Long.MaxValue, Long.MinValue, Int.MaxValue + 1L)
    for (position <- 0L +: wrong; size <- wrong)
      assert(intercept[LanceFormatException](file.read(position, size)).reason.startsWith("a blob of "))
    assert(intercept[LanceFormatException](file.read(14, 0)).reason ==
      "a blob of 0 bytes at 14, in a file of 13")
    assert(file.read(13, 0).isEmpty && file.read(0, 13).length == 13)
  }

  private val places = new BlobPlaces("s3a://b/t/data/0a.lance", Map(1 -> "s3a://other/x", 7 -> "file:/y"))
  private def place(kind: Int, position: Long, size: Long, id: Int, uri: String): String = {
    val BlobPlace(path, at, bytes) = places.of(kind, position, size, id, uri)
    s"$path ${ByteRange(at, bytes.getOrElse(-1L))}"
  }

  test("a descriptor says in which file a blob is, and where") {
    val (one, last) = ("1" + "0" * 31, "1" * 32)
    assert(place(0, 64, 5, 3, "x") == "s3a://b/t/data/0a.lance ByteRange(64,5)")
    assert(place(1, 64, 5, 1, "x") == s"s3a://b/t/data/0a/$one.blob ByteRange(64,5)")
    assert(place(2, 64, 5, -1, "x") == s"s3a://b/t/data/0a/$last.blob ByteRange(0,5)")
    assert(place(3, 64, 5, 0, "file:///a%20b/c%25") == "file:///a b/c% ByteRange(64,5)")
    assert(place(3, 0, 0, 0, "s3a://b/%F0%9F%98%80?x") == "s3a://b/\ud83d\ude00 ByteRange(0,-1)")
    assert(place(3, 64, 5, 7, "a b/c") == "file:/y/a b/c ByteRange(64,5)")
  }

  test("a descriptor that leads nowhere, or out of its base, is bad data") {
    for (uri <- Seq("", "a/b", "/etc/passwd", "file:", "http://", "a b://x", "%zz", "mailto:a@b"))
      assert(intercept[LanceFormatException](place(3, 0, 1, 0, uri)).reason.contains("is not absolute"))
    for (uri <- Seq("", "/a", "a/", "a//b", "../a", "a/./b", "a/..", "a\\b", "s3a://b/a"))
      assert(intercept[LanceFormatException](place(3, 0, 1, 1, uri)).reason.contains("leads out of its base"))
    assert(intercept[LanceFormatException](place(
      3,
      0,
      1,
      2,
      "a"
    )).reason.contains("base 2, which the manifest lacks"))
    assert(intercept[LanceFormatException](place(6, 0, 1, 0, "a")).reason == "a blob of kind 6")
    for (kind <- Seq(4, 5))
      assert(intercept[UnsupportedLanceFeatureException](place(kind, 0, 1, 0, "a")).feature ==
        "managed blobs")
  }
}
