package io.sparklance.namespace

import java.nio.charset.StandardCharsets.UTF_8

import io.sparklance.LanceFormatException
import io.sparklance.data.{Column, ColumnCopy, VariableBlock}
import io.sparklance.namespace.NamespaceEntry.{Foreign, Namespace, Table}
import io.sparklance.schema.{Field, LanceSchema, LogicalType}

/** Entries as rows of the table `__manifest`:
  * {{{
  *   object_id     string         the parts of the name, with a $ between them
  *   object_type   string         namespace or table
  *   location      string?        of a table: its directory, relative to the root
  *   metadata      string?        its properties, a JSON object of strings
  *   base_objects  list<string>?  of views, which no software writes yet
  * }}}
  * Rows of other types, and columns of later writers, are kept. An invalid row is an error only for
  * statements that need it.
  */
final private[namespace] class EntryRows(fields: Vector[Field]) {
  private val id = required("object_id")
  private val kind = required("object_type")
  private val location = required("location")
  private val metadata = find("metadata")

  /** Returns the entries of a batch with their row numbers. */
  def read(columns: Vector[Column], rows: Int): Vector[(Int, NamespaceEntry)] =
    Vector.range(0, rows).flatMap(row => entry(columns, row).map(row -> _))

  private def entry(columns: Vector[Column], row: Int): Option[NamespaceEntry] =
    text(columns(id), row).map { name =>
      val path = EntryRows.parse(name)
      def properties = metadata.flatMap(i => text(columns(i), row))
      text(columns(kind), row) match {
        case Some(EntryRows.NamespaceKind) => Namespace(path, properties)
        case Some(EntryRows.TableKind) => Table(path, text(columns(location), row), properties)
        case other => Foreign(path, other.getOrElse("null"))
      }
    }

  /** Appends a row to each column. */
  def append(entry: NamespaceEntry, columns: Vector[Column]): Unit = {
    val values = this.values(entry)
    columns.zipWithIndex.foreach { case (column, i) => appendValue(column, values.get(i).flatten) }
  }

  /** Appends an existing row with the values of `entry`, and unchanged values in all other columns. */
  def appendChanged(entry: NamespaceEntry, from: Vector[Column], row: Int, columns: Vector[Column]): Unit = {
    val values = this.values(entry)
    columns.zipWithIndex.foreach { case (column, i) =>
      values.get(i).fold(ColumnCopy.append(from(i), row, row + 1, column))(appendValue(column, _))
    }
  }

  private def values(entry: NamespaceEntry): Map[Int, Option[String]] = {
    val (word, place, properties) = entry match {
      case Namespace(_, metadata) => (EntryRows.NamespaceKind, None, metadata)
      case Table(_, location, metadata) => (EntryRows.TableKind, location, metadata)
      case Foreign(_, kind) => throw new IllegalStateException(s"a $kind is not ours to write")
    }
    Map(id -> Some(EntryRows.id(entry.path)), kind -> Some(word), location -> place) ++
      metadata.map(_ -> properties)
  }

  private def appendValue(column: Column, value: Option[String]): Unit =
    value.fold(column.appendNulls(1))(EntryRows.append(column, _))

  private def text(column: Column, row: Int): Option[String] = column.values match {
    case strings: VariableBlock if !column.nulls.isNull(row) =>
      val from = strings.offsets(row)
      Some(new String(strings.bytes, from, strings.offsets(row + 1) - from, UTF_8))
    case _ => None
  }

  private def find(name: String): Option[Int] =
    Option(fields.indexWhere(f => f.name == name && f.logicalType == EntryRows.Text)).filter(_ >= 0)

  private def required(name: String): Int = find(name).getOrElse(
    throw new LanceFormatException(s"it has no column '$name' of strings, so it is not a list of tables")
  )
}

private[namespace] object EntryRows {
  val Delimiter = '$'
  private val NamespaceKind = "namespace"
  private val TableKind = "table"
  private val Text = LogicalType.Utf8(large = false)

  /** Schema of a new table. */
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

  /** Splits an id into at least one part. Parts may be empty: other software checks names less. */
  private def parse(id: String): Vector[String] = id.split(s"\\$Delimiter", -1).toVector

  private def append(column: Column, text: String): Unit = column.values match {
    case strings: VariableBlock =>
      val bytes = text.getBytes(UTF_8)
      strings.append(bytes, 0, bytes.length)
      column.nulls.appendValid(1)
    case other => throw new IllegalStateException(s"strings for a ${other.getClass}")
  }
}
