package io.sparklance.table.transaction.operations

import java.time.Instant

import com.google.protobuf.timestamp.Timestamp

import io.sparklance.proto.{table => pb}
import io.sparklance.table.transaction.{Operation, RememberedBatches, TableState, Transaction, operations}
import io.sparklance.table.{FeatureFlags, HistoricFaults, Manifest}
import io.sparklance.{SoftwareVersion, UnsupportedLanceFeatureException}

/** Builds the next version's manifest from the latest one and an operation.
  *
  * Everything that the operation does not change is kept, including unknown fields. Properties of a single
  * version (number, time, tag, writer, flags) are set for the new one.
  */
private[sparklance] object ApplyOperation {

  /** @param transactionFile
    *   name of the transaction's file; empty if there is none
    * @param version
    *   reads an older version of the table, if needed
    */
  def apply(
      latest: TableState,
      transaction: Transaction,
      transactionFile: String,
      now: Instant,
      version: Long => TableState
  ): TableState = {
    val changed = apply(latest, transaction.operation, version)
    made(changed, latest.manifest.version + 1, transaction, transactionFile, now)
  }

  /** Builds the first version of a clone, which has the number of its source version.
    *
    * @param source
    *   the cloned version
    */
  def cloned(
      source: TableState,
      transaction: Transaction,
      transactionFile: String,
      now: Instant
  ): TableState =
    transaction.operation match {
      case clone: Operation.Clone =>
        made(operations.Clone(source, clone), source.manifest.version, transaction, transactionFile, now)
      case other => throw new IllegalArgumentException(s"${other.name} clones nothing")
    }

  private def made(
      changed: TableState,
      version: Long,
      transaction: Transaction,
      transactionFile: String,
      now: Instant
  ): TableState = {
    val message = HistoricFaults.withDistinctFields(changed.manifest.message)
    val next = message.copy(
      fragments = message.fragments.map(withoutEmptyFiles).sortBy(_.id),
      version = version,
      versionAuxData = 0,
      tag = transaction.tag,
      config = RememberedBatches.recorded(message.config, transaction, now),
      writerVersion = Some(writer),
      timestamp = Some(Timestamp(now.getEpochSecond, now.getNano)),
      transactionFile = transactionFile,
      maxFragmentId = highest(changed.manifest),
      dataFormat = message.dataFormat.map(_.withVersion(changed.manifest.fileVersionName)),
      // The codec sets these when it lays out the file.
      indexSection = None,
      transactionSection = None,
      transactionSectionDeprecated = None
    )
    HistoricFaults.checkNone(next)
    val manifest = Manifest(FeatureFlags.recomputed(next))
    FeatureFlags.checkReadable(manifest)
    changed.copy(manifest = manifest)
  }

  private def apply(latest: TableState, operation: Operation, version: Long => TableState): TableState =
    operation match {
      case append: Operation.Append => operations.Append(latest, append)
      case delete: Operation.Delete => operations.Delete(latest, delete)
      case overwrite: Operation.Overwrite => operations.Overwrite(latest, overwrite)
      case index: Operation.CreateIndex => operations.CreateIndex(latest, index)
      case rewrite: Operation.Rewrite => operations.Rewrite(latest, rewrite)
      case merge: Operation.Merge => operations.Merge(latest, merge)
      case Operation.Restore(number) => operations.Restore(latest, version(number))
      case reserve: Operation.ReserveFragments => operations.ReserveFragments(latest, reserve)
      case update: Operation.Update => operations.Update(latest, update)
      case project: Operation.Project => operations.Project(latest, project)
      case config: Operation.UpdateConfig => operations.UpdateConfig(latest, config)
      case replacement: Operation.DataReplacement => operations.DataReplacement(latest, replacement)
      case bases: Operation.UpdateBases => operations.UpdateBases(latest, bases)
      case _: Operation.Clone | _: Operation.Other =>
        throw new UnsupportedLanceFeatureException(s"committing ${operation.name} to an existing table")
    }

  /** Drops files whose columns are all invalidated. */
  private def withoutEmptyFiles(fragment: pb.DataFragment): pb.DataFragment =
    if (fragment.files.forall(_.fields.exists(_ != Tombstone))) fragment
    else fragment.copy(files = fragment.files.filter(_.fields.exists(_ != Tombstone)))

  private val Tombstone = operations.FieldFiles.Tombstone

  private def highest(manifest: Manifest): Option[Int] =
    Option(manifest.maxFragmentId).filter(_ >= 0).map(_.toInt)

  /** Names this writer, because other software works around old faults of pylance. */
  private val writer = pb.Manifest.WriterVersion(library = "sparklance", version = SoftwareVersion.current)
}
