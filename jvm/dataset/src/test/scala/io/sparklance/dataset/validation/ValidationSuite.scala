package io.sparklance.dataset.validation

import java.nio.file.{Files, Paths}

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.dataset.Dataset
import io.sparklance.io.ReadProfile
import io.sparklance.proto.{table => pb, transaction => txn}
import io.sparklance.table.{Manifest, ManifestCodec, Versions}
import io.sparklance.testkit.MemoryStore

class ValidationSuite extends AnyFunSuite {
  import ValidationSuite._

  test("tables of the reference are valid") {
    goldenTables.foreach { name =>
      withClue(name)(assert(Validation.problems(Dataset.open(copyOf(name), "/t")) == Vector.empty))
    }
  }

  private def problems(
      change: pb.Manifest => pb.Manifest,
      golden: String = "plain_2.2"
  ): Vector[String] = {
    val store = copyOf(golden)
    val dataset = Dataset.open(store, "/t")
    val path = new Versions(store, "/t").find(dataset.version).get.path
    val changed = Manifest(change(dataset.manifest.message))
    store.put(path, ManifestCodec.encode(changed, None, txn.Transaction(uuid = "u")))
    Validation.problems(Dataset.open(store, "/t")).map(_.message)
  }

  private def first(change: pb.DataFragment => pb.DataFragment)(manifest: pb.Manifest): pb.Manifest =
    manifest.copy(fragments = manifest.fragments.updated(0, change(manifest.fragments.head)))

  test("files of tables whose columns were moved have their fields in any order, but for those of 0.1") {
    def reversed(f: pb.DataFragment) = f.copy(files =
      f.files.map(file =>
        file.copy(fields = file.fields.reverse, columnIndices = file.columnIndices.reverse)
      )
    )
    assert(problems(first(reversed)) == Vector.empty)
    assert(problems(first(reversed), "plain_0.1").exists(_.contains("not in the order of their ids")))
  }

  test("each contradiction of a manifest is reported") {
    val lies = Seq[(pb.Manifest => pb.Manifest, String)](
      (first(f => f.copy(physicalRows = f.physicalRows + 1)), "rows, the fragment"),
      (first(f => f.copy(files = f.files.map(_.copy(fileSizeBytes = 7)))), "the manifest says 7"),
      (first(f => f.copy(files = f.files.map(_.copy(path = "none.lance")))), "cannot be read"),
      (first(f => f.copy(files = f.files ++ f.files)), "is in it twice"),
      (m => m.copy(fragments = m.fragments.take(1) ++ m.fragments), "two fragments have the id"),
      (m => m.copy(maxFragmentId = Some(0), fragments = m.fragments.map(_.copy(id = 5)).take(1)), "above 0"),
      (m => m.copy(fields = m.fields ++ m.fields.take(1)), "has an id that is taken")
    )
    lies.foreach { case (lie, told) =>
      val found = problems(lie)
      assert(found.exists(_.contains(told)), s"$told not in $found")
    }
  }

  test("a deletion file of a distant store is read again, also if its rows are kept") {
    val store = copyOf("deleted_2.2", ReadProfile.remote("validation"))
    val dataset = Dataset.open(store, "/t")
    assert(Validation.problems(dataset) == Vector.empty)
    dataset.fragments.foreach(dataset.deletionVector)
    val file = store.paths.find(_.contains("/_deletions/")).get
    store.put(file, store.bytes(file).take(10))
    assert(Validation.problems(dataset).exists(_.file.exists(file.endsWith)))
  }
}

object ValidationSuite {

  /** Tables of pylance that tests/golden/tables.py made. */
  private val directory = Paths.get("tests/golden/tables").toAbsolutePath

  private def goldenTables: Vector[String] =
    Using.resource(Files.list(directory))(_.iterator.asScala.map(_.getFileName.toString).toVector.sorted)

  private def copyOf(name: String, profile: ReadProfile = ReadProfile.Local): MemoryStore = {
    val (store, root) = (new MemoryStore(profile), directory.resolve(name))
    Using.resource(Files.walk(root))(_.iterator.asScala.filter(Files.isRegularFile(_)).foreach { file =>
      store.put(s"/t/${root.relativize(file)}", Files.readAllBytes(file))
    })
    store
  }
}
