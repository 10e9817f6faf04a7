package io.sparklance.table

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.proto.{table => pb}
import io.sparklance.testkit.TableFixtures
import io.sparklance.{LanceFormatException, UnsupportedLanceFeatureException}

class FeatureFlagsSuite extends AnyFunSuite {

  private def flagged(bit: Int) = Manifest(
    pb.Manifest(readerFeatureFlags = FeatureFlags.bits(bit), writerFeatureFlags = FeatureFlags.bits(bit))
  )

  test("the flags that are honoured: bits 0 to 5, 8 and 11") {
    (0 until 64).foreach { bit =>
      val known = bit <= 5 || bit == 8 || bit == 11
      assert(refused(FeatureFlags.checkReadable(flagged(bit))).isEmpty == known, bit)
      assert(refused(FeatureFlags.checkWritable(flagged(bit))).isEmpty == known, bit)
    }
  }

  test("a refusal names each flag") {
    val both = Manifest(pb.Manifest(readerFeatureFlags = FeatureFlags.bits(6, 12, 63)))
    val message = refused(FeatureFlags.checkReadable(both)).get
    assert(
      message.contains(
        "reading a table with feature flag bit 6 (data overlay files), bit 12 (fragment tree), bit 63 (unknown)"
      )
    )
    assert(refused(
      FeatureFlags.checkWritable(flagged(10))
    ).get.contains("writing to a table with feature flag bit 10 (tagged fragment reuse index)"))
  }

  test("the reader's word does not keep from writing, nor the writer's from reading") {
    assert(refused(FeatureFlags.checkReadable(Manifest(pb.Manifest(writerFeatureFlags = ~256)))).isEmpty)
    assert(refused(FeatureFlags.checkWritable(Manifest(pb.Manifest(readerFeatureFlags = -1)))).isEmpty)
  }

  test(
    "a table of the reference with stable row ids is readable and writable, but not if some rows lack theirs"
  ) {
    val manifest = ManifestCodecSuite.decode(TableFixtures.golden("stable_row_ids.manifest")).manifest
    FeatureFlags.checkReadable(manifest)
    FeatureFlags.checkWritable(manifest)
    val message = manifest.message
    val lacking = message.copy(fragments = message.fragments :+ pb.DataFragment(id = 7))
    val e = intercept[LanceFormatException](FeatureFlags.checkReadable(Manifest(lacking)))
    assert(e.reason.contains("fragment 7 has no row ids"))
  }

  test("the flag for files of several versions is set for readers and writers, or the manifest is bad") {
    Seq(pb.Manifest(readerFeatureFlags = 256), pb.Manifest(writerFeatureFlags = 256)).foreach { message =>
      val e = intercept[LanceFormatException](FeatureFlags.checkReadable(Manifest(message)))
      assert(e.reason.contains("the flag for data files of several versions is set for readers only"))
    }
  }

  test("a data file of another version needs the flag for it") {
    val files = Seq(pb.DataFile("a", fileMajorVersion = 2, fileMinorVersion = 1))
    val message = pb.Manifest(
      fragments = Seq(pb.DataFragment(files = files)),
      dataFormat = Some(pb.Manifest.DataStorageFormat("lance", "2.2"))
    )
    val e = intercept[LanceFormatException](FeatureFlags.checkReadable(Manifest(message)))
    assert(e.reason.contains("the data file a is of version 2.1, those of the table are of 2.2"))
    val flagged = FeatureFlags.recomputed(message)
    assert(flagged.readerFeatureFlags == 256 && flagged.writerFeatureFlags == 256)
    FeatureFlags.checkReadable(Manifest(flagged))
  }

  test(
    "flags follow the content: deletions, bases and hidden columns in both words, config in the writer's"
  ) {
    val deleted = pb.DataFragment(deletionFile = Some(pb.DeletionFile()))
    assert(recomputed(pb.Manifest(fragments = Seq(deleted))) == ((1, 1)))
    val hiding = Seq(
      pb.DataFragment().withColumnRowIds(pb.RowLineageColumn()),
      pb.DataFragment().withColumnCreatedAtVersions(pb.RowLineageColumn()),
      pb.DataFragment().withColumnLastUpdatedAtVersions(pb.RowLineageColumn())
    )
    hiding.foreach(f => assert(recomputed(pb.Manifest(fragments = Seq(f))) == ((2048, 2048))))
    assert(recomputed(pb.Manifest(basePaths = Seq(pb.BasePath()))) == ((16, 16)))
    assert(recomputed(pb.Manifest(config = Map("k" -> "v"))) == ((0, 8)))
    assert(recomputed(pb.Manifest(readerFeatureFlags = 1 | 16, writerFeatureFlags = 1 | 8 | 16)) == ((0, 0)))
  }

  test("all other flags stay as they are") {
    val others = ~FeatureFlags.bits(0, 3, 4, FeatureFlags.HiddenLineage)
    assert(recomputed(pb.Manifest(readerFeatureFlags = others, writerFeatureFlags = others)) ==
      ((others, others)))
  }

  test("we compute the same flags as the reference for its tables") {
    Seq("create", "append", "index", "config", "delete").foreach { name =>
      val message = ManifestCodecSuite.decode(TableFixtures.golden(s"$name.manifest")).manifest.message
      val cleared = message.copy(readerFeatureFlags = 0, writerFeatureFlags = 0)
      assert(recomputed(cleared) == ((message.readerFeatureFlags, message.writerFeatureFlags)), name)
    }
  }

  private def recomputed(message: pb.Manifest): (Long, Long) = {
    val next = FeatureFlags.recomputed(message)
    (next.readerFeatureFlags, next.writerFeatureFlags)
  }

  private def refused(check: => Unit): Option[String] =
    try { check; None }
    catch { case e: UnsupportedLanceFeatureException => Some(e.getMessage) }
}
