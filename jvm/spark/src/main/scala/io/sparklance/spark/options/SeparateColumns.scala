package io.sparklance.spark.options

import io.sparklance.LanceUsageException
import io.sparklance.dataset.write.ColumnGroups
import io.sparklance.schema.LanceSchema
import io.sparklance.spark.session.Session

/** Top-level columns that get data files of their own, as option `columnGroups` names them. */
final private[sparklance] case class SeparateColumns(groups: Vector[Vector[String]]) {

  /** Finds the columns in a schema.
    *
    * @throws io.sparklance.LanceUsageException
    *   if it lacks one
    */
  def in(schema: LanceSchema): ColumnGroups = {
    val names = schema.fields.map(_.name)
    ColumnGroups(groups.map(_.map { wanted =>
      names.find(Session.alike(_, wanted)).getOrElse(throw SeparateColumns.unknown(wanted, names))
    }))
  }

  /** Finds those of the columns that a schema has. */
  def among(schema: LanceSchema): ColumnGroups = {
    val names = schema.fields.map(_.name)
    ColumnGroups(groups.map(_.flatMap(wanted => names.find(Session.alike(_, wanted)))).filter(_.nonEmpty))
  }
}

private[sparklance] object SeparateColumns {
  val none: SeparateColumns = SeparateColumns(Vector.empty)

  /** Parses `image; audio, video`: groups with semicolons between them, of names with commas between them. */
  def parse(text: String): SeparateColumns = {
    val groups = text.split(";", -1).map(_.split(",", -1).map(_.trim).toVector).toVector
    if (groups.exists(_.exists(_.isEmpty)))
      throw new IllegalArgumentException(
        "it must be names of columns with commas between them, and semicolons between groups: image; audio, video"
      )
    val names = groups.flatten
    names.find(name => names.count(Session.alike(_, name)) > 1).foreach { twice =>
      throw new IllegalArgumentException(s"column '$twice' is named twice, but has one file")
    }
    SeparateColumns(groups)
  }

  private def unknown(wanted: String, names: Vector[String]): LanceUsageException = new LanceUsageException(
    s"A column group ('columnGroups', 'column_groups') names column '$wanted', but the table's columns are ${names.mkString(", ")}." +
      s"${OptionText.suggestion(wanted, names)} Name some of these; fields of structs stay together."
  )
}
