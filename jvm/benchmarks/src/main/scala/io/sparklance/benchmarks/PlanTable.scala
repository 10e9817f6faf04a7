package io.sparklance.benchmarks

import java.lang.management.ManagementFactory
import java.nio.file.{Files, Path}
import java.util.{Comparator, UUID}

import io.sparklance.data.RowRanges
import io.sparklance.dataset.Dataset
import io.sparklance.dataset.scan.{ScanPlan, SplitTarget}
import io.sparklance.dataset.snapshot.{MetadataColumn, RowAddress}
import io.sparklance.io.LocalStore
import io.sparklance.proto.{transaction => txn}
import io.sparklance.table.rowid.RowIdEncoder
import io.sparklance.table.{FeatureFlags, Manifest, ManifestCodec}

/** Times the opening and planning of a table with very many fragments: a manifest that names the files of a
  * real table over and over. Arguments: the table, how many fragments.
  */
object PlanTable {
  private val Rounds = 8
  private val IdsOfFragment = 1L << 20

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
        val ids =
          RowRanges.ofRows(Array.tabulate(1000)(i => i * dataset.fragments.size / 1000L * IdsOfFragment))
        val (found, addresses) = timed(dataset.addressesOf(MetadataColumn.RowId, ids))
        require(addresses.count == 1000, s"${addresses.count} rows found")
        println(
          f"round $round: opened in $opened%.3f s, $splits splits planned in $all%.3f s, 1,000 rows in $some%.3f s, " +
            f"1,000 stable row ids found in $found%.4f s"
        )
      }
    } finally delete(root)
  }

  private def write(manifest: Manifest, fragments: Int, root: Path): Unit = {
    val all = Iterator.continually(manifest.message.fragments).flatten.take(fragments).zipWithIndex
    val message = manifest.message.copy(
      version = 1,
      transactionFile = s"0-${UUID.randomUUID()}.txn",
      fragments = all.map { case (fragment, id) =>
        fragment.copy(id = id.toLong)
          .withInlineRowIds(RowIdEncoder.range(id * IdsOfFragment, fragment.physicalRows))
      }.toVector
    )
    val table = FeatureFlags.withStableRowIds(Manifest(message))
    val bytes = ManifestCodec.encode(table, None, txn.Transaction(uuid = "plan"))
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
