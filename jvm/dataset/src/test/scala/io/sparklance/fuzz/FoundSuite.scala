package io.sparklance.fuzz

import java.nio.file.Paths

import com.google.protobuf.timestamp.Timestamp
import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.data.{FileVersion, Slice}
import io.sparklance.dataset.Dataset
import io.sparklance.encoding.pages.PageDescription
import io.sparklance.file.ColumnMetadata
import io.sparklance.proto.{table => pb}
import io.sparklance.{LanceFormatException, UnsupportedLanceFeatureException}

/** Faults that the fuzzer found. */
class FoundSuite extends AnyFunSuite {
  private lazy val specimen =
    Specimen.golden(Paths.get("tests/golden")).find(_.name == "plain_2.2").get

  private def pathsIn(folder: String): Vector[String] = specimen.paths.filter(_.contains(s"/$folder/"))

  /** The message of the refusal. */
  private def refusal(files: Map[String, Array[Byte]]): String = intercept[LanceFormatException] {
    TableContent.read(Specimen.store(files), Specimen.Root, specimen.unsupported)
  }.getMessage

  private def withManifest(path: String)(change: pb.Manifest => pb.Manifest): Map[String, Array[Byte]] = {
    val container = new ManifestParts(specimen.files(path))
    val message = change(pb.Manifest.parseFrom(container.message(0))).toByteArray
    specimen.files.updated(path, container.replaced(0, message))
  }

  // The names of manifests descend.
  private def latest: String = pathsIn("_versions").head

  private def version: Long = Dataset.open(Specimen.store(specimen.files), Specimen.Root).version

  for (folder <- Seq("data", "_deletions"))
    test(s"a missing file in $folder is named") {
      for (path <- pathsIn(folder))
        assert(
          refusal(specimen.files - path) ==
            "the table refers to this file, but the file is missing; it was removed by " +
            s"hand, or together with old versions or the whole table (file $path)"
        )
    }

  test("a deletion file whose Zstandard frame is corrupt is refused") {
    val path = pathsIn("_deletions").last
    val bytes = specimen.files(path)
    val frame = bytes.indexOfSlice(Seq(0x28, 0xb5, 0x2f, 0xfd).map(_.toByte))
    assert(frame > 0)
    for (at <- frame until frame + 40) {
      val flipped = specimen.files.updated(path, bytes.updated(at, (bytes(at) ^ 0xff).toByte))
      try { val _ = TableContent.read(Specimen.store(flipped), Specimen.Root, specimen.unsupported) }
      catch { case e: LanceFormatException => assert(e.getMessage.contains(s"(file $path)")) }
    }
  }

  test("a schema that makes no sense is refused with the manifest's name") {
    val files = withManifest(latest)(m => m.copy(fields = m.fields :+ m.fields.head))
    assert(refusal(files) ==
      s"bad schema: field 0 (id) has an id that is taken (file $latest, version $version)")
  }

  test("a fragment that makes no sense is refused with the manifest's name") {
    val files =
      withManifest(latest)(m => m.copy(fragments = m.fragments.map(_.copy(physicalRows = -1))))
    assert(refusal(files) == s"fragment 0 claims -1 rows (file $latest, version $version)")
  }

  test("a version of a time that no calendar has is refused") {
    val files = withManifest(latest)(_.copy(timestamp = Some(Timestamp(seconds = Long.MaxValue))))
    val failure = intercept[LanceFormatException](Dataset.open(Specimen.store(files), Specimen.Root).versions)
    assert(failure.getMessage ==
      s"the manifest was made ${Long.MaxValue} seconds after 1970 (file $latest, version $version)")
  }

  test("columns of one struct that contradict each other are named") {
    val nested = Specimen.golden(Paths.get("tests/golden")).find(_.name == "nested_2.2").get
    val path = nested.paths.filter(_.endsWith(".lance")).head
    val bytes = nested.files(path)
    val reasons = new DataFileParts(bytes).buffers.flatMap { case (start, size) =>
      (start until math.min(start + size, start + 40)).flatMap { at =>
        val store = Specimen.store(nested.files.updated(path, bytes.updated(at, (bytes(at) ^ 2).toByte)))
        try {
          val _ = TableContent.read(store, Specimen.Root, nested.unsupported)
          None
        } catch { case e: LanceFormatException => Some(e.getMessage) }
      }
    }
    val contradictions = reasons.filter(_.contains("have different nulls or lists around them"))
    assert(contradictions.nonEmpty)
    for (message <- contradictions) assert(message.contains(s"(file $path, column "))
  }

  test("a column whose leaves no file has, though it has what is around them, is named") {
    val nested = Specimen.golden(Paths.get("tests/golden")).find(_.name == "nested_2.0").get
    val path = nested.paths.find(_.endsWith(".manifest")).get
    val container = new ManifestParts(nested.files(path))
    val manifest = pb.Manifest.parseFrom(container.message(0))
    val parents = manifest.fields.map(_.parentId).toSet
    val leaves = manifest.fields.map(_.id).filterNot(parents).toSet
    val fragments = manifest.fragments.map { fragment =>
      fragment.copy(files =
        fragment.files.map(f => f.copy(fields = f.fields.map(id => if (leaves(id)) -2 else id)))
      )
    }
    val message = manifest.copy(fragments = fragments).toByteArray
    val store = Specimen.store(nested.files.updated(path, container.replaced(0, message)))
    val failure = intercept[UnsupportedLanceFeatureException](
      TableContent.read(store, Specimen.Root, nested.unsupported)
    )
    assert(failure.location.column.contains("struct"))
  }

  test("levels that the page's description does not announce are detected") {
    val path = pathsIn("data").maxBy(specimen.files(_).length)
    val parts = new DataFileParts(specimen.files(path))
    val size = specimen.files(path).length.toLong
    val outcomes = parts.names.indices.tail.map { i =>
      val column = ColumnMetadata.parse(Slice(parts.message(i)), size, FileVersion.V2_2)
      val silent =
        column.copy(pages = column.pages.map(p => p.copy(description = withoutLevels(p.description))))
      Option.when(silent != column)(
        refusal(specimen.files.updated(path, parts.replaced(i, ColumnMetadata.print(silent))))
      )
    }
    assert(outcomes.flatten.nonEmpty)
    for (message <- outcomes.flatten)
      assert(message.contains(" levels, not 0, for the ") && message.contains(s"(file $path, column "))
  }

  private def withoutLevels(description: PageDescription): PageDescription = description match {
    case PageDescription.Structure(layout) if layout.layout.isMiniBlockLayout =>
      PageDescription.Structure(layout.withMiniBlockLayout(layout.getMiniBlockLayout.clearDefCompression))
    case other => other
  }
}
