package io.sparklance.benchmarks

import java.lang.management.ManagementFactory
import java.nio.file.{Files, Path}
import java.util.Comparator

import io.sparklance.data.RowRanges
import io.sparklance.dataset.Dataset
import io.sparklance.dataset.scan.{ScanPlan, SplitTarget}
import io.sparklance.dataset.snapshot.RowAddress
import io.sparklance.io.LocalStore
import io.sparklance.proto.{transaction => txn}
import io.sparklance.table.{Manifest, ManifestCodec}

/** Times the opening and planning of a table with very many fragments: a manifest that names the files of a
  * real table over and over. Arguments: the table, how many fragments.
  */
object PlanTable {
  private val Rounds = 8

  def main(args: Array[String]): Unit = {
    val root = Files.createTempDirectory("sparklance-plan")
    try {
      write(Dataset.open(LocalStore, args(0)).manifest, args.lift(1).fold(100000)(_.toInt), root)
      for (round <- 1 to Rounds) {
        val (opened, dataset) = timed(Dataset.open(LocalStore, root.toString))
        val columns = dataset.schema.fields.take(4)
        def plan(rows: RowRanges) =
          ScanPlan.splits(dataset, columns, SplitTarget.Balanced(128L << 20, 4L << 20, 8), rows).size
        val (all, splits) = timed(plan(RowRanges.all))
        val thousand = Array.tabulate(1000)(i => RowAddress.of(dataset.fragments(i * 97 % 100).id, i.toLong))
        val (some, _) = timed(plan(RowRanges.ofRows(thousand)))
        println(
          f"round $round: opened in $opened%.3f s, $splits splits planned in $all%.3f s, 1,000 rows in $some%.3f s"
        )
      }
    } finally delete(root)
  }

  private def write(manifest: Manifest, fragments: Int, root: Path): Unit = {
    val all = Iterator.continually(manifest.message.fragments).flatten.take(fragments).zipWithIndex
    val message = manifest.message.copy(
      version = 1,
      fragments = all.map { case (fragment, id) => fragment.copy(id = id.toLong) }.toVector
    )
    val bytes = ManifestCodec.encode(Manifest(message), None, txn.Transaction(uuid = "plan"))
    LocalStore.put(s"$root/_versions/1.manifest", bytes)
  }

  /** Seconds of this thread. */
  private def timed[A](body: => A): (Double, A) = {
    val clock = ManagementFactory.getThreadMXBean
    val start = clock.getCurrentThreadCpuTime
    val result = body
    ((clock.getCurrentThreadCpuTime - start) / 1e9, result)
  }

  private def delete(root: Path): Unit =
    Files.walk(root).sorted(Comparator.reverseOrder[Path]).forEach(Files.delete(_))
}
