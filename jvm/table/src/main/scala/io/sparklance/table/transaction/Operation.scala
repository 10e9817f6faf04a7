package io.sparklance.table.transaction

import com.google.protobuf.ByteString

import io.sparklance.data.FileVersion
import io.sparklance.proto.transaction.{Transaction => Wire}
import io.sparklance.proto.{file, table => pb}
import io.sparklance.table.rowid.RowIdEncoder
import io.sparklance.table.{Fragment, Manifest, RowIdentity}

/** The change that a transaction makes. The file of the same name in `operations` applies it and finds its
  * conflicts. Most operations hold their message itself, so that unknown fields are kept.
  */
sealed private[sparklance] trait Operation {

  /** Name in the format specification. */
  def name: String

  /** Fragments whose files were written for this operation. */
  def added: Vector[Fragment] = Vector.empty
}

private[sparklance] object Operation {

  /** Adds fragments; the commit assigns their ids. */
  final case class Append(fragments: Vector[Fragment]) extends Operation {
    def name: String = "Append"
    override def added: Vector[Fragment] = fragments
  }

  /** Deletes rows, by new deletion files or whole fragments.
    *
    * @param affected
    *   the rows to delete, if this process deletes them: the commit then derives the message from the current
    *   fragments. Not stored.
    */
  final case class Delete(message: Wire.Delete, affected: Vector[AffectedRows] = Vector.empty)
      extends Operation {
    def name: String = "Delete"
  }

  object Delete {

    /** @param predicate the condition that found the rows, for information */
    def of(affected: Vector[AffectedRows], predicate: String): Delete =
      Delete(Wire.Delete(predicate = predicate), affected)
  }

  /** Replaces all rows and the schema, or creates the table.
    *
    * @param fields
    *   flattened in pre-order
    * @param configUpserts
    *   merged into the existing config
    * @param initialBases
    *   only if it creates the table
    * @param fileVersion
    *   file version of new data files from now on. Not stored with the transaction: the message leaves it to
    *   the fragments' files
    * @param identity
    *   identity of the rows, if it creates the table. Not stored
    * @param settings
    *   changes of table settings in the same version. Not stored: concurrent changes of the same settings may
    *   count as earlier or later
    */
  final case class Overwrite(
      fragments: Vector[Fragment],
      fields: Vector[file.Field],
      schemaMetadata: Map[String, ByteString],
      configUpserts: Map[String, String] = Map.empty,
      initialBases: Vector[pb.BasePath] = Vector.empty,
      fileVersion: Option[FileVersion] = None,
      identity: RowIdentity = RowIdentity.Address,
      settings: Option[UpdateConfig] = None
  ) extends Operation {
    def name: String = "Overwrite"
    override def added: Vector[Fragment] = fragments
  }

  /** Adds or drops index segments. */
  final case class CreateIndex(message: Wire.CreateIndex) extends Operation {
    def name: String = "CreateIndex"
  }

  /** Moves rows to other fragments without changing them. */
  final case class Rewrite(message: Wire.Rewrite) extends Operation {
    def name: String = "Rewrite"
    override def added: Vector[Fragment] =
      message.groups.iterator.flatMap(_.newFragments).map(Fragment(_)).toVector
  }

  object Rewrite {

    /** @param groups existing fragments, and the new fragments, without ids, that get their rows */
    def of(groups: Vector[(Vector[Fragment], Vector[Fragment])]): Rewrite = Rewrite(
      Wire.Rewrite(groups = groups.map { case (old, added) =>
        Wire.Rewrite.RewriteGroup(old.map(_.message), added.map(_.message))
      })
    )
  }

  /** Adds columns, changes their types, or assigns stable row ids.
    *
    * @param identity
    *   identity of the rows from now on, if the fragments assign ids in a table without any. Not stored
    */
  final case class Merge(message: Wire.Merge, identity: RowIdentity = RowIdentity.Address) extends Operation {
    def name: String = "Merge"
  }

  object Merge {

    /** Adds nullable columns, and possibly rows.
      *
      * @param there
      *   all existing fragments of the table
      */
    def of(
        there: Vector[Fragment],
        added: Vector[Fragment],
        fields: Vector[file.Field],
        schemaMetadata: Map[String, ByteString]
    ): Merge = Merge(
      Wire.Merge((there ++ added).map(_.message), fields, schemaMetadata, preservesNullability = true)
    )

    /** Changes columns.
      *
      * @param fragments
      *   all fragments of the table, in their new state
      */
    def altering(
        fragments: Vector[Fragment],
        fields: Vector[file.Field],
        schemaMetadata: Map[String, ByteString],
        nulls: NullRules
    ): Merge = Merge(
      Wire.Merge(
        fragments.map(_.message),
        fields,
        schemaMetadata,
        preservesNullability = nulls == NullRules.Preserved
      )
    )

    /** Assigns ids to all rows and changes nothing else. */
    def identifying(manifest: Manifest): Merge = {
      val fragments = manifest.fragments
      val rows = fragments.map(_.physicalRows.getOrElse(0L))
      val firsts = rows.scanLeft(manifest.message.nextRowId)(_ + _)
      val withIds =
        fragments.indices.map(i => fragments(i).withRowIds(RowIdEncoder.range(firsts(i), rows(i))))
      Merge(
        Wire.Merge(
          withIds.map(_.message),
          manifest.message.fields,
          manifest.message.schemaMetadata,
          preservesNullability = true
        ),
        RowIdentity.StableId
      )
    }
  }

  /** Brings an older version back. */
  final case class Restore(version: Long) extends Operation {
    def name: String = "Restore"
  }

  /** Reserves fragment ids for a later rewrite. */
  final case class ReserveFragments(count: Int) extends Operation {
    def name: String = "ReserveFragments"
  }

  /** Changes rows: deletes them and adds their new state, or replaces columns in place.
    *
    * @param affected
    *   the rows that are deleted, as in [[Delete]], or changed in place
    * @param comparesKeys
    *   whether the commit itself compares the keys of inserted rows with rows that others added. Not stored
    */
  final case class Update(
      message: Wire.Update,
      affected: Vector[AffectedRows] = Vector.empty,
      comparesKeys: Boolean = false
  ) extends Operation {
    def name: String = "Update"
    override def added: Vector[Fragment] = message.newFragments.iterator.map(Fragment(_)).toVector

    /** Returns this update with the primary keys that it inserts, for other software.
      *
      * @param fields
      *   of the key, in its order
      * @param bitmap
      *   Bloom filter of the keys
      */
    def inserting(fields: Vector[Int], bitmap: Array[Byte]): Update = {
      val bloom = Wire.BloomFilter(
        ByteString.copyFrom(bitmap),
        bitmap.length * 8,
        Update.FilterItems,
        Update.FilterProbability
      )
      val keys = Wire.KeyExistenceFilter(fields, Wire.KeyExistenceFilter.Data.Bloom(bloom))
      copy(message = message.copy(insertedRows = Some(keys)), comparesKeys = true)
    }
  }

  object Update {

    /** Parameters that the reference gives each filter of inserted keys; filters with others do not compare.
      */
    final private val FilterItems = 8192L
    final private val FilterProbability = 0.00057

    /** Deletes rows, and adds fragments with their new state or with new rows.
      *
      * @param fields
      *   fields whose values may have changed: indices on them will not cover the new fragments
      */
    def of(affected: Vector[AffectedRows], added: Vector[Fragment], fields: Vector[Int]): Update = Update(
      Wire.Update(newFragments = added.map(_.message), fieldsForPreservingFragBitmap = fields),
      affected
    )

    /** Changes columns of rows in place, deletes others, and adds fragments with new rows.
      *
      * @param columns
      *   fields of the column files: indices on them will not cover the fragments of these
      * @param recordsRows
      *   whether the changed rows get a version, as in tables with stable row ids
      * @param moves
      *   whether some of the deleted rows are among the added ones
      */
    def inPlace(
        affected: Vector[AffectedRows],
        added: Vector[Fragment],
        fields: Vector[Int],
        columns: Vector[Int],
        recordsRows: Boolean,
        moves: Boolean
    ): Update = {
      val changed =
        for (rows <- affected; now <- rows.columns) yield rows.asRead.id ->
          ByteString.copyFrom(now.changed.packed)
      val update = of(affected, added, fields)
      update.copy(message =
        update.message.copy(
          fieldsModified = columns,
          updateMode = if (moves) Wire.UpdateMode.REWRITE_ROWS else Wire.UpdateMode.REWRITE_COLUMNS,
          updatedFragmentOffsetBitmaps = if (recordsRows) changed.toMap else Map.empty
        )
      )
    }

    /** Replaces columns in place.
      *
      * @param updated
      *   fragments with their new files
      * @param fields
      *   fields of the new files
      * @param changed
      *   changed rows of each fragment, in a table with stable row ids: a Roaring bitmap of offsets
      */
    def ofColumns(updated: Vector[Fragment], fields: Vector[Int], changed: Map[Long, Array[Byte]]): Update =
      Update(
        Wire.Update(
          updatedFragments = updated.map(_.message),
          fieldsModified = fields,
          updateMode = Wire.UpdateMode.REWRITE_COLUMNS,
          updatedFragmentOffsetBitmaps = changed.view.mapValues(ByteString.copyFrom).toMap
        )
      )
  }

  /** Drops or renames columns, or changes their nullability. */
  final case class Project(message: Wire.Project) extends Operation {
    def name: String = "Project"
  }

  object Project {
    def of(fields: Vector[file.Field], nulls: NullRules): Project =
      Project(Wire.Project(fields, preservesNullability = nulls == NullRules.Preserved))
  }

  /** Changes config or metadata.
    *
    * @param fileVersion
    *   file version of new data files, if it rises; not part of the message
    */
  final case class UpdateConfig(message: Wire.UpdateConfig, fileVersion: Option[FileVersion] = None)
      extends Operation {
    def name: String = "UpdateConfig"
  }

  object UpdateConfig {

    /** Raises the file version of new data files. */
    def raising(fileVersion: FileVersion): UpdateConfig = UpdateConfig(Wire.UpdateConfig(), Some(fileVersion))

    def ofConfig(changes: KeyChanges): UpdateConfig =
      UpdateConfig(Wire.UpdateConfig(configUpdates = Some(changes.message)))

    def ofTable(changes: KeyChanges): UpdateConfig =
      UpdateConfig(Wire.UpdateConfig(tableMetadataUpdates = Some(changes.message)))

    def ofSchema(changes: KeyChanges): UpdateConfig =
      UpdateConfig(Wire.UpdateConfig(schemaMetadataUpdates = Some(changes.message)))

    def ofField(id: Int, changes: KeyChanges): UpdateConfig = ofFields(Map(id -> changes))

    def ofFields(changes: Map[Int, KeyChanges]): UpdateConfig =
      UpdateConfig(Wire.UpdateConfig(fieldMetadataUpdates = changes.map { case (id, of) =>
        id -> of.message
      }))

    /** Changes config and table metadata, each if given. */
    def of(config: Option[KeyChanges], table: Option[KeyChanges]): UpdateConfig = UpdateConfig(
      Wire.UpdateConfig(configUpdates = config.map(_.message), tableMetadataUpdates = table.map(_.message))
    )
  }

  /** Replaces column files of fragments by files with the same rows. */
  final case class DataReplacement(message: Wire.DataReplacement) extends Operation {
    def name: String = "DataReplacement"
  }

  /** Creates a table or branch from a version of another. Only the first version of a table is one. */
  final case class Clone(message: Wire.Clone) extends Operation {
    def name: String = "Clone"
  }

  object Clone {

    /** Clones a version, and keeps using its files.
      *
      * @param source
      *   branch of that version; None for the main branch
      * @param path
      *   root of that branch
      * @param name
      *   name of the new branch, if it is one
      */
    def shallow(source: Option[String], version: Long, path: String, name: Option[String]): Clone =
      Clone(Wire.Clone(isShallow = true, source, version, path, name))
  }

  /** Adds base paths. */
  final case class UpdateBases(message: Wire.UpdateBases) extends Operation {
    def name: String = "UpdateBases"
  }

  /** An unknown operation, which conflicts with all others. */
  final case class Other(name: String) extends Operation
}
