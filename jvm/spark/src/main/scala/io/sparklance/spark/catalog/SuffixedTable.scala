package io.sparklance.spark.catalog

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.connector.catalog.{Identifier, Table}

import io.sparklance.LanceUsageException
import io.sparklance.dataset.{Reference, TableRefs}
import io.sparklance.spark.metadata.{MetadataKind, MetadataTable}
import io.sparklance.spark.table.{BrokenTable, LanceTable}

/** A suffix of a table's name: `t.branch_x`, `t.tag_x`, `t.versions` and other metadata tables. */
sealed private[spark] trait SuffixedTable

private[spark] object SuffixedTable {
  final case class OfBranch(branch: String) extends SuffixedTable
  final case class OfTag(tag: String) extends SuffixedTable
  final case class OfMetadata(kind: MetadataKind) extends SuffixedTable

  private val BranchPrefix = "branch_"
  private val TagPrefix = "tag_"

  /** Returns None if the identifier has no such suffix, or the rest is not a Lance table.
    *
    * @param name
    *   full name, for messages
    * @param load
    *   loads the table without suffix
    */
  def of(ident: Identifier, name: String, reference: Reference)(
      find: (Identifier, Reference) => Option[Table]
  ): Option[Table] = for {
    base <- baseOf(ident)
    suffix <- parse(ident.name)
    at = suffix match {
      case OfBranch(_) | OfTag(_) => Reference.latest
      case OfMetadata(_) => reference
    }
    table <- find(base, at).orElse(of(base, name, at)(find)).collect {
      case lance: LanceTable => lance
      case broken: BrokenTable => throw broken.failure
    }
  } yield suffix match {
    case OfBranch(branch) => branchOf(name, table, branch, reference)
    case OfTag(tag) => tagOf(name, table, tag, reference)
    case OfMetadata(kind) => new MetadataTable(name, table.location, table.dataset, kind)
  }

  /** Resolves a suffix in the session catalog, where names have two parts: `db.t.versions`, or `t.versions`
    * in the current database.
    *
    * @param find
    *   finds a table by a name of two parts
    */
  def inSession(ident: Identifier, reference: Reference)(
      find: (Identifier, Reference) => Option[Table]
  ): Option[Table] = {
    def inDatabase(base: Identifier, at: Reference): Option[Table] = {
      val whole = withDatabase(base)
      if (whole.namespace.length == 1) find(whole, at) else None
    }
    of(
      ident,
      ("spark_catalog" +: ident.namespace.toVector :+ ident.name).mkString("."),
      reference
    )(inDatabase)
  }

  /** Whether the identifier may have a suffix. */
  def isCandidate(ident: Identifier): Boolean = ident.namespace.nonEmpty && parse(ident.name).isDefined

  private def withDatabase(ident: Identifier): Identifier =
    if (ident.namespace.nonEmpty) ident
    else Identifier.of(Array(SparkSession.active.sessionState.catalog.getCurrentDatabase), ident.name)

  private def baseOf(ident: Identifier): Option[Identifier] =
    ident.namespace.lastOption.map(Identifier.of(ident.namespace.init, _))

  private def parse(suffix: String): Option[SuffixedTable] =
    if (suffix.startsWith(BranchPrefix)) Some(OfBranch(suffix.stripPrefix(BranchPrefix)))
    else if (suffix.startsWith(TagPrefix)) Some(OfTag(suffix.stripPrefix(TagPrefix)))
    else MetadataKind.find(suffix).map(OfMetadata(_))

  private def branchOf(name: String, table: LanceTable, branch: String, reference: Reference): Table =
    reference.point match {
      case Reference.Latest =>
        val dataset = TableRefs.open(table.location.store, table.location.root, Reference(Some(branch)))
        OpenedVersions.of(name, table.location.at(dataset), Reference.latest)
      case point @ (_: Reference.Version | _: Reference.AsOf) if reference.branch.isEmpty =>
        OpenedVersions.of(name, table.location, Reference(Some(branch), point))
      case _ => throw twice(name)
    }

  private def tagOf(name: String, table: LanceTable, tag: String, reference: Reference): Table =
    if (reference == Reference.latest)
      OpenedVersions.of(name, table.location, Reference(point = Reference.Tag(tag)))
    else throw twice(name)

  private def twice(name: String) = new LanceUsageException(
    s"The name $name selects a branch or tag, so the statement cannot select another one. Leave one of " +
      "them out."
  )
}
