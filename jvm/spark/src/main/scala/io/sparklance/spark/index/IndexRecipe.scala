package io.sparklance.spark.index

import io.sparklance.LanceUsageException
import io.sparklance.index.IndexKind
import io.sparklance.index.build.{IndexedColumn, SegmentKind}
import io.sparklance.schema.LogicalTypes

/** A kind of index with its settings, and the job that builds it. */
abstract private[index] class IndexRecipe(val kind: SegmentKind) {

  /** Whether the kind can index a field. */
  def fits(column: IndexedColumn): Boolean

  /** Types of fields that the kind can index, for errors. */
  def takes: String

  /** Writes the files of a segment. */
  def build(work: IndexWork): BuiltSegment

  final def check(column: IndexedColumn): Unit = if (!fits(column) || column.field.isBlob)
    throw new LanceUsageException(
      s"Column '${column.name}' is of type ${LogicalTypes.print(column.field.logicalType)}, which an index of type " +
        s"${kind.name} cannot hold: it takes $takes. Choose another column, or another type of index."
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
      case _ => throw unknown(kind.name)
    }
  }

  /** Names of all kinds, for errors. */
  val names: Vector[String] = IndexKind.all.map(_.name)

  /** A kind without settings. */
  private def plain(settings: IndexSettings)(recipe: IndexRecipe): IndexRecipe = {
    settings.only()
    recipe
  }

  private def unknown(kind: String) = new LanceUsageException(
    s"There is no index type '$kind' that can be built. Choose one of ${names.mkString(", ")}."
  )
}
