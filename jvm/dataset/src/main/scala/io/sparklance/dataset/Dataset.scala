package io.sparklance.dataset

import java.time.Instant
import java.time.temporal.ChronoUnit.MICROS
import java.util.UUID

import io.sparklance.data.{FileVersion, RowRanges}
import io.sparklance.dataset.cleanup.{AutoCleanup, OtherFiles}
import io.sparklance.dataset.scan.{HiddenNumbersReader, ScanPlan, Split, SplitReader, SplitTarget}
import io.sparklance.dataset.snapshot.Snapshot
import io.sparklance.dataset.write.{WriteSchema, WrittenFile}
import io.sparklance.io.ObjectStore
import io.sparklance.schema.{Field, LanceSchema, SchemaCodec}
import io.sparklance.table.commit.{
  Baseline,
  CommitBase,
  CommitGuard,
  CommitLoop,
  CommitOutcome,
  CommittedBatches,
  SameTable,
  TransactionFiles
}
import io.sparklance.table.transaction.{BatchId, Operation, RememberedBatches, Transaction}
import io.sparklance.table.{
  DataFile,
  FeatureFlags,
  Fragment,
  Manifest,
  ManifestFile,
  VersionIdentity,
  Versions
}
import io.sparklance.{LanceFormatException, LanceTableNotFoundException, Location}

/** A table at one of its versions. Reads never see a later version; a write commits a new version and returns
  * it.
  */
final class Dataset private (
    store: ObjectStore,
    root: String,
    manifest: Manifest,
    location: Location,
    part: Option[String] = None
) extends Snapshot(store, root, manifest, location, HiddenNumbersReader) {

  /** Tells datasets of the same table apart: by version, its time, and the part of the rows that it shows. */
  private[sparklance] def identity: (Long, Instant, Option[String]) = (version, timestamp, part)

  /** Whether it shows all rows of the version. */
  private[sparklance] def isWhole: Boolean = part.isEmpty

  /** Returns a read of this version that shows other fragments, and the columns of another version.
    *
    * @param columns
    *   the version with the columns
    * @param part
    *   name of the part, which with the version identifies it
    */
  private[sparklance] def showing(columns: Manifest, fragments: Vector[Fragment], part: String): Dataset = {
    val shown = manifest.message.copy(
      fields = columns.message.fields,
      schemaMetadata = columns.message.schemaMetadata,
      fragments = fragments.map(_.message)
    )
    new Dataset(store, root, Manifest(shown), location, Some(part))
  }

  /** Returns another version of this table, whose manifest was read. */
  private[sparklance] def at(version: Manifest): Dataset =
    new Dataset(store, root, version, Dataset.locationOf(root, version.version))

  /** Returns a read of files that are not committed, with the columns of this version. */
  private[sparklance] def ofFiles(files: Vector[WrittenFile], part: String): Dataset = {
    val fragments = files.zipWithIndex.map { case (file, i) => Dataset.fragment(file).withId(i.toLong) }
    showing(manifest, fragments, part)
  }

  /** Reads single rows by their addresses, in the table's order. Skips deleted rows and addresses without a
    * row. To identify the rows, add [[MetadataColumn.RowAddr]] to the projection.
    */
  def take(addresses: Array[Long], projection: Vector[Field], batchRows: Int = 4096): SplitReader = {
    val rows = RowRanges.ofRows(addresses)
    val split = ScanPlan.splits(this, projection, SplitTarget.Rows(math.max(1L, rows.count)), rows)
    new SplitReader(store, Split(split.flatMap(_.tasks)), batchRows)
  }

  /** All versions that are kept, oldest first. */
  def versions: Vector[TableVersion] = {
    val all = new Versions(store, root)
    all.list().map { file =>
      LanceFormatException.locating(file.location) {
        TableVersion(file.version, all.read(file).timestamp)
      }
    }
  }

  /** The version that was the latest at that time. Times are shown in microseconds, so a version is there
    * from its own on. Fails if a version that was cleaned up may have been the latest.
    */
  def asOf(time: Instant): Dataset = {
    val all = new Versions(store, root)
    val files = all.list()
    def timeOf(file: ManifestFile): Instant =
      LanceFormatException.locating(file.location)(all.read(file).timestamp.truncatedTo(MICROS))
    val at = files.lastIndexWhere(!timeOf(_).isAfter(time))
    val found = files.lift(at).getOrElse(throw noVersionAsOf(time))
    files.lift(at + 1).filter(next => next.version > found.version + 1 && timeOf(found).isBefore(time))
      .foreach(next => throw removedAsOf(time, found.version, next.version))
    Dataset.open(store, root, Some(found.version))
  }

  private def removedAsOf(time: Instant, before: Long, next: Long) = new LanceTableNotFoundException(
    s"The latest version of the table at $root at $time is not certain: the ones between version $before and version $next were " +
      "cleaned up. Choose one of these two, or another time."
  )

  private def noVersionAsOf(time: Instant) = new LanceTableNotFoundException(
    s"The table at $root has no version as old as $time; its oldest is of ${versions.map(_.timestamp).min}. " +
      "Choose that time or a later one."
  )

  /** Adds rows. If others add some at the same time, both stay. */
  def append(files: Vector[WrittenFile]): Dataset = commit(Dataset.appending(files)).dataset

  /** Replaces all rows and the schema; `files` are of the new one. */
  def overwrite(schema: LanceSchema, fileVersion: FileVersion, files: Vector[WrittenFile]): Dataset =
    commit(Dataset.replacing(TableDefinition(schema, fileVersion), files)).dataset

  /** The operation that replaces all rows; the columns stay, with all that is said of them, and are numbered
    * as [[WriteSchema.forNewTable]] does.
    */
  def refilling(files: Vector[WrittenFile]): Operation = locating {
    val renewed = schema.preOrder.zip(WriteSchema.forNewTable(schema).preOrder)
    val ids = renewed.map { case (old, field) => old.id -> field.id }.toMap
    Operation.Overwrite(
      files.map(Dataset.fragment),
      manifest.message.fields.toVector
        .map(field => field.copy(id = ids(field.id), parentId = ids.getOrElse(field.parentId, -1)))
        .sortBy(_.id),
      manifest.message.schemaMetadata,
      fileVersion = Some(fileVersion)
    )
  }

  /** Numbers new fields of a schema as those of this table. */
  def numbered(columns: LanceSchema): LanceSchema =
    WriteSchema.extended(columns, first = math.max(nextFieldId, columns.maxFieldId + 1))

  /** Returns the operation that adds columns and rows. The columns are null in all existing rows.
    *
    * @param merged
    *   existing and new columns, all with ids
    */
  def merging(merged: LanceSchema, files: Vector[WrittenFile]): Operation = locating {
    val there = manifest.message.fields.map(field => field.id -> field).toMap
    val fields = SchemaCodec.encodeFields(merged).map(field => there.getOrElse(field.id, field))
    Operation.Merge.of(fragments, files.map(Dataset.fragment), fields, manifest.message.schemaMetadata)
  }

  /** The operation that gives all rows ids which they keep. */
  def identifyingRows: Operation = locating(Operation.Merge.identifying(manifest))

  /** The version, up to this one, with which a batch was committed, if the versions that are kept tell. */
  def versionOf(batch: BatchId): Option[Long] =
    locating(new CommittedBatches(store, root).version(batch, last = version))

  /** The last batch of the application of another one, as far as the versions that are kept tell. */
  def lastOf(batch: BatchId): Option[BatchId] =
    locating(new CommittedBatches(store, root).latest(batch, last = version).map(_._2))

  /** Last batches of the applications that the table's config remembers. */
  def rememberedBatches: Vector[BatchId] = RememberedBatches.in(config)

  /** Makes a new version from the latest one. An operation that does not go together with what others
    * committed after this version is refused; one that is a batch of theirs changes nothing.
    *
    * @param properties
    *   are kept with the transaction
    */
  def commit(operation: Operation, properties: Map[String, String] = Map.empty): WriteOutcome =
    commit(operation, properties, CommitGuard.none)

  /** Makes a new version as above. Asks a guard before each attempt. */
  private[sparklance] def commit(
      operation: Operation,
      properties: Map[String, String],
      guard: CommitGuard
  ): WriteOutcome =
    Dataset.committed(
      store,
      root,
      Dataset.transaction(version, operation, properties),
      Baseline.of(manifest),
      guard = guard
    )(this)

  /** The same, if this is the latest version still; otherwise a `RetryableCommitConflictException`. */
  def commitNext(operation: Operation, properties: Map[String, String] = Map.empty): WriteOutcome =
    Dataset.committed(
      store,
      root,
      Dataset.transaction(version, operation, properties),
      Baseline.of(manifest),
      CommitBase.AsRead
    )(this)

  /** The latest version of this table. Fails if the table was dropped, also if another one was created at its
    * place; None if clean-up has removed all that could tell.
    *
    * @param change
    *   that is to be made, for the message
    */
  def refreshed(change: String): Option[Dataset] = {
    val latest = Dataset.open(store, root)
    val isSame = new SameTable(store, new Versions(store, root), root).check(manifest, change)
    Option.when(isSame)(latest)
  }

  /** Keeps a transaction that was begun at this version in the table's directory without committing it. Its
    * files stay as long as clean-up lets them. [[Dataset.commit]] commits it, to this table only.
    */
  def keepUncommitted(uuid: String, operation: Operation, properties: Map[String, String]): Unit = {
    val identity = Map(Dataset.ReadIdentity -> VersionIdentity.of(manifest).text)
    val transaction = Transaction(version, uuid, operation, properties = properties ++ identity)
    Dataset.keepUncommitted(store, root, transaction)
  }
}

/** A version of a table, as its history lists it.
  *
  * @param timestamp
  *   when it was committed
  */
final case class TableVersion(version: Long, timestamp: Instant)

object Dataset {

  /** The table at `root`, at its latest or the given version. */
  def open(store: ObjectStore, root: String, version: Option[Long] = None): Dataset = {
    val versions = new Versions(store, root)
    val (file, manifest) = version match {
      case None => versions.readLatest().getOrElse(throw noTable(store, root))
      case Some(number) =>
        val files = versions.all()
        if (files.isEmpty) throw noTable(store, root)
        val file =
          files.find(_.version == number).getOrElse(throw noVersion(root, number, files.map(_.version)))
        (file, versions.read(file))
    }
    opened(store, root, file, manifest)
  }

  /** Opens a version whose file is known. */
  private[dataset] def openFile(store: ObjectStore, root: String, file: ManifestFile): Dataset =
    opened(store, root, file, new Versions(store, root).read(file))

  private def opened(store: ObjectStore, root: String, file: ManifestFile, manifest: Manifest): Dataset = {
    val location = file.location
    LanceFormatException.locating(location)(FeatureFlags.checkReadable(manifest))
    new Dataset(store, root, manifest, location)
  }

  /** Returns the number of the latest version, if there is a table. Reads names only. */
  def latestVersion(store: ObjectStore, root: String): Option[Long] =
    new Versions(store, root).latest().map(_.version)

  def exists(store: ObjectStore, root: String): Boolean = new Versions(store, root).latest().nonEmpty

  /** Commits version 1 of a new table. Fails if the table exists. */
  def create(
      store: ObjectStore,
      root: String,
      definition: TableDefinition,
      files: Vector[WrittenFile],
      properties: Map[String, String] = Map.empty
  ): Dataset = {
    val operation = replacing(definition, files)
    committed(
      store,
      root,
      transaction(0, operation, properties),
      Baseline.numbered(0)
    )(open(store, root)).dataset
  }

  /** Fails if the directory has files, and they are not those of a Lance table: a new one must not lie among
    * them.
    */
  def checkVacant(store: ObjectStore, root: String): Unit =
    if (!exists(store, root)) OtherFiles.refuse(store, root)

  /** The property in which an uncommitted transaction keeps the identity of the version that it was begun at.
    */
  private val ReadIdentity = "sparklance.readIdentity"

  /** Commits a transaction that was made elsewhere; one with read version 0 makes the table. */
  def commit(store: ObjectStore, root: String, transaction: Transaction): WriteOutcome = {
    if (transaction.readVersion == 0) checkVacant(store, root)
    val identity = transaction.properties.get(ReadIdentity).map(VersionIdentity(_))
    val read = Baseline(transaction.readVersion, identity, manifest = None)
    val guard = new WrittenBefore(store, root, transaction.operation)
    committed(store, root, transaction, read, guard = guard)(open(store, root))
  }

  /** Keeps a transaction that creates the table. */
  def keepUncommitted(store: ObjectStore, root: String, transaction: Transaction): Unit =
    new TransactionFiles(store, root).write(transaction)

  private def transaction(readVersion: Long, operation: Operation, properties: Map[String, String]) =
    Transaction(readVersion, UUID.randomUUID().toString, operation, properties = properties)

  /** Location of a manifest of this table's writers. */
  private def locationOf(root: String, version: Long) = Location(file = Some(root), version = Some(version))

  /** @param unchanged the table, if the batch was in it already */
  private def committed(
      store: ObjectStore,
      root: String,
      transaction: Transaction,
      read: Baseline,
      base: CommitBase = CommitBase.Latest,
      guard: CommitGuard = CommitGuard.none
  )(unchanged: => Dataset): WriteOutcome = {
    val started = System.nanoTime()
    val outcome = new CommitLoop(store, root, base = base, guard = guard).commit(transaction, read)
    CommitLog.write(root, transaction.operation, outcome, (System.nanoTime() - started) / 1000000)
    val dataset = outcome match {
      case CommitOutcome.Committed(manifest, _, _) =>
        val made = new Dataset(store, root, manifest, locationOf(root, manifest.version))
        Restoration.check(made, transaction.operation)
        AutoCleanup.after(made)
        CommitListeners.tell(root)
        made
      case CommitOutcome.Repeated(_) => unchanged
    }
    WriteOutcome(dataset, outcome)
  }

  /** The operation that adds rows. */
  def appending(files: Vector[WrittenFile]): Operation = Operation.Append(files.map(fragment))

  /** The operation that replaces all rows and the schema. */
  def replacing(definition: TableDefinition, files: Vector[WrittenFile]): Operation =
    Operation.Overwrite(
      files.map(fragment),
      SchemaCodec.encodeFields(definition.schema),
      SchemaCodec.encodeMetadata(definition.schema),
      configUpserts = definition.config,
      fileVersion = Some(definition.fileVersion),
      identity = definition.identity,
      settings = definition.settings
    )

  private[dataset] def fragment(file: WrittenFile): Fragment =
    Fragment.of(file.all.map(dataFile), file.rows)

  private[dataset] def dataFile(file: WrittenFile): DataFile =
    DataFile.of(file.fileName, file.fieldIds, file.columnIndices, file.version, file.sizeBytes)

  private def noTable(store: ObjectStore, root: String): LanceTableNotFoundException = {
    val others = OtherFiles.of(store, root)
    val (found, cure) =
      if (!others.isEmpty)
        s"there ${others.are} $others" -> others.conversion.fold("")(statement =>
          s". To make a Lance table of them elsewhere: $statement"
        )
      else if (store.exists(root))
        "the directory has no manifest in _versions" -> ", or create the table by writing to it"
      else "there is nothing at that path" -> ", or create the table by writing to it"
    new LanceTableNotFoundException(s"There is no Lance table at $root: $found. Check the path$cure.")
  }

  private def noVersion(root: String, number: Long, kept: Vector[Long]): LanceTableNotFoundException =
    new LanceTableNotFoundException(
      s"The table at $root has no version $number: it has ${kept.head} to ${kept.last}, " +
        "and older ones may have been cleaned up. Choose one of these."
    )
}
