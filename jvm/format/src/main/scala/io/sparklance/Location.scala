package io.sparklance

/** Position of invalid bytes. Each part is filled in by the first layer that knows it.
  *
  * @param version
  *   version of the table
  */
final case class Location(
    file: Option[String] = None,
    column: Option[String] = None,
    page: Option[Int] = None,
    offset: Option[Long] = None,
    version: Option[Long] = None
) {

  /** This location, completed by what `outer` knows and this one does not. */
  def within(outer: Location): Location = Location(
    file.orElse(outer.file),
    column.orElse(outer.column),
    page.orElse(outer.page),
    offset.orElse(outer.offset),
    version.orElse(outer.version)
  )

  /** The parts that are known, by their names. */
  def parts: Seq[(String, String)] = Seq(
    file.map("file" -> _),
    version.map(v => "version" -> java.lang.Long.toUnsignedString(v)),
    column.map("column" -> _),
    page.map(p => "page" -> p.toString),
    offset.map(o => "offset" -> o.toString)
  ).flatten

  override def toString: String = parts.map { case (name, value) => s"$name $value" }.mkString(", ")
}
