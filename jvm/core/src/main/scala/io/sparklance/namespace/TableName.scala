package io.sparklance.namespace

import io.sparklance.LanceUsageException

/** The name of a table in a directory. */
final case class TableName(namespace: Vector[String], name: String) {
  def path: Vector[String] = namespace :+ name
  override def toString: String = path.mkString(".")
}

object TableName {

  /** Refuses what cannot be a part of a name: it becomes one of a directory's, and of an id. */
  def check(part: String): Unit = {
    val why =
      if (part.isEmpty) Some("it is empty")
      else if (part.contains(EntryRows.Delimiter))
        Some(s"'${EntryRows.Delimiter}' separates the parts of names where they are kept")
      else if (part.exists(c => c == '/' || c == '\\' || c.isControl)) Some("it becomes a directory's name")
      else if (part == "." || part == "..") Some("that is a directory's own name")
      else None
    why.foreach { reason =>
      throw new LanceUsageException(
        s"A table or namespace of a directory cannot be called '$part': $reason. Choose another name."
      )
    }
  }
}
