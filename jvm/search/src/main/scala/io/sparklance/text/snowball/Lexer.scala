package io.sparklance.text.snowball

import scala.collection.mutable

/** A token of a program's text. */
sealed private[snowball] trait ProgramToken extends Product with Serializable

private[snowball] object ProgramToken {
  final case class Name(text: String) extends ProgramToken
  final case class Number(value: Int) extends ProgramToken
  final case class Text(points: Array[Int]) extends ProgramToken
  final case class Symbol(text: String) extends ProgramToken
  case object End extends ProgramToken
}

/** Splits the text of a program into tokens, and replaces the escapes in its strings. */
final private[snowball] class Lexer(source: String) {
  import Lexer._

  private val escapes = mutable.Map("'" -> "'", "{" -> "{")
  private var at = 0

  def peek: ProgramToken = {
    val before = at
    val token = next()
    at = before
    token
  }

  def next(): ProgramToken = {
    skipBlank()
    if (at >= source.length) ProgramToken.End
    else {
      val char = source.charAt(at)
      if (char.isLetter) ProgramToken.Name(run(c => c.isLetterOrDigit || c == '_'))
      else if (char.isDigit) ProgramToken.Number(run(_.isDigit).toInt)
      else if (char == '\'') ProgramToken.Text(literal().codePoints.toArray)
      else {
        val symbol = symbols.find(source.startsWith(_, at)).getOrElse(char.toString)
        at += symbol.length
        ProgramToken.Symbol(symbol)
      }
    }
  }

  /** Reads the two characters of `stringescapes`, which are always braces. */
  def readEscapes(): Unit =
    if (List.fill(2)(next()) != List(ProgramToken.Symbol("{"), ProgramToken.Symbol("}")))
      throw refused("other escapes")

  /** Reads the name and the text of a `stringdef`. */
  def readDefinition(): Unit = {
    skipBlank()
    val name = run(!_.isWhitespace)
    next() match {
      case ProgramToken.Text(points) => escapes.update(name, new String(points, 0, points.length))
      case other => throw refused(s"a stringdef of $other")
    }
  }

  def refused(what: String): IllegalStateException =
    new IllegalStateException(s"line ${source.substring(0, at).count(_ == '\n') + 1} has $what")

  private def run(isIn: Char => Boolean): String = {
    val from = at
    while (at < source.length && isIn(source.charAt(at))) at += 1
    source.substring(from, at)
  }

  private def skipBlank(): Unit = {
    var before = -1
    while (before != at) {
      before = at
      val _ = run(_.isWhitespace)
      if (source.startsWith("//", at)) { val _ = run(_ != '\n') }
      else if (source.startsWith("/*", at)) at = source.indexOf("*/", at) + 2
    }
  }

  private def literal(): String = {
    val out = new StringBuilder
    at += 1
    while (source.charAt(at) != '\'')
      if (source.charAt(at) == '{') {
        val close = source.indexOf("}", at)
        out ++= escaped(source.substring(at + 1, close))
        at = close + 1
      } else {
        out += source.charAt(at)
        at += 1
      }
    at += 1
    out.result()
  }

  private def escaped(name: String): String = escapes.getOrElse(
    name,
    if (name.startsWith("U+")) new String(Character.toChars(Integer.parseInt(name.drop(2), 16)))
    else throw refused(s"the unknown escape '$name'")
  )
}

private object Lexer {
  private val symbols =
    Vector("<=", ">=", "==", "!=", "->", "<-", "<+", "=>", "+=", "-=", "*=", "/=")
}
