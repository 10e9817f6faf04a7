package io.sparklance.table.transaction.operations

import com.google.protobuf.ByteString

import io.sparklance.LanceUsageException
import io.sparklance.data.FileVersion
import io.sparklance.proto.file.Field
import io.sparklance.proto.transaction.Transaction.{UpdateMap, UpdateMapEntry}
import io.sparklance.proto.{table => pb}
import io.sparklance.schema.PrimaryKey
import io.sparklance.table.Manifest
import io.sparklance.table.transaction.Operation._
import io.sparklance.table.transaction.{Operation, TableState, Verdict}

/** Sets and removes keys of the config and of the metadata of table, schema and fields, and raises the file
  * version of new files.
  */
private[transaction] object UpdateConfig {

  /** Metadata of the clustering key, which cannot change once set because other writers rely on it; like the
    * primary key.
    */
  private val ClusteringKey = "lance-schema:unenforced-clustering-key:position"

  /** The keys of a map that change. */
  final case class Change(set: Set[String], removed: Set[String])

  def apply(latest: TableState, update: Operation.UpdateConfig): TableState = {
    val message = latest.manifest.message
    val change = update.message
    val fields = change.fieldMetadataUpdates.foldLeft(message.fields.toVector) { case (all, (id, map)) =>
      val at = all.indexWhere(_.id == id)
      if (at < 0)
        throw new LanceUsageException(s"The table has no field with id $id, whose metadata is to change.")
      all.updated(at, changed(all(at), map))
    }
    val next = message.copy(
      config = merged(message.config, configMap(update)),
      tableMetadata = merged(message.tableMetadata, change.tableMetadataUpdates),
      schemaMetadata = bytes(merged(text(message.schemaMetadata), schemaMap(update))),
      fields = fields,
      dataFormat = update.fileVersion.fold(message.dataFormat)(raised(latest.manifest, _))
    )
    if (change.fieldMetadataUpdates.nonEmpty) checkPrimaryKey(latest.manifest, Manifest(next))
    latest.copy(manifest = Manifest(next))
  }

  /** Returns the format with at least this version. Files of version 0.1 must not be mixed with others. */
  private def raised(manifest: Manifest, version: FileVersion): Option[pb.Manifest.DataStorageFormat] = {
    val known = manifest.message.dataFormat.getOrElse(pb.Manifest.DataStorageFormat(fileFormat = "lance"))
    manifest.fileVersion match {
      case FileVersion.V0_1 if manifest.fragments.nonEmpty =>
        throw new LanceUsageException(
          s"The table has files of version ${FileVersion.V0_1}, which cannot be beside others. Rewrite them: " +
            "CALL lance.system.raise_file_version."
        )
      case now if !version.isAfter(now) => manifest.message.dataFormat
      case _ => Some(known.withVersion(version.name))
    }
  }

  /** Refuses to change an existing primary key. */
  private def checkPrimaryKey(before: Manifest, after: Manifest): Unit = {
    val (old, now) = (PrimaryKey.of(before.schema), PrimaryKey.of(after.schema))
    if (old != now && old.nonEmpty)
      throw new LanceUsageException(
        s"The table's primary key is ${old.mkString(", ")}, which cannot be changed once it is set. Make a table with another key."
      )
    if (old != now) PrimaryKey.check(after.schema)
  }

  def against(losing: Operation.UpdateConfig, winning: Operation): Verdict = winning match {
    case overwrite: Overwrite =>
      Verdict.incompatibleIf(
        schemaMap(losing).isDefined || losing.message.fieldMetadataUpdates.nonEmpty ||
          meet(configChange(losing), Change(overwrite.configUpserts.keySet, Set.empty)),
        "it changes metadata or config of a table that was replaced"
      )
    case config: Operation.UpdateConfig =>
      Verdict.incompatibleIf(sameKeys(losing, config), "both change the same config or metadata")
    case other: Other => Reasons.unknown(other)
    case _: Append | _: Delete | _: CreateIndex | _: Rewrite | _: Merge | _: Restore | _: ReserveFragments |
        _: Update | _: Project | _: DataReplacement | _: Clone | _: UpdateBases =>
      Verdict.Compatible
  }

  def configChange(config: Operation.UpdateConfig): Change = {
    val (set, removed) = configMap(config).toVector.flatMap(_.updateEntries).partition(_.value.isDefined)
    Change(set.map(_.key).toSet, removed.map(_.key).toSet)
  }

  /** Whether it changes metadata of the schema or of fields. */
  def changesSchema(config: Operation.UpdateConfig): Boolean =
    (schemaMap(config) ++ config.message.fieldMetadataUpdates.values).exists(map =>
      map.replace || map.updateEntries.nonEmpty
    )

  private def sameKeys(losing: Operation.UpdateConfig, winning: Operation.UpdateConfig): Boolean = {
    val (a, b) = (losing.message, winning.message)
    val sameTableMetadata = a.tableMetadataUpdates.exists(x => b.tableMetadataUpdates.exists(meet(x, _)))
    meet(configChange(losing), configChange(winning)) || sameTableMetadata ||
    schemaMap(losing).isDefined && schemaMap(winning).isDefined ||
    a.fieldMetadataUpdates.keySet.intersect(b.fieldMetadataUpdates.keySet).nonEmpty
  }

  /** Whether two changes collide. Two that remove the same key do not. */
  private def meet(a: Change, b: Change): Boolean =
    a.set.exists(key => b.set(key) || b.removed(key)) || b.set.exists(a.removed)

  private def meet(a: UpdateMap, b: UpdateMap): Boolean =
    a.replace || b.replace || a.updateEntries.map(_.key).intersect(b.updateEntries.map(_.key)).nonEmpty

  /** Returns the config changes; old writers used other fields. */
  private def configMap(config: Operation.UpdateConfig): Option[UpdateMap] = {
    val message = config.message
    message.configUpdates.orElse {
      val entries = message.upsertValues.map { case (key, value) => entry(key, Some(value)) } ++
        message.deleteKeys.map(entry(_, None))
      Option.when(entries.nonEmpty)(UpdateMap(entries.toVector))
    }
  }

  private def schemaMap(config: Operation.UpdateConfig): Option[UpdateMap] =
    config.message.schemaMetadataUpdates.orElse {
      val old = config.message.schemaMetadata
      Option.when(old.nonEmpty)(
        UpdateMap(old.map { case (key, value) => entry(key, Some(value)) }.toVector, replace = true)
      )
    }

  private def entry(key: String, value: Option[String]) =
    UpdateMapEntry(key, value)

  private def merged(old: Map[String, String], change: Option[UpdateMap]): Map[String, String] =
    change.fold(old) { map =>
      map.updateEntries.foldLeft(if (map.replace) Map.empty[String, String] else old) { (all, entry) =>
        entry.value.fold(all - entry.key)(value => all.updated(entry.key, value))
      }
    }

  private def changed(field: Field, change: UpdateMap): Field = {
    val old = text(field.metadata)
    val next = merged(old, Some(change))
    if (old.contains(ClusteringKey) && old.get(ClusteringKey) != next.get(ClusteringKey))
      throw new LanceUsageException(
        s"The column ${field.name} is part of the table's clustering key, which cannot be changed once it is set."
      )
    refuseUnclear(field, old, next)
    PrimaryKey.mirrored(field.copy(metadata = bytes(next)), next)
  }

  /** Refuses invalid metadata of the primary key. */
  private def refuseUnclear(field: Field, old: Map[String, String], next: Map[String, String]): Unit =
    Seq(PrimaryKey.Flag, PrimaryKey.Position).find { key =>
      next.get(key).exists(value =>
        !old.get(key).contains(value) && PrimaryKey.position(Map(key -> value)).isEmpty
      )
    }.foreach { key =>
      throw new LanceUsageException(
        s"The value '${next(key)}' of '$key' does not say that column ${field.name} is in the primary key. Write 'true', or, for a " +
          "position, a number from 1 on."
      )
    }

  private def text(map: Map[String, ByteString]): Map[String, String] =
    map.map { case (key, value) => key -> value.toStringUtf8 }

  private def bytes(map: Map[String, String]): Map[String, ByteString] =
    map.map { case (key, value) => key -> ByteString.copyFromUtf8(value) }
}
