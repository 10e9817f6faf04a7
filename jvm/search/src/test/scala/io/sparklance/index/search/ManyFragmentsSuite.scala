package io.sparklance.index.search

import java.lang.management.ManagementFactory
import java.util.UUID

import scala.collection.immutable.ArraySeq

import com.google.protobuf.ByteString
import com.google.protobuf.any.Any
import com.sun.management.ThreadMXBean
import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.data.FileVersion
import io.sparklance.dataset.Dataset
import io.sparklance.dataset.predicate.{NumberTest, Predicate}
import io.sparklance.dataset.scan.{ScanPlan, SplitTarget}
import io.sparklance.index.IndexKind
import io.sparklance.index.build._
import io.sparklance.index.read.SegmentCache
import io.sparklance.proto.{table => pb, transaction => txn}
import io.sparklance.schema.{Leaf, SchemaCodec}
import io.sparklance.table.index.RoaringSet
import io.sparklance.table.{Manifest, ManifestCodec}
import io.sparklance.testkit.{MemoryStore, TableFixtures}

/** Plans a look-up in a table of 10,000 fragments, whose index has 20 segments. */
class ManyFragmentsSuite extends AnyFunSuite {
  private val (fragments, segments, rows) = (10000, 20, 100)
  private val store = new MemoryStore
  private val field = TableFixtures.schema.fields.head

  /** Row `i` of fragment `f` has the value `f * rows + i`. */
  private def segment(number: Int): pb.IndexMetadata = {
    val own = (0 until fragments).filter(_ % segments == number)
    val uuid = new UUID(1, number.toLong)
    val files = BTreeFiles(IndexEntries.directory("/t", uuid), field, FileVersion.V2_2, BTree.PageRows)
    val keys = IndexKeys.ofNumbers
    val writer = new BTreePartWriter[java.lang.Long](store, files, None)
    val sorted = keys.buffer
    for (fragment <- own; i <- 0 until rows)
      sorted.add(Long.box(fragment.toLong * rows + i), fragment.toLong << 32 | i)
    sorted.sort()
    writer.append(sorted)
    val part = writer.finish()
    val lookup = BTree.writeLookup(store, files, keys, Vector(part), isPartitioned = false)
    pb.IndexMetadata(
      uuid = Some(pb.UUID(ByteString.copyFrom(
        java.nio.ByteBuffer.allocate(16).putLong(1).putLong(number.toLong).array
      ))),
      fields = Vector(field.id),
      name = "tree",
      datasetVersion = 1,
      fragmentBitmap = RoaringSet.of(own.map(_.toLong).toSet).encode,
      indexDetails = Some(Any(IndexKind.BTree.typeUrl, ByteString.EMPTY)),
      indexVersion = Some(0),
      files = Vector(part.file, lookup).map(file => pb.IndexFile(file.name, file.sizeBytes))
    )
  }

  private def dataset: Dataset = {
    val manifest = Manifest(pb.Manifest(
      version = 1,
      fields = SchemaCodec.encodeFields(TableFixtures.schema),
      fragments = (0 until fragments).map { id =>
        TableFixtures.fragment(s"$id.lance", rows.toLong).message.copy(id = id.toLong)
      },
      writerVersion = TableFixtures.writer
    ))
    val section = pb.IndexSection((0 until segments).map(segment)).toByteString
    store.put(
      "/t/_versions/18446744073709551614.manifest",
      ManifestCodec.encode(manifest, Some(section), txn.Transaction(uuid = "u"))
    )
    Dataset.open(store, "/t")
  }

  test("planning a look-up takes little memory") {
    val table = dataset
    val wanted = ArraySeq.tabulate(100)(i => i * 9973L)
    val predicate = Predicate.Passes(Leaf(Vector.empty, field), NumberTest.OneOf(wanted))
    val thread = ManagementFactory.getThreadMXBean.asInstanceOf[ThreadMXBean]
    (1 to 3).foreach { _ =>
      SegmentCache.clear()
      val (bytes, cpu) = (thread.getCurrentThreadAllocatedBytes, thread.getCurrentThreadCpuTime)
      val answer = IndexSearch.find(table, predicate, Vector.empty, BrokenIndices.Fail).get
      val splits = ScanPlan.splits(
        table,
        Vector(field),
        SplitTarget.Balanced(128L << 20, 4L << 20, 8),
        answer.addresses,
        predicate,
        passed = answer.exact
      )
      val used = (thread.getCurrentThreadAllocatedBytes - bytes) >> 20
      info(s"$used MB, ${(thread.getCurrentThreadCpuTime - cpu) / 1000000} ms of CPU time")
      assert(answer.found == 100 && answer.uncovered.isEmpty && answer.exact.size == fragments)
      assert(answer.uses == Vector(IndexUse("tree", "BTREE", segments, answer.uses.head.pages)))
      assert(splits.flatMap(_.tasks).map(_.rows.count).sum == 100)
      assert(splits.size <= 8)
      assert(used < 200)
    }
  }
}
