package io.sparklance.table.transaction

import com.google.protobuf.ByteString

import io.sparklance.data.FileVersion
import io.sparklance.proto.transaction.{Transaction => Wire}
import io.sparklance.proto.{file, table => pb}
import io.sparklance.table.rowid.RowIdEncoder
import io.sparklance.table.{Fragment, Manifest, RowIdentity}

/** The change that a transaction makes. How it is applied and with what it conflicts is in the file of that name in
  * `operations`. Most hold their message itself, so that fields unknown to us stay.
  */
sealed trait Operation {

  /** As the format's documents call it. */
  def name: String

  /** The fragments whose files were written for it. */
  def added: Vector[Fragment] = Vector.empty
}

object Operation {

  /** Adds fragments; their ids are given at commit. */
  final case class Append(fragments: Vector[Fragment]) extends Operation {
    def name: String = "Append"
    override def added: Vector[Fragment] = fragments
  }

  /** Deletes rows, by new deletion files or whole fragments.
    *
    * @param affected the rows, if they are ours to delete: the commit then fills in the message from the fragments as they
    *   are by then. Not stored.
    */
  final case class Delete(message: Wire.Delete, affected: Vector[AffectedRows] = Vector.empty)
      extends Operation {
    def name: String = "Delete"
  }

  object Delete {

    /** @param predicate that found the rows, for information */
    def of(affected: Vector[AffectedRows], predicate: String): Delete =
      Delete(Wire.Delete(predicate = predicate), affected)
  }

  /** Replaces all rows and the schema, or creates the table.
    *
    * @param fields flattened in pre-order
    * @param configUpserts merged into the config that is there
    * @param initialBases only when it creates the table
    * @param fileVersion what new data files are written in from now on; the message leaves it to the fragments' files,
    *   so it is not stored with the transaction
    * @param identity of the rows, when it creates the table; not stored either
    * @param settings of the table, changed in the same version. Not stored: whatever others change of them meanwhile may as well
    *   have come before, or may come after
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

  /** Adds segments of indices, or drops some. */
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

    /** @param groups of fragments: those that are there, and those that get their rows, without an id */
    def of(groups: Vector[(Vector[Fragment], Vector[Fragment])]): Rewrite = Rewrite(
      Wire.Rewrite(groups = groups.map { case (old, added) =>
        Wire.Rewrite.RewriteGroup(old.map(_.message), added.map(_.message))
      })
    )
  }

  /** Adds columns or changes their types; or gives rows their stable ids.
    *
    * @param identity of the rows from now on, if the fragments bring ids to a table without any. Not stored
    */
  final case class Merge(message: Wire.Merge, identity: RowIdentity = RowIdentity.Address) extends Operation {
    def name: String = "Merge"
  }

  object Merge {

    /** New columns that may be null, and perhaps new rows.
      *
      * @param there all fragments of the table
      */
    def of(
        there: Vector[Fragment],
        added: Vector[Fragment],
        fields: Vector[file.Field],
        schemaMetadata: Map[String, ByteString]
    ): Merge = Merge(
      Wire.Merge((there ++ added).map(_.message), fields, schemaMetadata, preservesNullability = true)
    )

    /** The table with other columns.
      *
      * @param fragments all of the table, in their new state
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

    /** Nothing but ids for all rows. */
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

  /** Takes fragment ids, for a rewrite to come. */
  final case class ReserveFragments(count: Int) extends Operation {
    def name: String = "ReserveFragments"
  }

  /** Changes rows: by deleting them where they are and adding them anew, or column by column in place.
    *
    * @param affected as in [[Delete]]: the rows that are deleted
    */
  final case class Update(message: Wire.Update, affected: Vector[AffectedRows] = Vector.empty)
      extends Operation {
    def name: String = "Update"
    override def added: Vector[Fragment] = message.newFragments.iterator.map(Fragment(_)).toVector
  }

  object Update {

    /** Rows that are deleted, and new fragments with what they became, or with others.
      *
      * @param fields all whose values may have changed: an index on them will not be said to cover the new fragments
      */
    def of(affected: Vector[AffectedRows], added: Vector[Fragment], fields: Vector[Int]): Update = Update(
      Wire.Update(newFragments = added.map(_.message), fieldsForPreservingFragBitmap = fields),
      affected
    )

    /** Columns that are changed in place.
      *
      * @param updated fragments with their new files
      * @param fields of which these have the values
      * @param changed for fragments of a table with stable row ids, which rows: a Roaring bitmap of offsets
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

  /** Drops or renames columns, or changes whether they may be null. */
  final case class Project(message: Wire.Project) extends Operation {
    def name: String = "Project"
  }

  object Project {
    def of(fields: Vector[file.Field], nulls: NullRules): Project =
      Project(Wire.Project(fields, preservesNullability = nulls == NullRules.Preserved))
  }

  /** Changes config or metadata. */
  final case class UpdateConfig(message: Wire.UpdateConfig) extends Operation {
    def name: String = "UpdateConfig"
  }

  object UpdateConfig {
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

    /** Of both, as far as there is something to change. */
    def of(config: Option[KeyChanges], table: Option[KeyChanges]): UpdateConfig = UpdateConfig(
      Wire.UpdateConfig(configUpdates = config.map(_.message), tableMetadataUpdates = table.map(_.message))
    )
  }

  /** Replaces columns of fragments by files of the same rows. */
  final case class DataReplacement(message: Wire.DataReplacement) extends Operation {
    def name: String = "DataReplacement"
  }

  /** Made a table or branch from a version of another; no later commit is one. */
  final case class Clone(message: Wire.Clone) extends Operation {
    def name: String = "Clone"
  }

  object Clone {

    /** A clone that goes on using the files of a version.
      *
      * @param source the branch of that version; none for the main one
      * @param path where that is
      * @param name of the branch that is made, if one is
      */
    def shallow(source: Option[String], version: Long, path: String, name: Option[String]): Clone =
      Clone(Wire.Clone(isShallow = true, source, version, path, name))
  }

  /** Adds places in which files may be. */
  final case class UpdateBases(message: Wire.UpdateBases) extends Operation {
    def name: String = "UpdateBases"
  }

  /** One that no release of the format has, or none that we know: it conflicts with all others. */
  final case class Other(name: String) extends Operation
}
