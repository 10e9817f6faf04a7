package io.sparklance.dataset.compaction

import scala.util.Using

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.UnsupportedLanceFeatureException
import io.sparklance.data.FileVersion
import io.sparklance.dataset.blob.BlobReader
import io.sparklance.dataset.scan.{ScanPlan, SplitReader, SplitTarget}
import io.sparklance.dataset.write.{FragmentWriter, RewriteSettings, WriteSchema, WrittenFile}
import io.sparklance.dataset.{Dataset, TableDefinition}
import io.sparklance.io.ObjectStore
import io.sparklance.schema.{BlobVersion, Field, LanceSchema, LogicalType}
import io.sparklance.table.WriteId
import io.sparklance.testkit.{DelegatingStore, MemoryStore}

/** Blobs go into new files with their rows. */
class BlobCompactionSuite extends AnyFunSuite {
  private val sizes = Vector(Some(3), None, Some(0), Some(10), Some(11), Some(100), Some(101), Some(60))
  private val options = CompactionOptions(targetRowsPerFragment = 1000)

  private def schema(version: FileVersion): LanceSchema = {
    val thresholds = Map("inline" -> "10", "dedicated" -> "100", "pack-file" -> "150").map {
      case (what, bytes) => s"lance-encoding:blob-$what-size-threshold" -> bytes
    }
    val metadata = thresholds + (BlobVersion.V1Key -> "true")
    WriteSchema.forVersion(
      LanceSchema(Vector(Field(
        -1,
        "b",
        LogicalType.Binary(large = true),
        nullable = true,
        metadata = metadata
      ))),
      version
    )
  }

  /** The blobs of the sizes, all of whose bytes are `filling`. */
  private def written(store: ObjectStore, version: FileVersion, filling: Int): WrittenFile = {
    val writer = new FragmentWriter(store, "/t", schema(version), version)
    val column = writer.columns.head
    val blobs = writer.blobs(schema(version).fields.head, column)
    sizes.foreach { size =>
      size.fold(column.appendNulls(1)) { n =>
        blobs.append(Array.fill(n)(filling.toByte))
        column.nulls.appendValid(1)
      }
      writer.rowWritten()
    }
    writer.finish()
  }

  private def table(store: ObjectStore, version: FileVersion): Dataset =
    Dataset.create(
      store,
      "/t",
      TableDefinition(schema(version), version),
      Vector(1, 2, 3).map(written(store, version, _))
    )

  private def rewriters(dataset: Dataset, store: ObjectStore): Vector[(FragmentGroup, GroupRewriter)] = {
    val plan = Compaction.plan(dataset, options)
    plan.groups.zip(Compaction.tasks(plan, options, WriteId.random())).map { case (group, task) =>
      group -> new GroupRewriter(store, "/t", task, RewriteSettings(1 << 20), _ => ())
    }
  }

  private def read(dataset: Dataset): Vector[Option[Vector[Byte]]] =
    ScanPlan.splits(dataset, dataset.schema.fields, SplitTarget.Rows(Long.MaxValue)).flatMap { split =>
      Using.resources(
        new SplitReader(dataset.store, split, 5),
        new BlobReader(_ => dataset.store, dataset.schema.fields.head)
      ) { (reader, blobs) =>
        Iterator.continually(reader.next()).takeWhile(identity).flatMap { _ =>
          val column = reader.columns.head
          blobs.show(reader.task, column.values)
          (0 until reader.rowCount).map(i => Option.unless(column.nulls.isNull(i))(blobs.bytes(i).toVector))
        }.toVector
      }
    }

  for (version <- FileVersion.writable)
    test(s"$version: blobs are in the new file, or beside it, as they were") {
      val store = new MemoryStore
      val before = table(store, version)
      val outcome = Compaction.commit(
        before,
        rewriters(before, store).map { case (group, rewriter) => group.into(rewriter.run()) }
      )
      val expected = (1 to 3).flatMap(i => sizes.map(_.map(Vector.fill(_)(i.toByte))))
      assert(outcome.fragmentsAdded == 1 && read(outcome.dataset) == expected)
      val stem = outcome.dataset.fragments.head.files.head.path.stripSuffix(".lance")
      val beside = store.paths.filter(_.startsWith(s"/t/data/$stem/"))
      assert(beside.nonEmpty == (version == FileVersion.V2_2))
    }

  test("blobs of version 2 go into no file that has no room for what describes them") {
    val before = table(new MemoryStore, FileVersion.V2_2)
    Seq(FileVersion.V2_0, FileVersion.V2_1).foreach { version =>
      val older = options.copy(fileVersion = Some(version))
      val e = intercept[UnsupportedLanceFeatureException](Compaction.plan(before, older))
      assert(e.getMessage.contains(s"blobs of version 2 to files of version $version (column 'b')"))
    }
  }

  test("a compaction that fails leaves no file, nor one beside it") {
    val store = new MemoryStore
    val before = table(store, FileVersion.V2_2)
    val files = store.paths
    val last = before.fragments.last.files.head.path
    val failing = new DelegatingStore(store) {
      override def open(path: String, knownSize: Option[Long]) =
        if (path.contains(last.stripSuffix(".lance") + "/")) throw new java.io.IOException("gone")
        else store.open(path, knownSize)
    }
    rewriters(before, failing).foreach { case (_, rewriter) =>
      assert(intercept[java.io.IOException](rewriter.run()).getMessage == "gone")
    }
    assert(store.paths == files)
  }
}
