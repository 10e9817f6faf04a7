package io.sparklance.spark.schemachange

import io.sparklance.LanceUsageException
import io.sparklance.schema.{Field, LanceSchema, LogicalType}
import io.sparklance.spark.session.Session

/** Finds fields by their path of names, outermost first, in Spark's terms: a list's items are its `element`,
  * and a map has `key` and `value`. Lance's own names of these fields work, too.
  */
private[spark] object ColumnPaths {

  def find(schema: LanceSchema, names: Seq[String]): Option[Field] =
    names.tail.foldLeft(schema.fields.find(is(_, names.head)))((found, name) =>
      found.flatMap(within(_, name))
    )

  def field(schema: LanceSchema, names: Seq[String]): Field = find(schema, names).getOrElse(
    throw new LanceUsageException(
      s"There is no column '${text(names)}'; the columns are " +
        s"${schema.fields.map(_.name).mkString(", ")}. Nested fields are named <struct>.<field>, " +
        "<list>.element, <map>.key or <map>.value."
    )
  )

  /** Finds a field by names separated by dots; a name may contain dots itself. */
  def ofText(schema: LanceSchema, path: String): Field = {
    val parts = path.split("\\.", -1).toVector
    def from(found: Option[Field], rest: Vector[String]): Option[Field] =
      if (rest.isEmpty) found
      else
        (1 to rest.size).iterator.flatMap { n =>
          val name = rest.take(n).mkString(".")
          val next = found.fold(schema.fields.find(is(_, name)))(within(_, name))
          next.flatMap(field => from(Some(field), rest.drop(n)))
        }.nextOption()
    from(None, parts).getOrElse(field(schema, parts))
  }

  /** Returns the parent of a field, if it is not a column. */
  def parent(schema: LanceSchema, names: Seq[String]): Option[Field] =
    Option.when(names.size > 1)(field(schema, names.init))

  /** Returns the fields with the same parent, including the field itself. */
  def siblings(schema: LanceSchema, names: Seq[String]): Vector[Field] =
    parent(schema, names).fold(schema.fields)(_.children)

  def text(names: Seq[String]): String = names.mkString(".")

  private def within(field: Field, name: String): Option[Field] = (field.logicalType, field.children) match {
    case (LogicalType.Map, Vector(entries)) =>
      if (name.equalsIgnoreCase("key")) entries.children.headOption
      else if (name.equalsIgnoreCase("value")) entries.children.lift(1)
      else Option.when(is(entries, name))(entries)
    case (LogicalType.List(_, _) | LogicalType.FixedSizeList(_, _), Vector(item)) =>
      Option.when(name.equalsIgnoreCase("element") || is(item, name))(item)
    case (_, children) => children.find(is(_, name))
  }

  private def is(field: Field, name: String): Boolean = Session.alike(field.name, name)
}
