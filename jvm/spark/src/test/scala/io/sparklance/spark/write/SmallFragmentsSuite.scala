package io.sparklance.spark.write

import io.sparklance.data.FileVersion
import io.sparklance.dataset.Dataset
import io.sparklance.dataset.write.WrittenFile
import io.sparklance.io.LocalStore
import io.sparklance.spark.options.StoreOptions
import io.sparklance.spark.{LoggedLines, SparkSuite}
import io.sparklance.table.WriteId
import io.sparklance.table.commit.CommitOutcome

final class SmallFragmentsSuite extends SparkSuite with LoggedLines {
  private def files(n: Int, bytes: Long): Vector[WrittenFile] =
    Vector.tabulate(n)(i =>
      WrittenFile(s"$i.lance", Vector(0), Vector(0), FileVersion.V2_1, bytes, rows = 10)
    )

  test(
    "a commit of many small fragments says so in the log, and what helps; others and repeated ones do not"
  ) {
    val path = freshPath()
    spark.range(3).write.format("lance").save(path)
    val manifest = Dataset.open(LocalStore, path).manifest
    def lines(
        written: Vector[WrittenFile],
        outcome: CommitOutcome,
        columns: Vector[WrittenFile] = Vector.empty
    ): Seq[String] =
      logged(SmallFragments.getClass) {
        new UncommittedFiles(
          StoreOptions.locate(path),
          WriteId.random()
        ).settled(written, repeated = false, columns)(Some(outcome))
      }
    val committed = CommitOutcome.Committed(manifest, 1)
    val said = lines(files(200, 4000), committed)
    assert(
      said.size == 1 && said.head.contains(s"$path: one commit added 200 fragments of 4000 bytes on average"),
      said
    )
    assert(Seq("advisoryPartitionSize", "OPTIMIZE").forall(said.head.contains(_)))
    assert(lines(files(99, 4000), committed).isEmpty && lines(files(200, 2L << 20), committed).isEmpty)
    assert(lines(files(200, 4000), CommitOutcome.Repeated(1)).isEmpty)
    assert(lines(Vector.empty, committed, columns = files(200, 4000)).isEmpty)
  }
}
