package io.sparklance.spark.aliases

import org.apache.spark.sql.catalyst.parser.CatalystSqlParser

import io.sparklance.UnsupportedLanceFeatureException
import io.sparklance.spark.aliases.Alias.{Keyword, Statement, VersionName, text}
import io.sparklance.spark.aliases.Token.{Literal, Word}
import io.sparklance.spark.procedures.TableArgument

/** `CREATE TABLE u SHALLOW CLONE t [VERSION AS OF n] [LOCATION '/path']`, as in Delta Lake. The target is a
  * path, or a name with a LOCATION.
  *
  * @param start
  *   the words before the target
  */
final private case class CloneStatement(start: List[String]) extends Statement("shallow_clone", start) {

  override def usage: String =
    "CREATE TABLE target SHALLOW CLONE table [VERSION AS OF version] [LOCATION 'path']"

  /** Puts the target before the clauses. */
  override def split(tokens: List[Token]): Option[(String, List[Token])] = {
    val (condition, rest) = tokens match {
      case Keyword("IF") :: Keyword("NOT") :: Keyword("EXISTS") :: more => (tokens.take(3), more)
      case _ => (Nil, tokens)
    }
    Alias.table(rest).collect { case (target, Keyword("SHALLOW") :: Keyword("CLONE") :: source) =>
      Alias.table(source).map { case (table, clauses) => (table, Word(target) :: clauses ++ condition) }
    }.flatten
  }

  def arguments(clauses: List[Token]): Vector[(String, String)] = {
    if (start != CloneStatement.Create || clauses.lastOption.exists(_.text.equalsIgnoreCase("EXISTS")))
      throw unsupported("OR REPLACE or IF NOT EXISTS (drop the table first)")
    val target = clauses.head.text
    val (version, rest) = clauses.tail match {
      case Keyword("VERSION") :: Keyword("AS") :: Keyword("OF") :: VersionName(version) :: more =>
        (Vector("version" -> text(version)), more)
      case Keyword("TIMESTAMP") :: _ => throw unsupported("TIMESTAMP AS OF (name the version)")
      case more => (Vector.empty, more)
    }
    val place = (path(target), rest) match {
      case (Some(path), Nil) => Vector("target" -> text(path))
      case (None, List(Keyword("LOCATION"), location: Literal)) =>
        Vector("target" -> text(location.value), "name" -> text(target))
      case (None, Nil) => throw unsupported("a name but no place (add LOCATION '/path')")
      case _ => throw misread(rest)
    }
    place ++ version
  }

  /** Returns the path of a target such as ``lance.`/path` ``. */
  private def path(target: String): Option[String] =
    if (TableArgument.isPath(target)) Some(target)
    else
      CatalystSqlParser.parseMultipartIdentifier(target) match {
        case Seq(_, path) if path.contains('/') => Some(path)
        case _ => None
      }

  private def unsupported(clause: String) =
    new UnsupportedLanceFeatureException(s"CREATE TABLE … SHALLOW CLONE with $clause")
}

private object CloneStatement {
  private val Create = List("CREATE", "TABLE")

  val all: List[Statement] =
    List(CloneStatement(Create), CloneStatement(List("CREATE", "OR", "REPLACE", "TABLE")))
}
