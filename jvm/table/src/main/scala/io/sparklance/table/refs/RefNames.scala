package io.sparklance.table.refs

import java.net.{URLDecoder, URLEncoder}
import java.nio.charset.StandardCharsets.UTF_8

import io.sparklance.LanceUsageException

/** Names of tags and branches, which become names of files and directories. The rules are the format's. */
private[sparklance] object RefNames {

  /** Name of the branch without a name. */
  val Main = "main"

  /** Directories of a branch's own files, which no branch name may use. */
  private val directoriesOfTables = Set("data", "tree")

  def checkTag(name: String): Unit = fault(name).foreach(refuse("tag", name, _))

  def checkBranch(name: String): Unit = {
    val parts = name.split("/", -1).toVector
    val wrong =
      if (name == Main) Some("it is the name of the table's own history")
      else if (parts.contains("")) Some("none of the parts between slashes may be empty")
      else parts.flatMap(fault).headOption
    wrong.foreach(refuse("branch", name, _))
  }

  /** Validates the name of a new branch, more strictly than those of existing ones. */
  def checkNewBranch(name: String): Unit = {
    checkBranch(name)
    name.split('/').tail.find(isOfTable).foreach { part =>
      refuse("branch", name, s"a branch has a directory '$part' of its own")
    }
  }

  /** Whether a table may have a directory of that name. */
  private[refs] def isOfTable(part: String): Boolean = directoriesOfTables(part) || part.startsWith("_")

  private def fault(part: String): Option[String] =
    if (part.isEmpty) Some("it is empty")
    else if (!part.codePoints.allMatch(c => Character.isLetterOrDigit(c) || c == '.' || c == '-' || c == '_'))
      Some("it may have letters, digits, '.', '-' and '_'")
    else if (part.startsWith(".") || part.endsWith(".") || part.contains(".."))
      Some("a dot must stand between other characters")
    else if (part.endsWith(".lock")) Some("it must not end in .lock")
    else None

  private def refuse(kind: String, name: String, why: String): Unit =
    throw new LanceUsageException(s"A $kind cannot be called '$name': $why. Choose another name.")

  /** Lists existing names for an error. */
  def listed(names: Vector[String]): String =
    if (names.isEmpty) "none" else names.mkString(", ")

  /** Returns the file name without suffix: all but ASCII letters, digits, '.', '-' and '_' is
    * percent-encoded.
    */
  private[refs] def encode(name: String): String = URLEncoder.encode(name, UTF_8)

  /** Decodes a file name; None if it is not a valid encoding. */
  private[refs] def decode(encoded: String): Option[String] =
    try Option(URLDecoder.decode(encoded, UTF_8)).filter(name =>
        encode(name) == encoded && !encoded.contains('+')
      )
    catch { case _: IllegalArgumentException => None }
}
