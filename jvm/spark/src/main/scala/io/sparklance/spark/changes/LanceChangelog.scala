package io.sparklance.spark.changes

import java.util.Optional

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.catalyst.util.DateTimeUtils
import org.apache.spark.sql.connector.catalog.{
  Changelog,
  ChangelogContext,
  ChangelogRange,
  Column,
  Identifier,
  TableCatalog
}
import org.apache.spark.sql.connector.expressions.{Expressions, NamedReference}
import org.apache.spark.sql.connector.read.ScanBuilder
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import io.sparklance.LanceUsageException
import io.sparklance.dataset.snapshot.MetadataColumn
import io.sparklance.spark.errors.SparkErrors.translating
import io.sparklance.spark.options.RangeOptions
import io.sparklance.spark.table.LanceTable
import io.sparklance.spark.types.PlainColumns

/** Catalogs whose tables have a change feed in SQL: `SELECT … FROM t CHANGES FROM VERSION 1`.
  *
  * Spark has these types from 4.2 on. An earlier Spark must load the catalogs without them, so the method
  * does nothing but pass them on.
  */
private[spark] trait ChangelogCatalog { this: TableCatalog =>
  def loadChangelog(
      ident: Identifier,
      context: ChangelogContext,
      options: CaseInsensitiveStringMap
  ): Changelog = LanceChangelog.load(this, ident, context, options)
}

/** The change feed of a table, as Spark asks for it from 4.2 on. Updates are marked as such, and rows that
  * only moved are left out; Spark computes net changes. An earlier Spark does not load this class.
  *
  * @param range
  *   options for the range
  * @param options
  *   those that Spark 4.3 tells when it loads the changelog: none
  */
final private class LanceChangelog(
    table: LanceTable,
    range: Map[String, String],
    options: CaseInsensitiveStringMap
) extends Changelog {
  private val feed = withOptions(options)

  override def name(): String = table.name
  override def columns(): Array[Column] = PlainColumns.of(feed.schema())
  override def containsCarryoverRows(): Boolean = false
  override def containsIntermediateChanges(): Boolean = true
  override def representsUpdateAsDeleteAndInsert(): Boolean = false
  override def rowId(): Array[NamedReference] = Array(Expressions.column(MetadataColumn.RowId.name))
  override def toString: String = feed.toString

  /** Spark tells the options of a read here. */
  override def newScanBuilder(ofRead: CaseInsensitiveStringMap): ScanBuilder = translating {
    val read = withOptions(ofRead)
    if (read.schema() != feed.schema()) throw LanceChangelog.otherTypes
    read.newScanBuilder(ofRead)
  }

  private def withOptions(settings: CaseInsensitiveStringMap): ChangesTable = {
    val others = settings.asCaseSensitiveMap.asScala.filterNot { case (key, _) =>
      LanceChangelog.OfSpark(key.toLowerCase(java.util.Locale.ROOT))
    }
    val all = others ++ range ++ Map(RangeOptions.ReadChangeFeed.name -> "true")
    ChangesTable.at(table.dataset, table.location, new CaseInsensitiveStringMap(all.asJava))
  }

  override def equals(other: Any): Boolean = other match {
    case that: LanceChangelog => feed == that.feed
    case _ => false
  }
  override def hashCode: Int = feed.hashCode
}

private object LanceChangelog {

  /** Options that Spark itself reads. */
  val OfSpark: Set[String] = Set(
    "startingversion",
    "endingversion",
    "startingtimestamp",
    "endingtimestamp",
    "startingboundinclusive",
    "endingboundinclusive",
    "deduplicationmode",
    "computeupdates"
  )

  /** @param ident
    *   of a table whose latest version the catalog loads
    */
  def load(
      catalog: TableCatalog,
      ident: Identifier,
      context: ChangelogContext,
      options: CaseInsensitiveStringMap
  ): Changelog = translating {
    catalog.loadTable(ident) match {
      case table: LanceTable => new LanceChangelog(table, ends(context.range), options)
      case other => throw new LanceUsageException(
          s"${other.name} is no Lance table, so it has no change feed. Name a Lance table."
        )
    }
  }

  private def otherTypes = new LanceUsageException(
    "Options 'lossyValues' and 'blobHandling' change types of columns, which Spark has resolved before. Set spark.datasource.lance.lossyValues " +
      "and spark.datasource.lance.blobHandling for the session."
  )

  /** Returns the options for a range. */
  private def ends(range: ChangelogRange): Map[String, String] = range match {
    case versions: ChangelogRange.VersionRange =>
      val start = moved(versions.startingVersion, if (versions.startingBoundInclusive) 0 else 1)
      val end = found(versions.endingVersion).map(moved(_, if (versions.endingBoundInclusive) 0 else -1))
      Map(RangeOptions.StartingVersion.name -> start) ++ end.map(RangeOptions.EndingVersion.name -> _)
    case times: ChangelogRange.TimestampRange =>
      val start = times.startingTimestamp + (if (times.startingBoundInclusive) 0 else 1)
      val end = found(times.endingTimestamp).map(_.longValue - (if (times.endingBoundInclusive) 0 else 1))
      Map(RangeOptions.StartingTimestamp.name -> time(start)) ++
        end.map(micros => RangeOptions.EndingTimestamp.name -> time(micros))
    case _: ChangelogRange.UnboundedRange => Map.empty
    case other =>
      throw new LanceUsageException(s"The range of changes $other is not known. Name versions or times.")
  }

  /** Returns a neighbour of a version; a text that is no number is refused with the options. */
  private def moved(version: String, by: Int): String =
    version.trim.toLongOption.fold(version)(number => (number + by).toString)

  private def time(micros: Long): String = DateTimeUtils.microsToInstant(micros).toString

  private def found[A](value: Optional[A]): Option[A] = Option(value.orElse(null.asInstanceOf[A]))
}
