package io.sparklance.index.text.build

import java.lang.management.ManagementFactory
import java.nio.charset.StandardCharsets.UTF_8

import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.LanceFormatException
import io.sparklance.data.FileVersion
import io.sparklance.index.SegmentFiles
import io.sparklance.index.text.{PostingCursor, TextPartition}
import io.sparklance.testkit.MemoryStore
import io.sparklance.text.Analyzer

/** Partitions have the tokens of their texts, and joined ones are those of all texts. */
class TextBuildSuite extends AnyFunSuite {
  private val words = Vector("alpha", "beta", "gamma", "delta", "Épée", "zebra", "x", "북경", "a1") ++
    (0 until 400).map(i => s"w${i * i}")

  private def params(withPosition: Boolean) =
    s"""{"base_tokenizer":"simple","with_position":$withPosition,"stem":false,"remove_stop_words":false}"""

  private val forms = for {
    (version, block) <- Vector((2, 128), (3, 256))
    withPosition <- Vector(false, true)
  } yield TextForm(version, block, params(withPosition))

  private def texts(random: Random, count: Int): Vector[String] = Vector.fill(count) {
    Vector.fill(
      random.nextInt(12)
    )(words((words.size * math.pow(random.nextDouble(), 4)).toInt)).mkString(" ")
  }

  private def files(store: MemoryStore, form: TextForm, version: FileVersion = FileVersion.V2_2) =
    TextFiles(store, "/segment", version, form)

  private def write(files: TextFiles, texts: Vector[(String, Long)], number: Long): WrittenPartition = {
    val buffer = new PartitionBuffer(files.form.withPosition, files.form.parameters.analysis)
    texts.foreach { case (text, row) =>
      val bytes = text.getBytes(UTF_8)
      buffer.add(bytes, 0, bytes.length, row)
    }
    WrittenPartition(number, buffer.documents, buffer.write(files, number))
  }

  private def open(files: TextFiles, part: WrittenPartition): PostingCursor =
    new TextPartition(
      files.store,
      SegmentFiles(files.directory, Map.empty),
      part.number,
      isFst = true
    ).cursor()

  test("settings that are not an object are refused with their file") {
    for (params <- Vector("{", "[1]", "")) {
      val error =
        intercept[LanceFormatException](TextStatistics.settings(Map("params" -> params), "/metadata.lance"))
      assert(error.location.file.contains("/metadata.lance"))
    }
  }

  /** Tokens with the rows that have them, and their positions. */
  private def expected(analyzer: Analyzer, texts: Vector[(String, Long)]) =
    texts.flatMap { case (text, row) =>
      analyzer.tokens(text).map { case (token, position) => (token, row, position) }
    }.groupBy(_._1).map { case (token, places) =>
      token -> places.groupBy(_._2).toVector.sortBy(_._1).map { case (row, own) => row -> own.map(_._3) }
    }

  private def stored(files: TextFiles, part: WrittenPartition) = {
    val cursor = open(files, part)
    try {
      cursor.next()
      Iterator.continually(cursor).takeWhile(_.token != null).map { cursor =>
        val list = cursor.postings
        val places = if (files.form.withPosition) Some(cursor.places) else None
        val rows = list.documents.indices.toVector.map { i =>
          val own = places.fold(Vector.fill(list.frequencies(i))(0))(p =>
            p.values.slice(p.starts(i), p.starts(i + 1)).toVector
          )
          cursor.documents.rowIds(list.documents(i)) -> own
        }
        val token = new String(cursor.token, UTF_8) -> rows
        cursor.next()
        token
      }.toMap
    } finally cursor.close()
  }

  forms.foreach { form =>
    test(s"partitions have their texts, joined ones the same bytes: $form") {
      val random = new Random(form.block.toLong)
      for (version <- Vector(FileVersion.V2_0, FileVersion.V2_1, FileVersion.V2_2)) {
        val all = texts(random, 3000).zipWithIndex.map { case (text, i) => text -> 7L * i }
        val own = files(new MemoryStore, form, version)
        val whole = write(own, all, 9)
        val wanted = expected(form.parameters.analysis.analyzer(), all)
        val found = stored(own, whole)
        if (form.withPosition) assert(found == wanted)
        else assert(found == wanted.map { case (token, rows) =>
          token -> rows.map { case (row, places) => row -> places.map(_ => 0) }
        })
        val other = files(new MemoryStore, form, version)
        val parts = Vector((0, 700), (700, 701), (701, 3000)).zipWithIndex.map { case ((from, until), i) =>
          write(other, all.slice(from, until), i.toLong)
        }.filter(_.documents > 0)
        val joined = PartitionMerge.run(other, parts, 9)
        assert(joined == whole)
        whole.files.foreach { file =>
          val path = s"/segment/${file.name}"
          assert(
            own.store.asInstanceOf[MemoryStore].bytes(path).toSeq ==
              other.store.asInstanceOf[MemoryStore].bytes(path).toSeq,
            file.name
          )
        }
      }
    }
  }

  test("texts without tokens are no documents, long ones are") {
    val form = forms(1)
    val own = files(new MemoryStore, form)
    val long = Vector.fill(100000)("alpha beta").mkString(" ")
    val part = write(own, Vector("" -> 1L, " .,! " -> 2L, long -> 3L, "x" * 41 -> 4L, "beta" -> 5L), 0)
    assert(part.documents == 2)
    val found = stored(own, part)
    assert(found("alpha").map(_._1) == Vector(3L) && found("beta").map(_._1) == Vector(3L, 5L))
    assert(found("alpha").head._2 == Vector.tabulate(100000)(2 * _))
  }

  test("a large text takes a bounded multiple of its bytes in memory") {
    val own = files(new MemoryStore, forms(1))
    val text = Vector.fill(1000000)("alpha beta x12 ").mkString
    val buffer = new PartitionBuffer(withPosition = true, own.form.parameters.analysis)
    val bytes = text.getBytes(UTF_8)
    val threads = ManagementFactory.getThreadMXBean.asInstanceOf[com.sun.management.ThreadMXBean]
    def allocated = threads.getThreadAllocatedBytes(Thread.currentThread.getId)
    val before = allocated
    buffer.add(bytes, 0, bytes.length, 1L)
    assert(allocated - before < 10L * bytes.length && buffer.sizeInBytes < 4L * bytes.length)
    assert(buffer.documents == 1)
  }

  test("malformed texts have the words around the malformed bytes") {
    val own = files(new MemoryStore, forms(1))
    val buffer = new PartitionBuffer(withPosition = true, own.form.parameters.analysis)
    val bytes = Array[Byte]('a', '1', -1, 'b', '2', ' ', -61, 'x', -30, -126)
    buffer.add(bytes, 0, bytes.length, 4L)
    val part = WrittenPartition(0, buffer.documents, buffer.write(own, 0))
    assert(stored(own, part) == Map(
      "a1" -> Vector(4L -> Vector(0)),
      "b2" -> Vector(4L -> Vector(1)),
      "x" -> Vector(4L -> Vector(2))
    ))
  }
}
