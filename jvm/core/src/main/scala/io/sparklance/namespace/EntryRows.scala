package io.sparklance.namespace

import java.nio.charset.StandardCharsets.UTF_8

import io.sparklance.LanceFormatException
import io.sparklance.data.{Column, VariableBlock}
import io.sparklance.namespace.NamespaceEntry.{Namespace, Table}
import io.sparklance.schema.{Field, LanceSchema, LogicalType}

/** Entries as rows of the table `__manifest`:
  * {{{
  *   object_id     string         the parts of the name, with a $ between them
  *   object_type   string         namespace or table
  *   location      string?        of a table, its directory below that of all
  *   metadata      string?        its properties, a JSON object of strings
  *   base_objects  list<string>?  of views, which nobody writes yet
  * }}}
  * Rows of other types, and columns that later writers add, are not looked at, and kept.
  */
final private[namespace] class EntryRows(fields: Vector[Field]) {
  private val id = required("object_id")
  private val kind = required("object_type")
  private val location = required("location")
  private val metadata = find("metadata")

  /** Those of a batch, and which rows they are. */
  def read(columns: Vector[Column], rows: Int): Vector[(Int, NamespaceEntry)] =
    Vector.range(0, rows).flatMap(row => entry(columns, row).map(row -> _))

  private def entry(columns: Vector[Column], row: Int): Option[NamespaceEntry] = {
    val name = text(columns(id), row).getOrElse(throw new LanceFormatException("an object has no id"))
    def properties = metadata.flatMap(i => text(columns(i), row)).fold(Map.empty[String, String])(
      PropertiesJson.parse(_, s"metadata of '$name'")
    )
    text(columns(kind), row) match {
      case Some("namespace") => Some(Namespace(EntryRows.parse(name), properties))
      case Some("table") =>
        val place = text(columns(location), row).getOrElse(
          throw new LanceFormatException(s"the table '$name' has no location")
        )
        Some(Table(EntryRows.parse(name), EntryRows.checked(place), properties))
      case _ => None
    }
  }

  /** Appends a row to each column. */
  def append(entry: NamespaceEntry, columns: Vector[Column]): Unit = {
    val (word, place, properties) = entry match {
      case Namespace(_, properties) => ("namespace", None, properties)
      case Table(_, location, properties) => ("table", Some(location), properties)
    }
    val values = Map(id -> EntryRows.id(entry.path), kind -> word) ++
      place.map(location -> _) ++
      metadata.filter(_ => properties.nonEmpty).map(_ -> PropertiesJson.text(properties))
    columns.zipWithIndex.foreach { case (column, i) =>
      values.get(i).fold(column.appendNulls(1))(EntryRows.append(column, _))
    }
  }

  private def text(column: Column, row: Int): Option[String] = column.values match {
    case strings: VariableBlock if !column.nulls.isNull(row) =>
      val from = strings.offsets(row)
      Some(new String(strings.bytes, from, strings.offsets(row + 1) - from, UTF_8))
    case _ => None
  }

  private def find(name: String): Option[Int] =
    Option(fields.indexWhere(f => f.name == name && f.logicalType == EntryRows.Text)).filter(_ >= 0)

  private def required(name: String): Int = find(name).getOrElse(
    throw new LanceFormatException(s"it has no column '$name' of strings, so it is no list of tables")
  )
}

private[namespace] object EntryRows {
  val Delimiter = '$'
  private val Text = LogicalType.Utf8(large = false)

  /** Of a new table. */
  val schema: LanceSchema = {
    def column(name: String, isNullable: Boolean, metadata: Map[String, String] = Map.empty) =
      Field(LanceSchema.NoId, name, Text, isNullable, metadata = metadata)
    LanceSchema(Vector(
      column("object_id", isNullable = false, Map("lance-schema:unenforced-primary-key:position" -> "0")),
      column("object_type", isNullable = false),
      column("location", isNullable = true),
      column("metadata", isNullable = true),
      Field(
        LanceSchema.NoId,
        "base_objects",
        LogicalType.List(large = false, ofStruct = false),
        nullable = true,
        Vector(column("object_id", isNullable = true))
      )
    ))
  }

  def id(path: Vector[String]): String = path.mkString(Delimiter.toString)

  /** At least one part, and each may be empty: others check names less. */
  private def parse(id: String): Vector[String] = id.split(s"\\$Delimiter", -1).toVector

  /** Tables lie below the directory, and DROP deletes them. */
  private def checked(location: String): String = {
    val place = location.stripSuffix("/")
    val parts = place.split("/", -1)
    val leaves = parts.exists(part => part.isEmpty || part == "." || part == "..")
    if (leaves || parts.head == NamespaceManifest.Name || place.contains("://"))
      throw new LanceFormatException(s"'$location' is no place in the directory")
    else place
  }

  private def append(column: Column, text: String): Unit = column.values match {
    case strings: VariableBlock =>
      val bytes = text.getBytes(UTF_8)
      strings.append(bytes, 0, bytes.length)
      column.nulls.appendValid(1)
    case other => throw new IllegalStateException(s"strings for a ${other.getClass}")
  }
}
