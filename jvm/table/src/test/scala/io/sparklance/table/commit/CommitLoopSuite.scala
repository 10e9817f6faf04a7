package io.sparklance.table.commit

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.proto.{table => pb, transaction => txn}
import io.sparklance.table.transaction.{Operation, OperationCodec}
import io.sparklance.table.{Manifest, ManifestCodec, ManifestNaming, Versions}
import io.sparklance.testkit.MemoryStore
import io.sparklance.testkit.TableFixtures._
import io.sparklance.{
  CommitConflictException,
  IncompatibleCommitConflictException,
  LanceFormatException,
  LanceTableNotFoundException,
  RetryableCommitConflictException,
  UnsupportedLanceFeatureException
}

class CommitLoopSuite extends AnyFunSuite with CommitLoops {

  /** Commits for another software, with a transaction that is given as its message. */
  private def commitForeign(store: MemoryStore, transaction: Option[txn.Transaction.Operation]): Unit = {
    val versions = new Versions(store, "/t")
    val next = latest(store).message.copy(version = latest(store).version + 1, transactionFile = "")
    val message =
      txn.Transaction(uuid = "theirs", operation = transaction.getOrElse(txn.Transaction.Operation.Empty))
    val bytes = ManifestCodec.encode(Manifest(next), None, message)
    val stored = transaction.fold(withoutTransaction(next))(_ => bytes)
    store.put(versions.path(next.version, ManifestNaming.V2), stored)
  }

  private def withoutTransaction(message: pb.Manifest): Array[Byte] =
    ManifestCodec.encode(Manifest(message), None, txn.Transaction(uuid = "x" * (21 << 20)))

  test("a commit leaves the manifest, the transaction in it and in a file, and the hint") {
    val store = created()
    val committed = loop(store).commit(1, append("second"))
    assert(committed.version == 2)
    assert(files(latest(store)) == Vector("first", "second"))
    val versions = new Versions(store, "/t")
    val inline = versions.readWhole(versions.latest().get).transaction.get
    assert(latest(store).message.transactionFile == s"1-${inline.uuid}.txn")
    assert(store.bytes(s"/t/_transactions/1-${inline.uuid}.txn").toSeq == inline.toByteArray.toSeq)
    assert(new String(store.bytes("/t/_versions/latest_version_hint.json")) == "{\"version\":2}")
    assert(store.exists("/t/_versions/18446744073709551613.manifest"))
  }

  test("a table is created once") {
    val store = created()
    val e = intercept[RetryableCommitConflictException](loop(store).commit(0, overwrite("again")))
    assert(e.getMessage.contains("A table exists at /t already"))
    assert(files(latest(store)) == Vector("first") && transactionFiles(store).size == 1)
  }

  test("the directory's naming scheme is kept") {
    val store = created()
    val first = store.bytes("/t/_versions/18446744073709551614.manifest")
    store.delete("/t/_versions/18446744073709551614.manifest")
    store.put("/t/_versions/1.manifest", first)
    loop(store).commit(1, append("second"))
    assert(store.exists("/t/_versions/2.manifest"))
  }

  test(
    "a pair that does not go together conflicts: the error names the winner's operation and version; its own transaction file goes"
  ) {
    val winners = Seq(
      "Restore" -> txn.Transaction.Operation.Restore(txn.Transaction.Restore(1)),
      "DataOverlay" -> txn.Transaction.Operation.DataOverlay(txn.Transaction.DataOverlay()),
      "Overwrite" -> txn.Transaction.Operation.Overwrite(txn.Transaction.Overwrite()),
      "unknown operation" -> txn.Transaction.Operation.Empty
    )
    winners.foreach { case (name, operation) =>
      val store = created()
      commitForeign(store, Some(operation))
      val e = intercept[CommitConflictException](loop(store).commit(1, append("mine")))
      assert(e.getMessage.contains(s"The Append to /t, begun at version 1, conflicts with version 2 ($name)"))
      assert(e.getMessage.contains("Nothing was committed; read the latest version and write again"))
      assert(latest(store).version == 2 && transactionFiles(store).size == 1)
    }
    val store = created()
    loop(store).commit(1, overwrite("theirs"))
    val e = intercept[RetryableCommitConflictException](loop(store).commit(1, overwrite("mine")))
    assert(e.getMessage.contains("conflicts with version 2 (Overwrite)"))
  }

  test("a winner whose transaction is only in its file is understood") {
    val store = created()
    val theirs = io.sparklance.table.transaction.Transaction(1, "theirs", append("theirs"))
    store.put("/t/_transactions/1-theirs.txn", OperationCodec.encode(theirs).toByteArray)
    val message = latest(store).message.copy(version = 2, transactionFile = "1-theirs.txn")
    store.put("/t/_versions/18446744073709551613.manifest", withoutTransaction(message))
    assert(loop(store).commit(1, append("mine")).version == 3)
  }

  test("a transaction is not looked for outside of its directory") {
    val store = created()
    Seq("../../elsewhere.txn", "/etc/passwd").foreach { name =>
      val message = latest(store).message.copy(version = 2, transactionFile = name)
      store.put("/t/_versions/18446744073709551613.manifest", withoutTransaction(message))
      val e = intercept[LanceFormatException](loop(store).commit(1, append("mine")))
      assert(e.getMessage.contains(s"the manifest names $name as its transaction's file"))
    }
  }

  test("a winner whose changes are unknown is a conflict") {
    val store = created()
    commitForeign(store, None)
    val e = intercept[RetryableCommitConflictException](loop(store).commit(1, append("mine")))
    assert(e.getMessage.contains("conflicts with version 2, whose changes are not recorded"))
  }

  test("a version in between that was cleaned up is a conflict") {
    val store = created()
    loop(store).commit(1, append("second"))
    loop(store).commit(2, append("third"))
    store.delete("/t/_versions/18446744073709551613.manifest")
    assert(intercept[CommitConflictException](loop(store).commit(
      1,
      append("mine")
    )).getMessage.contains("version 2"))
  }

  test("a table that was dropped, or dropped and created again, is not written to") {
    val store = new MemoryStore
    val gone = intercept[LanceTableNotFoundException](loop(store).commit(3, append("mine")))
    assert(gone.getMessage.contains("There is no table at /t any more"))
    loop(store).commit(0, overwrite("recreated"))
    val replaced = intercept[IncompatibleCommitConflictException](loop(store).commit(3, append("mine")))
    assert(replaced.getMessage.contains("was begun at version 3 of a table that was dropped"))
  }

  test("a table with a flag that is not honoured is not written to") {
    Seq(6 -> "data overlay files", 20 -> "unknown").foreach { case (bit, name) =>
      val (store, path) = (created(), "/t/_versions/18446744073709551614.manifest")
      val flagged = latest(store).message.copy(writerFeatureFlags = 1L << bit)
      store.put(path, ManifestCodec.encode(Manifest(flagged), None, txn.Transaction(uuid = "u")))
      val e = intercept[UnsupportedLanceFeatureException](loop(store).commit(1, append("mine")))
      assert(e.getMessage.contains(s"writing to a table with feature flag bit $bit ($name)"))
      assert(e.location.file.contains(path))
      assert(latest(store).version == 1 && transactionFiles(store).size == 1)
    }
  }

  test("where the table wants no transaction files, none is written but for one too large for the manifest") {
    val store = created()
    val flagged = latest(store).message.copy(writerFeatureFlags = 32, transactionFile = "")
    store.put(
      "/t/_versions/18446744073709551614.manifest",
      ManifestCodec.encode(Manifest(flagged), None, txn.Transaction(uuid = "u"))
    )
    loop(store).commit(1, append("mine"))
    assert(latest(store).message.transactionFile.isEmpty && transactionFiles(store).size == 1)
    assert(latest(store).message.writerFeatureFlags == 32)
    loop(store).commit(2, append("x" * (21 << 20)))
    assert(latest(store).message.transactionFile.startsWith("2-") && transactionFiles(store).size == 2)
  }

  test("operations without fragments still make a version") {
    val store = created()
    assert(loop(store).commit(1, Operation.Append(Vector.empty)).version == 2)
    loop(store).commit(2, overwrite())
    assert(latest(store).fragments.isEmpty)
  }
}
