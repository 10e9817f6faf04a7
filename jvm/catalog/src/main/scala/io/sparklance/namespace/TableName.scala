package io.sparklance.namespace

import io.sparklance.LanceUsageException

/** The name of a table in a directory. */
final private[sparklance] case class TableName(namespace: Vector[String], name: String) {
  def path: Vector[String] = namespace :+ name

  /** Whether the name is valid.
    *
    * @param delimiter
    *   text between the parts of names, where they are kept
    */
  def isValid(delimiter: String): Boolean = path.forall(TableName.fault(_, delimiter).isEmpty)

  /** Refuses an invalid name of a directory. */
  def check(): Unit = path.foreach(TableName.check(_))

  override def toString: String = path.mkString(".")
}

private[sparklance] object TableName {

  /** Refuses an invalid part of a name. Parts become directory names and parts of ids. */
  def check(part: String, delimiter: String = EntryRows.Delimiter.toString): Unit = fault(
    part,
    delimiter
  ).foreach { reason =>
    throw new LanceUsageException(
      s"A table or namespace of a catalog cannot be called '${printable(part)}': $reason. Choose another name. Only the " +
        "catalog lance takes paths: lance.`/directory/of/the/table`."
    )
  }

  private def fault(part: String, delimiter: String): Option[String] =
    if (part.isEmpty) Some("it is empty")
    else if (part.contains(delimiter))
      Some(s"'$delimiter' separates the parts of names where they are kept")
    else if (part.exists(_.isControl)) Some("it becomes a directory's name, which has no control characters")
    else if (part.exists(c => c == '/' || c == '\\'))
      Some("it becomes a directory's name, which has no slash and no backslash")
    else if (part == "." || part == "..") Some("that is a directory's own name")
    else None

  private def printable(part: String): String =
    part.map(c => if (c.isControl) f"\\u${c.toInt}%04x" else c.toString).mkString
}
