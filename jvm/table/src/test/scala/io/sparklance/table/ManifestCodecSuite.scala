package io.sparklance.table

import java.time.Instant

import scala.util.{Failure, Random, Success, Try}

import com.google.protobuf.ByteString
import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.data.FileVersion
import io.sparklance.io.KeptTail
import io.sparklance.proto.{table => pb, transaction => txn}
import io.sparklance.table.transaction.{Operation, OperationCodec}
import io.sparklance.testkit.{MemoryStore, TableFixtures}
import io.sparklance.{LanceException, LanceFormatException, UnsupportedLanceFeatureException}

class ManifestCodecSuite extends AnyFunSuite {
  import ManifestCodecSuite._

  test("a manifest of the reference: schema, fragments, file version, time and writer") {
    val manifest = decode(TableFixtures.golden("append.manifest")).manifest
    assert(manifest.version == 2)
    assert(manifest.schema.fields.map(_.name) == Vector("id", "s"))
    assert(manifest.fragments.map(_.id) == Vector(0, 1))
    assert(manifest.fragments.flatMap(_.physicalRows) == Vector(20, 10))
    assert(manifest.fragments.head.files.map(_.fieldIds) == Vector(Vector(0, 1)))
    assert(manifest.fileVersion == FileVersion.V2_2)
    assert(manifest.timestamp.isAfter(Instant.parse("2026-01-01T00:00:00Z")))
    assert(manifest.message.writerVersion.map(_.library).contains("lance"))
    assert(manifest.maxFragmentId == 1)
  }

  test("the transaction within a manifest is the one in its file") {
    Seq("create", "append", "index", "config", "delete").foreach { name =>
      val inline = decode(TableFixtures.golden(s"$name.manifest")).transaction
      assert(
        inline.map(_.toByteString).contains(ByteString.copyFrom(TableFixtures.golden(s"$name.txn"))),
        name
      )
    }
  }

  test("the index section is read as bytes, at offset 0 too") {
    val stored = decode(TableFixtures.golden("index.manifest"))
    assert(stored.manifest.message.indexSection.contains(0L))
    val indices = pb.IndexSection.parseFrom(stored.indexSection.get.toByteArray).indices
    assert(indices.map(_.name) == Seq("id_idx"))
    assert(decode(TableFixtures.golden("append.manifest")).indexSection.isEmpty)
  }

  test("deletion files are named by fragment, read version and an unsigned id") {
    val fragments = decode(TableFixtures.golden("delete.manifest")).manifest.fragments
    assert(fragments.flatMap(_.deletionFile).map(_.deletedRows) == Vector(Some(2L), Some(1L)))
    val file = DeletionFile(pb.DeletionFile(readVersion = 3, id = -1))
    assert(file.fileName(7) == "7-3-18446744073709551615.arrow")
  }

  test("encoded manifests are decoded again, unknown fields included") {
    Seq("create", "append", "index", "config", "delete", "stable_row_ids").foreach { name =>
      val stored = decode(TableFixtures.golden(s"$name.manifest"))
      val message = stored.manifest.message
      val strange = Manifest(
        message.copy(
          unknownFields = TableFixtures.unknownFields,
          fragments = message.fragments.map(_.copy(unknownFields = TableFixtures.unknownFields))
        )
      )
      val again = decode(ManifestCodec.encode(strange, stored.indexSection, stored.transaction.get))
      assert(withoutOffsets(again.manifest) == withoutOffsets(strange), name)
      assert(again.indexSection == stored.indexSection)
      assert(again.transaction == stored.transaction)
    }
  }

  test("manifests of the reference are encoded to the same size, section by section") {
    Seq("create", "append", "index").foreach { name =>
      val bytes = TableFixtures.golden(s"$name.manifest")
      val stored = decode(bytes)
      val again = ManifestCodec.encode(stored.manifest, stored.indexSection, stored.transaction.get)
      assert(again.length == bytes.length)
      assert(again.takeRight(16).toSeq == bytes.takeRight(16).toSeq)
    }
  }

  test("a transaction of more than 20 MiB is left to its own file") {
    val large = txn.Transaction(uuid = "x" * (20 << 20))
    val manifest = Manifest(pb.Manifest(version = 1))
    val stored = decode(ManifestCodec.encode(manifest, None, large))
    assert(stored.transaction.isEmpty && stored.manifest.version == 1)
  }

  test("the former place of the transaction is read when the present one is absent") {
    val transaction = txn.Transaction(uuid = "u")
    val stored = decode(ManifestCodec.encode(Manifest(pb.Manifest(version = 1)), None, transaction))
    val old = Manifest(stored.manifest.message.copy(
      transactionSection = None,
      transactionSectionDeprecated = Some(0)
    ))
    val store = new MemoryStore
    store.put("m", ManifestCodec.encode(stored.manifest, None, transaction))
    assert(ManifestCodec.transaction(store.open("m", None), old).contains(transaction))
    assert(OriginFields.parse(old.toBytes) == OriginFields(1, "", Some(0), timestamp = None))
  }

  test("a manifest that reaches back beyond the last 64 KiB") {
    val config = (0 until 5000).map(i => s"key$i" -> s"a value that takes up room $i").toMap
    val manifest = Manifest(pb.Manifest(version = 1, config = config))
    val bytes = ManifestCodec.encode(manifest, None, txn.Transaction(uuid = "u"))
    assert(bytes.length > 2 * (64 << 10))
    assert(decode(bytes).manifest.config == config)
  }

  test("a fragment tree and overlays are refused even if no flag announces them") {
    val tree = Manifest(pb.Manifest(version = 1, fragmentTree = Some(pb.FragmentTreeMetadata())))
    assert(refused(tree).contains("a manifest with a fragment tree is not supported"))
    val overlaid = pb.DataFragment(overlays = Seq(pb.DataOverlayFile()))
    assert(
      refused(Manifest(pb.Manifest(version = 1, fragments = Seq(overlaid))))
        .contains("a fragment with data overlay files is not supported")
    )
  }

  test("a manifest without a file version takes that of its files") {
    def named(fragments: Fragment*) =
      Manifest(pb.Manifest(version = 1, fragments = fragments.map(_.message))).fileVersionName
    assert(named(TableFixtures.fragment("a", 1, minor = 1)) == "2.1")
    assert(named(TableFixtures.fragment("a", 1, major = 0, minor = 3)) == "2.0")
    assert(named() == "0.1")
    val mixed = intercept[LanceFormatException] {
      named(TableFixtures.fragment("a", 1, minor = 1), TableFixtures.fragment("b", 1, minor = 2))
    }
    assert(mixed.getMessage.contains("its files have several: 2.1, 2.2"))
    val strange = Manifest(pb.Manifest(dataFormat = Some(pb.Manifest.DataStorageFormat("lance", "2.9"))))
    assert(
      intercept[UnsupportedLanceFeatureException](strange.fileVersion).getMessage
        .contains("the file version 2.9 of this table")
    )
  }

  test("a file that is cut short at any length is bad data") {
    val bytes = TableFixtures.golden("delete.manifest")
    bytes.indices.foreach(n =>
      assert(Try(decode(bytes.take(n))).failed.get.isInstanceOf[LanceFormatException], n)
    )
  }

  test("a file with any byte changed is read or refused, but does nothing worse") {
    val random = new Random(7)
    Seq("delete", "index").foreach { name =>
      val bytes = TableFixtures.golden(s"$name.manifest")
      for (at <- bytes.indices; _ <- 0 until 4) {
        val changed = bytes.updated(at, random.nextInt().toByte)
        Try {
          val stored = decode(changed)
          stored.transaction.foreach(OperationCodec.decode(_).operation match {
            case Operation.Append(fragments) => fragments.foreach(_.files)
            case _ => ()
          })
          stored.manifest.schema
          stored.manifest.fragments.foreach(f => f.deletionFile.map(_.fileName(f.id)))
        } match {
          case Success(_) | Failure(_: LanceException) => ()
          case Failure(other) => fail(s"$name, byte $at", other)
        }
      }
    }
  }

  test("what made a version is read with its tail, or refused, whatever byte is changed") {
    val random = new Random(8)
    val bytes = TableFixtures.golden("delete.manifest")
    for (at <- bytes.indices; _ <- 0 until 4) {
      val store = new MemoryStore
      store.put("m", bytes.updated(at, random.nextInt().toByte))
      Try(ManifestCodec.origin(new KeptTail(store.open("m", None), ManifestCodec.TailSize))) match {
        case Success(_) | Failure(_: LanceException) => assert(store.reads.size <= 1)
        case Failure(other) => fail(s"byte $at", other)
      }
    }
  }

  test("lengths and positions that lie are named") {
    val bytes = TableFixtures.golden("create.manifest")
    def reasonOf(changed: Array[Byte]) = intercept[LanceFormatException](decode(changed)).reason
    def withPosition(position: Long) = {
      val changed = bytes.clone()
      io.sparklance.data.LittleEndian.putLong(changed, bytes.length - 16, position)
      changed
    }
    assert(reasonOf(withPosition(-1)).contains("the footer points at -1"))
    assert(reasonOf(withPosition(Long.MaxValue)).contains("the footer points at"))
    assert(reasonOf(withPosition(bytes.length - 18L)).contains("the footer points at"))
    assert(reasonOf(bytes.init :+ 'X'.toByte).contains("does not end with LANC: it is not a manifest"))
    assert(reasonOf(Array.emptyByteArray).contains("0 bytes are not a manifest file"))
  }
}

object ManifestCodecSuite {

  def decode(bytes: Array[Byte]): StoredVersion = {
    val store = new MemoryStore
    store.put("m", bytes)
    val file = store.open("m", None)
    val manifest = ManifestCodec.read(file)
    val stored = StoredVersion(
      manifest,
      ManifestCodec.indexSection(file, manifest),
      ManifestCodec.transaction(file, manifest)
    )
    val tail = new KeptTail(store.open("m", None), 600)
    Predef.assert(ManifestCodec.origin(tail) == stored.origin, "the same, without its manifest")
    stored
  }

  private def refused(manifest: Manifest): String = {
    val bytes = ManifestCodec.encode(manifest, None, txn.Transaction(uuid = "u"))
    try {
      val _ = decode(bytes)
      ""
    } catch { case e: UnsupportedLanceFeatureException => e.getMessage }
  }

  private def withoutOffsets(manifest: Manifest): pb.Manifest =
    manifest.message.copy(indexSection = None, transactionSection = None)
}
