package io.sparklance.spark.aliases

import java.util.Locale

import io.sparklance.spark.aliases.Alias.{Keyword, Statement, text}
import io.sparklance.spark.aliases.Settings.{Name, entries}
import io.sparklance.spark.aliases.Token.Sign

/** Statements about an index of a table, as known from lance-spark: `ALTER TABLE t CREATE INDEX …`.
  *
  * @param verb
  *   such as CREATE
  * @param takes
  *   syntax after the name
  */
sealed abstract private class IndexStatement(verb: String, procedure: String, takes: String)
    extends Statement(procedure, List("ALTER", "TABLE"), s" $verb INDEX $takes") {

  override def isMeant(clauses: List[Token]): Boolean = clauses match {
    case Keyword(`verb`) :: Keyword("INDEX") :: _ => true
    case _ => false
  }

  def arguments(clauses: List[Token]): Vector[(String, String)] =
    parsed(clauses.drop(2)).getOrElse(throw misread(clauses))

  /** Parses the tokens after INDEX. */
  protected def parsed(clauses: List[Token]): Option[Vector[(String, String)]]
}

private object IndexStatement {

  /** `ALTER TABLE t CREATE INDEX [IF NOT EXISTS] i USING btree (c) [WITH (key = value, …)]` */
  case object Create
      extends IndexStatement(
        "CREATE",
        "create_index",
        "[IF NOT EXISTS] name USING type (column) [WITH (setting = value, …)]"
      ) {
    protected def parsed(clauses: List[Token]): Option[Vector[(String, String)]] = clauses match {
      case Keyword("IF") :: Keyword("NOT") :: Keyword("EXISTS") :: rest =>
        named(rest).map(_ :+ ("if_not_exists" -> "true"))
      case rest => named(rest)
    }

    private def named(clauses: List[Token]): Option[Vector[(String, String)]] = clauses match {
      case Name(name) :: Keyword("USING") :: Name(kind) :: Sign("(") :: rest =>
        for {
          (column, afterColumn) <- path(rest)
          settings <- settings(afterColumn)
        } yield Vector("column" -> text(column), "type" -> text(kind), "name" -> text(name)) ++ settings
      case _ => None
    }

    private def path(tokens: List[Token]): Option[(String, List[Token])] = tokens match {
      case Name(part) :: Sign(".") :: rest => path(rest).map { case (more, end) => (s"$part.$more", end) }
      case Name(part) :: Sign(")") :: rest => Some((part, rest))
      case _ => None
    }
  }

  /** `ALTER TABLE t DROP INDEX [IF EXISTS] i` */
  case object Drop extends IndexStatement("DROP", "drop_index", "[IF EXISTS] name") {
    protected def parsed(clauses: List[Token]): Option[Vector[(String, String)]] = clauses match {
      case Keyword("IF") :: Keyword("EXISTS") :: Name(name) :: Nil =>
        Some(Vector("name" -> text(name), "if_exists" -> "true"))
      case Name(name) :: Nil => Some(Vector("name" -> text(name)))
      case _ => None
    }
  }

  /** `ALTER TABLE t OPTIMIZE INDEX i [WITH (num_indices_to_merge = n, retrain = true)]`, also with REFRESH */
  final case class Optimize(verb: String)
      extends IndexStatement(
        verb,
        "optimize_indices",
        "name [WITH (num_indices_to_merge = number, retrain = true | false)]"
      ) {
    protected def parsed(clauses: List[Token]): Option[Vector[(String, String)]] = clauses match {
      case Name(name) :: Nil => Some(named(name))
      case Name(name) :: Keyword("WITH") :: Sign("(") :: rest =>
        entries(rest).flatMap { all =>
          val arguments = all.map { case (key, value) => argument(key.toLowerCase(Locale.ROOT), value) }
          Option.when(arguments.forall(_.isDefined))(named(name) ++ arguments.flatten)
        }
      case _ => None
    }

    private def named(name: String) = Vector("index_names" -> s"array(${text(name)})")

    private def argument(key: String, value: String): Option[(String, String)] = key match {
      case "num_indices_to_merge" => value.toLongOption.map(number => key -> number.toString)
      case "retrain" => value.toBooleanOption.map(flag => key -> flag.toString)
      case _ => None
    }
  }

  /** `DESCRIBE INDEX i ON t` */
  case object Describe extends Statement("describe_index", List("DESCRIBE", "INDEX")) {
    override def usage: String = "DESCRIBE INDEX name ON table"

    override def split(tokens: List[Token]): Option[(String, List[Token])] = tokens match {
      case (name @ Name(_)) :: Keyword("ON") :: rest =>
        Alias.table(rest).map { case (table, clauses) => (table, name :: clauses) }
      case _ => None
    }

    def arguments(clauses: List[Token]): Vector[(String, String)] = clauses match {
      case Name(name) :: Nil => Vector("name" -> text(name))
      case other => throw misread(other)
    }
  }

  val all: List[Statement] = List(Create, Drop, Optimize("OPTIMIZE"), Optimize("REFRESH"), Describe)

  /** Parses `WITH (key = value, …)`, or nothing. */
  private def settings(tokens: List[Token]): Option[Vector[(String, String)]] = tokens match {
    case Nil => Some(Vector.empty)
    case Keyword("WITH") :: Sign("(") :: rest => entries(rest).map { all =>
        val list = all.flatMap { case (key, value) => Seq(text(key), text(value)) }.mkString(", ")
        Vector("options" -> s"map($list)")
      }
    case _ => None
  }
}
