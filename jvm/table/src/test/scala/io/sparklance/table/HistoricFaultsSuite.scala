package io.sparklance.table

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.proto.{table => pb}
import io.sparklance.{LanceFormatException, LanceUsageException}

class HistoricFaultsSuite extends AnyFunSuite {

  private def lance(version: String) = Some(pb.Manifest.WriterVersion("lance", version))

  private def file(fields: Int*) = pb.DataFile(fields.mkString("f", "-", ""), fields)

  private def fragment(id: Long, files: pb.DataFile*) = pb.DataFragment(
    id,
    files,
    deletionFile = Some(pb.DeletionFile(id = 1, numDeletedRows = 3)),
    physicalRows = 7
  )

  private def names(fields: (Int, String)*) = fields.map { case (id, name) =>
    io.sparklance.proto.file.Field(id = id, parentId = -1, name = name)
  }

  test("row counts are removed only from a manifest that names no writer") {
    val message = pb.Manifest(fragments = Seq(fragment(0, file(0))))
    val mended = HistoricFaults.withoutWrongCounts(message).fragments.head
    assert(mended.physicalRows == 0 && mended.deletionFile.get.numDeletedRows == 0)
    assert(mended.deletionFile.get.id == 1 && mended.files == message.fragments.head.files)
    Seq(lance("0.8.1"), Some(pb.Manifest.WriterVersion("", ""))).foreach { writer =>
      val named = message.copy(writerVersion = writer)
      assert(HistoricFaults.withoutWrongCounts(named) == named)
    }
  }

  test("a field of two files of a fragment gets a new id in the last one, in all fragments") {
    val message = pb.Manifest(
      fields = names(0 -> "x", 1 -> "y", 2 -> "b", 3 -> "s") :+
        io.sparklance.proto.file.Field(id = 4, parentId = 3, name = "inner"),
      fragments = Seq(
        fragment(0, file(0), file(1, 2), file(3, 4), file(2, 3, 4)),
        fragment(1, file(0, 1, 2, 3, 4))
      )
    )
    val mended = HistoricFaults.withDistinctFields(message)
    assert(mended.fields.map(f => (f.id, f.parentId, f.name)) ==
      Seq((0, -1, "x"), (1, -1, "y"), (5, -1, "b"), (6, -1, "s"), (7, 6, "inner")))
    assert(mended.fragments.map(_.files.map(_.fields)) ==
      Seq(Seq(Seq(0), Seq(1, 2), Seq(5, 6, 7)), Seq(Seq(0, 1, 5, 6, 7))))
    assert(HistoricFaults.withDistinctFields(mended) == mended)
  }

  test("invalid and hidden columns may occur in many files") {
    val message = pb.Manifest(
      fields = names(0 -> "x"),
      fragments = Seq(fragment(0, file(0, -2), file(-2, -3), file(-2, -3)))
    )
    assert(HistoricFaults.withDistinctFields(message) == message)
  }

  test("two fragments with one id, and files of 0.1 beside others, are not committed again") {
    def refusal(fragments: pb.DataFragment*): String = intercept[LanceUsageException](
      HistoricFaults.checkNone(pb.Manifest(version = 4, fragments = fragments))
    ).getMessage
    assert(refusal(fragment(1, file(0)), fragment(1, file(0))).contains(
      "on top of version 3: two of its fragments have the id 1"
    ))
    val current = file(0).copy(fileMajorVersion = 2)
    assert(refusal(fragment(0, file(0)), fragment(1, current)).contains(
      "data files of version 0.1 beside those of 2.0"
    ))
    HistoricFaults.checkNone(pb.Manifest(fragments = Seq(fragment(0, current), fragment(1, current))))
  }

  private def said(format: String, flags: Int, files: pb.DataFile*): Manifest = Manifest(pb.Manifest(
    fragments = files.zipWithIndex.map { case (f, id) => fragment(id.toLong, f) },
    dataFormat = Some(format).filter(_.nonEmpty).map(pb.Manifest.DataStorageFormat("lance", _)),
    readerFeatureFlags = flags.toLong,
    writerFeatureFlags = flags.toLong
  ))

  private val old = file(0)
  private val v20 = file(0).copy(fileMinorVersion = 3)
  private val v21 = file(0).copy(fileMajorVersion = 2, fileMinorVersion = 1)

  test("a table that says 0.1 has the version of its files, if they all have one") {
    assert(said("0.1", 0, v20, v20).fileVersionName == "2.0")
    assert(said("legacy", 0, v21).fileVersionName == "2.1")
    assert(said("0.1", 0, old, v20, v21).fileVersionName == "0.1")
    assert(said("0.1", 0).fileVersionName == "0.1")
    assert(said("", 0).fileVersionName == "0.1")
    assert(said("", 4).fileVersionName == "2.2")
    assert(said("", 4, v20).fileVersionName == "2.0")
    Seq(said("0.1", 0, v20), said("0.1", 0, old, v20, v21)).foreach(FeatureFlags.checkReadable)
    Seq(said("0.1", 0, v20, v21), said("", 0, old, v20)).foreach { several =>
      val e = intercept[LanceFormatException](several.fileVersionName)
      assert(e.reason.contains("its files have several"))
    }
  }

  test("the flag for several versions of files does not go with 0.1") {
    Seq(said("0.1", 256, v20), said("2.0", 256, v20, old), said("0.1", 256)).foreach { flagged =>
      val e = intercept[LanceFormatException](FeatureFlags.checkReadable(flagged))
      assert(e.reason.contains("of version 0.1, but a flag says"))
    }
    FeatureFlags.checkReadable(said("2.0", 256, v20, v21))
  }
}
