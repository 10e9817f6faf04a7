package io.sparklance.table.transaction

import com.google.protobuf.ByteString
import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.proto.{table => pb}
import io.sparklance.table.index.RoaringSet
import io.sparklance.table.transaction.operations.ApplyOperation
import io.sparklance.table.{ManifestCodecSuite, StoredVersion}
import io.sparklance.testkit.TableFixtures.golden

/** Every transaction of two tables of pylance, applied by us to the version before it, gives pylance's own
  * next manifest: see `operations` in golden/table/generate.py.
  */
class ReferenceHistorySuite extends AnyFunSuite {
  private val versions = 1 to 27

  private def history(name: String): Map[Long, StoredVersion] =
    versions.map(v => v.toLong -> ManifestCodecSuite.decode(golden(s"$name/$v.manifest"))).toMap

  private def state(stored: StoredVersion) = TableState(stored.manifest, stored.indexSection)

  Seq("operations", "operations_stable").foreach { name =>
    test(s"$name: each next manifest is that of pylance") {
      val all = history(name)
      versions.tail.foreach { v =>
        val theirs = all(v.toLong)
        val transaction = OperationCodec.decode(theirs.transaction.get)
        val ours = ApplyOperation(
          state(all(v - 1L)),
          transaction,
          theirs.manifest.message.transactionFile,
          theirs.manifest.timestamp,
          old => state(all(old))
        )
        val clue = s"version $v, ${transaction.operation.name}"
        assert(comparable(ours.manifest.message) == comparable(theirs.manifest.message), clue)
        compareIndices(indices(ours), indices(state(theirs)), clue)
      }
    }

    test(s"$name: each transaction is written again as pylance wrote it") {
      history(name).values.flatMap(_.transaction).foreach { transaction =>
        assert(OperationCodec.encode(OperationCodec.decode(transaction)) == transaction)
      }
    }
  }

  test("the two tables have every operation that changes a table") {
    val names =
      history("operations").values.map(v => OperationCodec.decode(v.transaction.get).operation.name).toSet
    assert(names ==
      OperationVariants.all.map(_.name).toSet -- Set("Clone", "DataOverlay", "unknown operation"))
  }

  /** Without what tells writers apart, and where parts of a file are. */
  private def comparable(message: pb.Manifest): pb.Manifest =
    message.copy(writerVersion = None, indexSection = None, transactionSection = None)

  private def indices(state: TableState): Map[pb.UUID, pb.IndexMetadata] =
    state.indexSection.fold(Seq.empty[pb.IndexMetadata])(bytes =>
      pb.IndexSection.parseFrom(bytes.newCodedInput()).indices
    ).map(index => index.getUuid -> index).toMap

  /** Compares indices except for their coverage, which ours may reduce. */
  private def compareIndices(
      ours: Map[pb.UUID, pb.IndexMetadata],
      theirs: Map[pb.UUID, pb.IndexMetadata],
      clue: String
  ): Unit = {
    assert(ours.keySet == theirs.keySet, clue)
    ours.foreach { case (uuid, index) =>
      val other = theirs(uuid)
      assert(
        index.copy(fragmentBitmap = ByteString.EMPTY) == other.copy(fragmentBitmap = ByteString.EMPTY),
        clue
      )
      assert(covered(index).subsetOf(covered(other)), clue)
    }
  }

  private def covered(index: pb.IndexMetadata): Set[Long] = {
    val bitmap = RoaringSet.parse(index.fragmentBitmap)
    (0L to 100L).filter(bitmap.contains).toSet
  }
}
