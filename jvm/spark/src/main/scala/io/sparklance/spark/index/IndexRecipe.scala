package io.sparklance.spark.index

import io.sparklance.LanceUsageException
import io.sparklance.dataset.Dataset
import io.sparklance.dataset.snapshot.MetadataColumn
import io.sparklance.index.IndexKind
import io.sparklance.index.build.{IndexedColumn, SegmentDetails, StoredSegment, StoredSettings}
import io.sparklance.index.vector.build.VectorIndexKind
import io.sparklance.schema.LogicalTypes

/** A kind of index with its settings, and the job that builds it. */
abstract private[index] class IndexRecipe {

  /** Name of the kind. */
  def name: String

  /** The kind of its segments, in the manifest. */
  def details(dataset: Dataset): SegmentDetails

  /** The numbers by which the index knows rows. */
  def numbers: MetadataColumn

  /** Whether the kind can index a field. */
  def fits(column: IndexedColumn): Boolean

  /** Types of fields that the kind can index, for errors. */
  def takes: String

  /** Returns settings with which the kind is built as this one, from those that a description of an index
    * has.
    */
  def shown(described: Map[String, String]): Map[String, String] = described

  /** Writes the files of new segments. Without a row that can be indexed there may be none. */
  def segments(work: IndexWork): Vector[BuiltSegment]

  /** Tells what to do about a field that the kind cannot index. */
  def cure(column: IndexedColumn): String = "Choose another column, or another type of index."

  final def check(column: IndexedColumn): Unit = if (!fits(column) || column.field.isBlob)
    throw new LanceUsageException(
      s"Column '${column.name}' is of type ${LogicalTypes.print(column.field.logicalType)}, which an index of type " +
        s"$name cannot hold: it takes $takes. ${cure(column)}"
    )
}

private[index] object IndexRecipe {

  def of(kind: RequestedKind): IndexRecipe = {
    val settings = new IndexSettings(kind.name, kind.settings)
    kind.name.toUpperCase(java.util.Locale.ROOT) match {
      case "BTREE" => BTreeRecipe.of(settings)
      case "BITMAP" => plain(settings)(new BitmapRecipe(ofItems = false))
      case "LABEL_LIST" | "LABELLIST" => plain(settings)(new BitmapRecipe(ofItems = true))
      case "NGRAM" => plain(settings)(new NGramRecipe)
      case "ZONEMAP" => ZoneRecipe.zoneMap(settings)
      case "BLOOMFILTER" => ZoneRecipe.bloomFilter(settings)
      case TextRecipe.Name | "FTS" => TextRecipe.of(settings)
      case name => VectorIndexKind.parse(name).fold(throw unknown(kind.name))(VectorRecipe.of(_, settings))
    }
  }

  /** Names of all kinds, for errors. */
  val names: Vector[String] =
    (IndexKind.all.map(_.name) :+ TextRecipe.Name) ++ VectorIndexKind.all.map(_.name)

  /** Returns the recipe for further segments of an index; None for kinds that cannot be built.
    *
    * @param retrains
    *   whether all of it is built again
    */
  def stored(
      dataset: Dataset,
      column: IndexedColumn,
      segments: Vector[StoredSegment],
      retrains: Boolean
  ): Option[IndexRecipe] =
    StoredSettings.of(dataset, segments.head).map { case (kind, settings) =>
      of(RequestedKind(kind, settings))
    }
      .orElse(TextRecipe.stored(dataset, segments))
      .orElse(VectorRecipe.stored(dataset, column, segments, retrains))

  /** A kind without settings. */
  private def plain(settings: IndexSettings)(recipe: IndexRecipe): IndexRecipe = {
    settings.only()
    recipe
  }

  private def unknown(kind: String) = new LanceUsageException(
    s"There is no index type '$kind' that can be built. Choose one of ${names.mkString(", ")}."
  )
}
