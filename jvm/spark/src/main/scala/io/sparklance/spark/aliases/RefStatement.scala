package io.sparklance.spark.aliases

import java.util.Locale

import io.sparklance.UnsupportedLanceFeatureException
import io.sparklance.spark.aliases.Alias.{Keyword, Statement, VersionName, text}
import io.sparklance.spark.aliases.Settings.Name
import io.sparklance.spark.aliases.Token.Word

/** Statements such as `ALTER TABLE t CREATE TAG v AS OF VERSION 3`, known from Iceberg.
  *
  * @param verb
  *   such as CREATE
  * @param kind
  *   TAG or BRANCH
  * @param takes
  *   syntax after the name
  */
final private case class RefStatement(
    verb: String,
    kind: String,
    override val procedure: String,
    takes: String = ""
) extends Statement(procedure, List("ALTER", "TABLE"), s" $verb $kind name$takes") {

  override def isMeant(clauses: List[Token]): Boolean = clauses match {
    case Keyword(`verb`) :: Keyword(`kind`) :: _ => true
    case _ => false
  }

  def arguments(clauses: List[Token]): Vector[(String, String)] = clauses.drop(2) match {
    case Keyword("IF") :: Keyword("NOT") :: Keyword("EXISTS") :: rest if verb == "CREATE" =>
      named(rest, clauses) :+ ("if_not_exists" -> "true")
    case Keyword("IF") :: Keyword("EXISTS") :: rest if verb == "DROP" =>
      named(rest, clauses) :+ ("if_exists" -> "true")
    case Keyword("IF") :: Keyword("NOT" | "EXISTS") :: _ => throw unsupported("IF [NOT] EXISTS")
    case rest => named(rest, clauses)
  }

  private def named(tokens: List[Token], all: List[Token]): Vector[(String, String)] = tokens match {
    case Name(name) :: rest => (kind.toLowerCase(Locale.ROOT) -> text(name)) +: clauses(rest, all)
    case _ => throw misread(all)
  }

  private def clauses(rest: List[Token], all: List[Token]): Vector[(String, String)] = {
    val (point, retention) = rest.span {
      case Keyword("RETAIN" | "WITH") => false
      case _ => true
    }
    version(point, all) ++ retained(retention, all)
  }

  private def retained(tokens: List[Token], all: List[Token]): Vector[(String, String)] = tokens match {
    case Nil => Vector.empty
    case _ if kind != "TAG" || takes.isEmpty => throw unsupported("RETAIN (it stays until it is dropped)")
    case Keyword("RETAIN") :: Word(number) :: Keyword(unit @ ("DAYS" | "HOURS" | "MINUTES")) :: Nil
        if number.forall(_.isDigit) =>
      Vector("retain" -> text(s"$number ${unit.toLowerCase(Locale.ROOT)}"))
    case _ => throw misread(all)
  }

  private def version(rest: List[Token], all: List[Token]): Vector[(String, String)] = rest match {
    case Nil => Vector.empty
    case Keyword("AS") :: Keyword("OF") :: point if takes.nonEmpty =>
      Vector("version" -> text(reference(point).getOrElse(throw misread(all))))
    case _ => throw misread(all)
  }

  /** Returns the version that is meant, as procedures take it. */
  private def reference(point: List[Token]): Option[String] = point match {
    case Keyword("VERSION") :: VersionName(version) :: Nil => Some(version)
    case Keyword("TAG") :: Name(name) :: Nil => Some(name)
    case Keyword("BRANCH") :: Name(name) :: Nil => Some(name)
    case Keyword("BRANCH") :: Name(name) :: Keyword("VERSION") :: Word(number) :: Nil =>
      Some(s"$name:$number")
    case _ => None
  }

  private def unsupported(clause: String) =
    new UnsupportedLanceFeatureException(s"ALTER TABLE … $verb $kind with $clause")
}

private object RefStatement {
  private val at = " [AS OF {VERSION version | TAG name | BRANCH name [VERSION version]}]"

  val all: List[Statement] = List(
    RefStatement("CREATE", "TAG", "create_tag", s"$at [RETAIN number DAYS]"),
    RefStatement("REPLACE", "TAG", "update_tag", s"$at [RETAIN number DAYS]"),
    RefStatement("DROP", "TAG", "delete_tag"),
    RefStatement("CREATE", "BRANCH", "create_branch", at),
    RefStatement("DROP", "BRANCH", "delete_branch")
  )
}
