package io.sparklance.spark.index

import java.io.{
  ByteArrayInputStream,
  ByteArrayOutputStream,
  DataInputStream,
  DataOutputStream,
  File,
  IOException
}

import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.index.build.IndexKeys

class SortedKeysSuite extends AnyFunSuite {

  test("rows beyond the limit are sorted in runs on disk, and merged") {
    val random = new Random(3)
    val keys = IndexKeys.ofNumbers
    Seq(1L << 20, 2000L, 100L).foreach { limit =>
      val rows = Vector.tabulate(5000)(i => (Option.unless(i % 7 == 0)(random.nextInt(300).toLong), i.toLong))
      val sorted = new SortedKeys(keys, limit)
      random.shuffle(rows).grouped(40).foreach { chunk =>
        val buffer = keys.buffer
        chunk.foreach { case (key, id) => buffer.add(key.fold[java.lang.Long](null)(Long.box), id) }
        sorted.add(buffer.drain())
      }
      val found = Vector.newBuilder[(Option[Long], Long)]
      try
        sorted.foreach { part =>
          (0 until part.size).foreach(row => found += part.key(row).map(_.longValue) -> part.id(row))
        }
      finally sorted.close()
      assert(found.result().map(_._1) == rows.map(_._1).sorted, limit)
      assert(found.result().sorted == rows.sorted, limit)
    }
  }

  test("a run that is cut anywhere fails, instead of losing rows") {
    val keys = IndexKeys.ofNumbers
    val whole = new ByteArrayOutputStream
    val out = new DataOutputStream(whole)
    (0L until 3L).foreach { chunk =>
      val rows = keys.buffer
      (0L until 20L).foreach(i => rows.add(Long.box(100 * chunk + i), i))
      val bytes = rows.drain()
      out.writeInt(bytes.length)
      out.write(bytes)
    }
    out.writeInt(SortedRun.End)
    def rows(bytes: Array[Byte]): Int = {
      val run =
        new SortedRun(new DataInputStream(new ByteArrayInputStream(bytes)), new File("a.run"), keys.buffer)
      val merged = keys.buffer
      while (run.hasRow) run.moveTo(merged)
      merged.size
    }
    assert(rows(whole.toByteArray) == 60)
    (0 until whole.size).foreach { size =>
      val error = intercept[IOException](rows(whole.toByteArray.take(size)))
      assert(error.getMessage.contains("ends too early"), size)
    }
  }
}
