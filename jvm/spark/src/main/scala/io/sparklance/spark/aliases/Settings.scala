package io.sparklance.spark.aliases

import java.util.Locale

import io.sparklance.spark.aliases.Alias.text
import io.sparklance.spark.aliases.Token.{Literal, QuotedName, Sign, Word}
import io.sparklance.{LanceUsageException, UnsupportedLanceFeatureException}

/** Settings of a statement, `WITH (setting = value, …)`.
  *
  * @param known
  *   settings with the arguments of the procedure that they stand for
  * @param refused
  *   settings of lance-spark's without a meaning here, with what to do instead
  */
final private[aliases] case class Settings(
    statement: String,
    known: Map[String, Settings.Argument],
    refused: Map[String, String] = Map.empty
) {

  /** Returns the procedure's arguments. */
  def arguments(entries: Vector[(String, String)]): Vector[(String, String)] = {
    val all = entries.map { case (key, value) => key.toLowerCase(Locale.ROOT) -> value }
    all.groupBy(_._1).find(_._2.size > 1).foreach { case (key, _) =>
      throw new LanceUsageException(s"$statement has the setting '$key' twice. Give it once.")
    }
    all.map { case (key, value) =>
      refused.get(key).foreach { cure =>
        throw new UnsupportedLanceFeatureException(s"$statement WITH ($key = …): $cure")
      }
      val argument = known.getOrElse(
        key,
        throw new LanceUsageException(
          s"$statement has no setting '$key'. It has ${known.keys.toVector.sorted.mkString(", ")}. Correct the name, or leave it out."
        )
      )
      argument.name -> argument.value(value).getOrElse(
        throw new LanceUsageException(
          s"The setting '$key' of $statement must be ${argument.kind}, but is '$value'. Give such a value."
        )
      )
    }
  }
}

private[aliases] object Settings {

  /** An argument of a procedure.
    *
    * @param value
    *   returns a value as SQL, if it is valid
    */
  final case class Argument(name: String, kind: String, value: String => Option[String])

  private def number(name: String) = Argument(name, "a number", _.toLongOption.map(_.toString))
  private def flag(name: String) = Argument(name, "true or false", _.toBooleanOption.map(_.toString))
  private def words(name: String) = Argument(name, "a text", value => Some(text(value)))
  private def fraction(name: String) =
    Argument(name, "a number", _.toDoubleOption.filter(_.isFinite).map(value => s"${value}D"))
  private def millis(name: String) =
    Argument(name, "a number of milliseconds", _.toLongOption.map(value => s"timestamp_millis(${value}L)"))

  private def named(arguments: Argument*): Map[String, Argument] = arguments.map(a => a.name -> a).toMap

  val ofOptimize: Settings = Settings(
    "OPTIMIZE",
    named(
      number("target_rows_per_fragment"),
      number("max_bytes_per_file"),
      flag("materialize_deletions"),
      fraction("materialize_deletions_threshold"),
      number("max_source_fragments"),
      number("max_source_rows"),
      number("max_source_bytes"),
      number("max_files_per_fragment"),
      words("data_storage_version"),
      words("column_groups"),
      flag("skip_indices")
    ),
    Map(
      "max_rows_per_group" -> "leave it out, as files have no groups of rows",
      "num_threads" -> "leave it out, as Spark's tasks compact",
      "batch_size" -> "leave it out, as tasks choose the size of their batches",
      "defer_index_remap" -> "use skip_indices = true, and OPTIMIZE INDEX later"
    )
  )

  val ofVacuum: Settings = Settings(
    "VACUUM",
    named(
      number("before_version"),
      number("retain_versions"),
      flag("delete_unverified"),
      flag("error_if_tagged_old_versions"),
      flag("dry_run"),
      words("older_than")
    ) + ("before_timestamp_millis" -> millis("before"))
  )

  /** An identifier, without its backquotes. */
  object Name {
    def unapply(token: Token): Option[String] = token match {
      case Word(name) => Some(name)
      case QuotedName(quoted) => Some(quoted.substring(1, quoted.length - 1).replace("``", "`"))
      case Literal(_) | Sign(_) => None
    }
  }

  /** Parses the names of columns, with or without parentheses around them; fields of structs by their paths.
    * Returns the tokens after them, too.
    */
  def names(tokens: List[Token]): Option[(Vector[String], List[Token])] = tokens match {
    case Sign("(") :: inside => listed(inside).collect { case (all, Sign(")") :: rest) => (all, rest) }
    case _ => listed(tokens)
  }

  private def listed(tokens: List[Token]): Option[(Vector[String], List[Token])] = path(tokens).flatMap {
    case (name, Sign(",") :: more) => listed(more).map { case (others, rest) => (name +: others, rest) }
    case (name, rest) => Some((Vector(name), rest))
  }

  private def path(tokens: List[Token]): Option[(String, List[Token])] = tokens match {
    case Name(part) :: Sign(".") :: rest => path(rest).map { case (more, end) => (s"$part.$more", end) }
    case Name(part) :: rest => Some((part, rest))
    case _ => None
  }

  /** Parses the tokens after `WITH (`. */
  def entries(tokens: List[Token]): Option[Vector[(String, String)]] = tokens match {
    case Text(key) :: Sign("=") :: rest => value(rest).flatMap {
        case (value, Sign(",") :: more) => entries(more).map((key -> value) +: _)
        case (value, Sign(")") :: Nil) => Some(Vector(key -> value))
        case _ => None
      }
    case _ => None
  }

  /** A name, number or text; a number may have a sign and a fraction. */
  private def value(tokens: List[Token]): Option[(String, List[Token])] = tokens match {
    case Sign("-") :: rest => value(rest).map { case (text, more) => (s"-$text", more) }
    case Word(whole) :: Sign(".") :: Word(fraction) :: rest => Some((s"$whole.$fraction", rest))
    case Text(text) :: rest => Some((text, rest))
    case _ => None
  }

  private object Text {
    def unapply(token: Token): Option[String] = token match {
      case literal: Literal => Some(literal.value)
      case Name(name) => Some(name)
      case _ => None
    }
  }
}
