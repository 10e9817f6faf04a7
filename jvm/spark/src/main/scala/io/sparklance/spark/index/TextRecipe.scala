package io.sparklance.spark.index

import io.sparklance.LanceUsageException
import io.sparklance.dataset.Dataset
import io.sparklance.dataset.snapshot.MetadataColumn
import io.sparklance.index.build.{IndexedColumn, SegmentDetails, StoredSegment}
import io.sparklance.index.text.build.{StoredText, TextForm, TextSupport}
import io.sparklance.schema.{Field, LogicalType}

/** Builds full-text indices.
  *
  * @param stored
  *   details of the existing segments of the index, if there are some
  */
final private[index] class TextRecipe(
    form: TextForm,
    resources: TextResources = TextResources(None, None),
    stored: Option[SegmentDetails] = None
) extends IndexRecipe {
  def name: String = TextRecipe.Name
  def details(dataset: Dataset): SegmentDetails = stored.getOrElse(form.details)
  def numbers: MetadataColumn = MetadataColumn.RowId

  override def shown(described: Map[String, String]): Map[String, String] = described.filter {
    case (key, value) => TextIndexSettings.names.contains(key) && value != "null"
  }

  def fits(column: IndexedColumn): Boolean = column.path.size == 1 && TextRecipe.isText(column.field)

  def takes: String = "strings and arrays of strings that are no fields of structs"

  def segments(work: IndexWork): Vector[BuiltSegment] =
    Vector(new TextJobs(work, form, resources).build())
}

/** Limits that the user gives.
  *
  * @param memoryBytes
  *   of all tasks together
  * @param tasks
  *   that read texts
  */
final private[index] case class TextResources(memoryBytes: Option[Long], tasks: Option[Int])

private[index] object TextRecipe {
  val Name = "INVERTED"

  def of(settings: IndexSettings): TextRecipe = {
    settings.only(TextIndexSettings.names: _*)
    val form = TextIndexSettings.form(settings)
    TextSupport.refusal(form).foreach(reason => throw new LanceUsageException(reason))
    val resources = TextResources(
      settings.number("memory_limit", 1, 1L << 30).map(_ << 20),
      settings.number("num_workers", 1, 100000).map(_.toInt)
    )
    new TextRecipe(form, resources)
  }

  /** Returns the recipe for further segments of an existing index. */
  def stored(dataset: Dataset, segments: Vector[StoredSegment]): Option[TextRecipe] =
    StoredText.of(dataset, segments.head).map(text =>
      new TextRecipe(text.form, stored = Some(text.details))
    )

  private def isText(field: Field): Boolean = field.logicalType match {
    case LogicalType.Utf8(_) => true
    case LogicalType.List(_, false) => field.children.exists(_.logicalType match {
        case LogicalType.Utf8(_) => true
        case _ => false
      })
    case _ => false
  }
}
