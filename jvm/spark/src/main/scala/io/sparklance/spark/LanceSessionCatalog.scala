package io.sparklance.spark

import java.util.{Map => JMap}

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.analysis.NoSuchTableException
import org.apache.spark.sql.connector.catalog.TableChange.{RemoveProperty, SetProperty}
import org.apache.spark.sql.connector.catalog.{
  Column,
  DelegatingCatalogExtension,
  Identifier,
  StagedTable,
  Table,
  TableCatalog,
  TableChange
}
import org.apache.spark.sql.connector.expressions.Transform

import io.sparklance.LanceUsageException
import io.sparklance.dataset.{Dataset, Reference}
import io.sparklance.spark.catalog._
import io.sparklance.spark.changes.ChangelogCatalog
import io.sparklance.spark.errors.SparkErrors.translating
import io.sparklance.spark.history.Making
import io.sparklance.spark.options.{PeerNames, StoreOptions, TableProperties}
import io.sparklance.spark.procedures.Procedures
import io.sparklance.spark.session.{LanceCatalogs, TableLocation}
import io.sparklance.spark.types.{PlainColumns, SchemaConverter}

/** A session catalog that serves tables `USING lance` and delegates all others to Spark's. The metastore
  * records a Lance table's location; its manifest defines everything else.
  */
final class LanceSessionCatalog extends DelegatingCatalogExtension with StagedCreation
    with Procedures.InCatalog with ChangelogCatalog {

  // ---- loading

  override def loadTable(ident: Identifier): Table = translating {
    suffixed(ident, Reference.latest) {
      val loaded = super.loadTable(ident)
      MetastoreEntry.of(loaded).fold(loaded)(_.latest)
    }
  }

  /** Resolves `db.t.versions` and similar names, unless a table has exactly this name. */
  private def suffixed(ident: Identifier, reference: Reference)(table: => Table): Table = {
    def exists(named: Identifier) = named.namespace.length == 1 && super.tableExists(named)
    if (!SuffixedTable.isCandidate(ident) || exists(ident)) table
    else
      SuffixedTable.inSession(ident, reference) { (base, at) =>
        Option.when(exists(base))(super.loadTable(base)).flatMap(MetastoreEntry.of).map { entry =>
          OpenedVersions.of(entry.name, entry.location, at)
        }
      }.getOrElse(table)
  }

  override def loadTable(ident: Identifier, version: String): Table = translating {
    suffixed(ident, Reference.parse(version)) {
      entryOf(ident).fold(super.loadTable(ident, version)) { entry =>
        OpenedVersions.named(entry.name, entry.location, version)
      }
    }
  }

  override def loadTable(ident: Identifier, timestamp: Long): Table = translating {
    suffixed(ident, OpenedVersions.asOf(timestamp)) {
      entryOf(ident).fold(super.loadTable(ident, timestamp)) { entry =>
        OpenedVersions.asOf(entry.name, entry.location, timestamp)
      }
    }
  }

  private def entryOf(ident: Identifier): Option[MetastoreEntry] = MetastoreEntry.of(super.loadTable(ident))

  // ---- creating

  override def createTable(
      ident: Identifier,
      columns: Array[Column],
      partitions: Array[Transform],
      said: JMap[String, String]
  ): Table = translating {
    if (!isLance(said)) super.createTable(ident, columns, partitions, said)
    else {
      val properties = PeerNames.properties(said)
      val request = TableRequest.of(columns, partitions, properties)
      existingAt(request) match {
        case Some(dataset) =>
          Registration.check(request, dataset)
          // If Spark inferred the columns, it would pass comment and properties as options of a read.
          val all = if (columns.isEmpty) PlainColumns.of(SchemaConverter.toSpark(dataset.schema)) else columns
          val _ = super.createTable(ident, all, partitions, TableRequest.withoutConfig(properties))
          configure(ident, request)
        case None => commit(entered(ident, columns, partitions, properties, request))
      }
      loadTable(ident)
    }
  }

  override def stageCreate(
      ident: Identifier,
      columns: Array[Column],
      partitions: Array[Transform],
      properties: JMap[String, String]
  ): StagedTable = translating {
    if (isLance(properties))
      stageLance(Making.Create, ident, columns, partitions, PeerNames.properties(properties))
    else createdByOther(ident, columns, partitions, properties)
  }

  private def stageLance(
      making: Making,
      ident: Identifier,
      columns: Array[Column],
      partitions: Array[Transform],
      properties: JMap[String, String]
  ): StagedTable = {
    val request = TableRequest.of(columns, partitions, properties)
    existingAt(request).foreach { _ =>
      throw new LanceUsageException(
        s"There is a Lance table at ${request.location.mkString} already. Register it with CREATE TABLE … USING lance " +
          "LOCATION …, without columns and SELECT, or choose another LOCATION."
      )
    }
    entered(ident, columns, partitions, properties, request, making)
  }

  /** Replaces a Lance table with a new version that shares no rows with the old one. Refuses other
    * replacements, which would have to drop the old table first: the new rows may come from it, and would be
    * lost if the statement failed.
    */
  override protected def stage(
      making: Making,
      ident: Identifier,
      columns: Array[Column],
      partitions: Array[Transform],
      said: JMap[String, String]
  ): StagedTable = {
    val properties = if (isLance(said)) PeerNames.properties(said) else said
    val request = if (isLance(properties)) Some(TableRequest.of(columns, partitions, properties)) else None
    request.foreach(r => SchemaConverter.toLance(r.declared))
    val known = if (tableExists(ident)) Some(super.loadTable(ident)) else None
    val replaced = for {
      entry <- known.flatMap(MetastoreEntry.of)
      wanted <- request
      dataset <- datasetAt(entry.location)
    } yield {
      Replacement.checkPlace(entry, wanted)
      new StagedLanceTable(
        entry.name,
        entry.location,
        wanted,
        Some(dataset),
        new Renewal(ident, entry, wanted),
        making = making
      )
    }
    replaced.getOrElse {
      known.foreach { table =>
        Replacement.checkFormats(table, request)
        // Dropping a managed table deletes its directory.
        MetastoreEntry.of(table).foreach(entry => checkVacant(entry.location))
        request.foreach(checkVacant)
        val _ = super.dropTable(ident)
      }
      if (isLance(properties)) stageLance(making, ident, columns, partitions, properties)
      else createdByOther(ident, columns, partitions, properties)
    }
  }

  /** Registers a table with the metastore, which chooses the location of a managed table. Version 1 is not
    * written yet.
    */
  private def entered(
      ident: Identifier,
      columns: Array[Column],
      partitions: Array[Transform],
      properties: JMap[String, String],
      request: TableRequest,
      making: Making = Making.Create
  ): StagedLanceTable = {
    if (columns.nonEmpty) { val _ = SchemaConverter.toLance(request.declared) }
    checkVacant(request)
    val _ = super.createTable(ident, columns, partitions, TableRequest.withoutConfig(properties))
    val entry = new Entry(ident)
    try {
      val known = entryOf(ident).getOrElse(throw new NoSuchTableException(ident))
      new StagedLanceTable(known.name, known.location, request, None, entry, making = making)
    } catch {
      case e: Throwable =>
        entry.undo()
        throw e
    }
  }

  private def createdByOther(
      ident: Identifier,
      columns: Array[Column],
      partitions: Array[Transform],
      properties: JMap[String, String]
  ): StagedTable = {
    val created = Option(super.createTable(ident, columns, partitions, properties))
    new StagedByOther(created.getOrElse(super.loadTable(ident)), () => new Entry(ident).undo())
  }

  /** Removes a new table's metastore entry if its statement fails. */
  final private class Entry(ident: Identifier) extends CatalogHook {
    def settle(): Unit = ()

    /** Keeps a table that has data: another statement dropped ours and created this one. */
    def undo(): Unit = if (tableExists(ident) && !entryOf(ident).exists(entry => hasData(entry.location))) {
      val _ = LanceSessionCatalog.super.dropTable(ident)
    }
  }

  /** Updates the metastore's properties after a table was replaced. */
  final private class Renewal(ident: Identifier, old: MetastoreEntry, request: TableRequest)
      extends CatalogHook {
    def settle(): Unit = {
      val kept = request.ownProperties ++ TableRequest.comment(request.properties)
      val before = old.ownProperties ++ TableRequest.comment(old.properties)
      val changes = (before.keySet -- kept.keySet).toSeq.map(TableChange.removeProperty) ++
        kept.map { case (key, value) => TableChange.setProperty(key, value) }
      if (changes.nonEmpty) { val _ = LanceSessionCatalog.super.alterTable(ident, changes: _*) }
    }
    def undo(): Unit = ()
  }

  // ---- changing

  /** Changes columns, and properties in the table's config, in the table itself; other properties in the
    * metastore.
    */
  override def alterTable(ident: Identifier, changes: TableChange*): Table = translating {
    entryOf(ident) match {
      case Some(entry) =>
        val ours = changes.map(PeerNames.change)
        if (ours.forall(AlterTable.isOfProperty)) changeProperties(ident, entry, ours)
        else AlterTable(entry.location, ours)
      case None => val _ = super.alterTable(ident, changes: _*)
    }
    loadTable(ident)
  }

  override def renameTable(from: Identifier, to: Identifier): Unit =
    super.renameTable(from, NewName.of(this, from, to))

  private def changeProperties(ident: Identifier, entry: MetastoreEntry, all: Seq[TableChange]): Unit = {
    val changes = AlterTable.convertVectors(entry.location, all)
    AlterTable.checkProperties(entry.location, changes)
    newLocations(changes).foreach(Relocation.check(entry, _))
    val (ofTable, ofMetastore) = changes.partition {
      case set: SetProperty => TableProperties.isOfTable(set.property)
      case removed: RemoveProperty => TableProperties.isOfTable(removed.property)
      case _ => false
    }
    if (ofTable.nonEmpty) AlterTable(entry.location, ofTable)
    if (ofMetastore.nonEmpty) {
      // Spark drops the comment unless it is set again. A later change of the comment wins.
      val comment = TableRequest.comment(entry.properties).map { case (key, value) =>
        TableChange.setProperty(key, value)
      }
      val _ = super.alterTable(ident, comment.toSeq ++ ofMetastore: _*)
    }
  }

  /** Applies the properties of a CREATE TABLE that registers an existing table. */
  private def configure(ident: Identifier, request: TableRequest): Unit = if (request.config.nonEmpty) {
    val sets = request.config.map { case (key, value) => TableChange.setProperty(key, value) }.toSeq
    entryOf(ident).foreach(entry => AlterTable(entry.location, sets))
  }

  // ---- what is ours

  private def isLance(properties: JMap[String, String]): Boolean =
    Option(properties.get(TableCatalog.PROP_PROVIDER))
      .getOrElse(SparkSession.active.conf.get("spark.sql.sources.default"))
      .equalsIgnoreCase(LanceCatalogs.Format)

  private def existingAt(request: TableRequest): Option[Dataset] =
    request.location.flatMap(path => datasetAt(StoreOptions.locate(path)))

  /** Checks an explicit location. Spark itself checks those of managed tables. */
  private def checkVacant(request: TableRequest): Unit =
    request.location.foreach(path => checkVacant(StoreOptions.locate(path)))

  private def checkVacant(location: TableLocation): Unit = Dataset.checkVacant(location.store, location.root)

  private def hasData(location: TableLocation): Boolean = Dataset.exists(location.store, location.root)

  private def datasetAt(location: TableLocation): Option[Dataset] =
    if (hasData(location)) Some(Dataset.open(location.store, location.root, None))
    else None
}
