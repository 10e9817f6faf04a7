package io.sparklance.table.commit

import com.google.protobuf.ByteString

import io.sparklance.data.RowRanges
import io.sparklance.io.ObjectStore
import io.sparklance.proto.file.Field
import io.sparklance.proto.transaction.Transaction
import io.sparklance.proto.transaction.Transaction.{
  DataReplacementGroup,
  Rewrite => RewriteMessage,
  UpdateMap,
  UpdateMapEntry
}
import io.sparklance.proto.{table => pb}
import io.sparklance.table.deletion.{DeletionFiles, DeletionVector}
import io.sparklance.table.index.RoaringSetSuite
import io.sparklance.table.transaction.{AffectedRows, Operation}
import io.sparklance.table.{Manifest, StoredVersion, TablePaths, Versions}
import io.sparklance.testkit.MemoryStore
import io.sparklance.testkit.TableFixtures._

/** A small table, an operation of each kind that goes with it, and what a table is after some of them. */
object Commits {
  val root = "/t"

  def loop(store: ObjectStore) = new CommitLoop(store, root, _ => ())

  /** Version 2 has four fragments of ten rows, the first with a deleted row; an index; a config. */
  def table(): MemoryStore = {
    val store = new MemoryStore
    val fields = Vector(Field(name = "id", parentId = -1, logicalType = "int32", nullable = true))
    val create = overwrite("a", "b", "c", "d").copy(fields = fields, configUpserts = Map("owner" -> "me"))
    loop(store).commit(0, create)
    loop(store).commit(1, Operation.Delete.of(affected(latest(store).manifest, 0, 9), ""))
    store
  }

  def latest(store: ObjectStore): StoredVersion = {
    val versions = new Versions(store, root)
    versions.readWhole(versions.latest().get)
  }

  def affected(manifest: Manifest, fragment: Long, row: Long): Vector[AffectedRows] =
    manifest.fragments.filter(_.id == fragment).map(
      AffectedRows(_, 10, DeletionVector.of(RowRanges(row, row + 1)))
    )

  /** One of each kind, all different. They change the table as it is in `manifest`. */
  def operations(manifest: Manifest): Vector[Operation] = {
    val message = manifest.message
    val column = Field(name = "more", id = 1, parentId = -1, logicalType = "int32", nullable = true)
    val moved = message.fragments.slice(1, 3)
    Vector(
      append("x"),
      Operation.Delete.of(affected(manifest, 0, 1) ++ affected(manifest, 1, 2), "id = 1"),
      Operation.Update.of(affected(manifest, 0, 3), Vector(fragment("u", 1)), Vector(0)),
      overwrite("y").copy(fields = message.fields.toVector),
      Operation.CreateIndex(Transaction.CreateIndex(Seq(index("i", 0)))),
      Operation.Rewrite(
        Transaction.Rewrite(groups =
          Seq(RewriteMessage.RewriteGroup(moved, Seq(fragment("moved", 20).message)))
        )
      ),
      Operation.Merge(
        Transaction.Merge(message.fragments, message.fields :+ column, preservesNullability = true)
      ),
      Operation.Project(
        Transaction.Project(message.fields.map(_.copy(name = "renamed")), preservesNullability = true)
      ),
      Operation.Restore(1),
      Operation.ReserveFragments(5),
      Operation.UpdateConfig(
        Transaction.UpdateConfig(configUpdates = Some(UpdateMap(Seq(UpdateMapEntry("k", Some("v"))))))
      ),
      Operation.DataReplacement(
        Transaction.DataReplacement(Seq(DataReplacementGroup(
          3,
          Some(message.fragments(3).files.head.copy(path = "z"))
        )))
      ),
      Operation.UpdateBases(Transaction.UpdateBases(Seq(pb.BasePath(path = "/elsewhere"))))
    )
  }

  private def index(name: String, covered: Int) = pb.IndexMetadata(
    uuid = Some(pb.UUID(ByteString.copyFromUtf8(name))),
    name = name,
    fields = Seq(0),
    fragmentBitmap = ByteString.copyFrom(RoaringSetSuite.bytes(covered))
  )

  /** A version without random numbers, times, and names that derive from these. */
  final case class Outcome(
      manifest: pb.Manifest,
      deleted: Map[Long, DeletionVector],
      indices: Option[ByteString]
  )

  def outcome(store: ObjectStore): Outcome = {
    val stored = latest(store)
    val message = stored.manifest.message
    val paths = new TablePaths(root, stored.manifest)
    val deleted = for (fragment <- stored.manifest.fragments; file <- fragment.deletionFile)
      yield fragment.id -> DeletionFiles.read(
        store,
        paths.deletionFile(fragment, file),
        file.kind,
        10,
        file.deletedRows
      )
    val bare = message.copy(
      timestamp = None,
      transactionFile = "",
      indexSection = None,
      transactionSection = None,
      fragments = message.fragments.map(_.clearDeletionFile)
    )
    Outcome(bare, deleted.toMap, stored.indexSection)
  }

  /** Files of the table that no version refers to. */
  def clutter(store: MemoryStore): Vector[String] = {
    val versions = new Versions(store, root)
    val manifests = versions.list().map(versions.read)
    val transactions = manifests.map(m => s"$root/_transactions/${m.message.transactionFile}")
    val deletions = for (m <- manifests; f <- m.fragments; file <- f.deletionFile)
      yield file.path(root, f.id)
    store.paths.filterNot(_.contains("/_versions/")).diff((transactions ++ deletions).distinct)
  }
}
