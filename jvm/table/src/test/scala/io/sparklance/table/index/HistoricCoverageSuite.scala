package io.sparklance.table.index

import com.google.protobuf.ByteString
import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.proto.{table => pb}

class HistoricCoverageSuite extends AnyFunSuite {

  private def lance(version: String, prerelease: Option[String] = None) =
    Some(pb.Manifest.WriterVersion("lance", version, prerelease))

  test("the coverage of indices is removed if the reference wrote it before 0.8.15") {
    val bitmap = ByteString.copyFromUtf8("a bitmap")
    val section = pb.IndexSection(Seq(
      pb.IndexMetadata(name = "by_x", fragmentBitmap = bitmap),
      pb.IndexMetadata(name = "__lance_frag_reuse", fragmentBitmap = bitmap)
    )).toByteString
    def kept(writer: Option[pb.Manifest.WriterVersion]): Seq[Boolean] =
      pb.IndexSection
        .parseFrom(HistoricCoverage.removed(pb.Manifest(writerVersion = writer), Some(section))
          .get
          .newCodedInput())
        .indices
        .map(!_.fragmentBitmap.isEmpty)
    val wrong = Seq(
      None,
      lance("0.8.14"),
      lance("0.0.99"),
      lance("0.8.15", Some("beta.1")),
      lance("0.8.15-beta.1"),
      lance("unknown"),
      lance("0.8")
    )
    wrong.foreach(writer => assert(kept(writer) == Seq(false, true), writer))
    val right = Seq(
      lance("0.8.15"),
      lance("0.10.0", Some("beta.1")),
      lance("14.0.2"),
      Some(pb.Manifest.WriterVersion("sparklance", "0.0.1"))
    )
    right.foreach(writer => assert(kept(writer) == Seq(true, true), writer))
    assert(HistoricCoverage.removed(pb.Manifest(), None).isEmpty)
  }
}
