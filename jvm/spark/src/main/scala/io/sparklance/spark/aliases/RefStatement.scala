package io.sparklance.spark.aliases

import java.util.Locale

import io.sparklance.UnsupportedLanceFeatureException
import io.sparklance.spark.aliases.Alias.{Keyword, Statement, VersionName, text}
import io.sparklance.spark.aliases.Token.{QuotedName, Word}

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
    case Keyword("IF") :: Keyword("NOT" | "EXISTS") :: _ => throw unsupported("IF [NOT] EXISTS")
    case (name @ (Word(_) | QuotedName(_))) :: rest =>
      (kind.toLowerCase(Locale.ROOT) -> text(RefStatement.unquoted(name.text))) +: version(rest, clauses)
    case _ => throw misread(clauses)
  }

  private def version(rest: List[Token], all: List[Token]): Vector[(String, String)] = rest match {
    case Nil => Vector.empty
    case Keyword("AS") :: Keyword("OF") :: Keyword("VERSION") :: VersionName(version) :: Nil
        if takes.nonEmpty =>
      Vector("version" -> text(version))
    case _ if rest.exists {
          case Keyword(word) => word == "RETAIN" || word == "RETENTION"; case _ => false
        } =>
      throw unsupported("RETAIN (it stays until it is dropped)")
    case _ => throw misread(all)
  }

  private def unsupported(clause: String) =
    new UnsupportedLanceFeatureException(s"ALTER TABLE … $verb $kind with $clause")
}

private object RefStatement {
  private val at = " [AS OF VERSION version]"

  val all: List[Statement] = List(
    RefStatement("CREATE", "TAG", "create_tag", at),
    RefStatement("REPLACE", "TAG", "update_tag", at),
    RefStatement("DROP", "TAG", "delete_tag"),
    RefStatement("CREATE", "BRANCH", "create_branch", at),
    RefStatement("DROP", "BRANCH", "delete_branch")
  )

  private def unquoted(name: String): String =
    if (name.startsWith("`")) name.substring(1, name.length - 1).replace("``", "`") else name
}
