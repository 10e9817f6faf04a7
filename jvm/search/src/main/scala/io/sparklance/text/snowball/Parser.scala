package io.sparklance.text.snowball

import scala.collection.mutable

/** Compiles a program in the language Snowball to commands.
  *
  * The part of the language that stemmers use: no strings as programs, no debugging, no other escapes than
  * braces. Anything else is refused.
  */
final private[snowball] class Parser(source: String) {
  import Parser._

  private val lexer = new Lexer(source)
  private val kinds = mutable.Map.empty[String, Name]
  private val counts = mutable.Map.empty[String, Int]
  private val groupings = mutable.Map.empty[String, CharacterSet]
  private val routines = mutable.Map.empty[String, Command]
  private var amongs = 0

  /** Slot of the last `substring`, with the place of its search, until its `among` follows. */
  private var pending = Option.empty[(Int, Later)]

  /** Returns the command `stem`, and the numbers of the variables. */
  def program(): (Command, Variables) = {
    declarations(CursorDirection.Forward)
    if (lexer.peek != ProgramToken.End) throw lexer.refused(s"${lexer.peek} outside of a definition")
    val count = counts.getOrElse(_: String, 0)
    (routines("stem"), Variables(count("integers"), count("booleans"), count("strings"), amongs))
  }

  private def declarations(direction: CursorDirection): Unit = {
    var continues = true
    while (continues) lexer.peek match {
      case ProgramToken.Name(word) =>
        val _ = lexer.next()
        declaration(word, direction)
      case _ => continues = false
    }
  }

  private def declaration(word: String, direction: CursorDirection): Unit = word match {
    case "stringescapes" => lexer.readEscapes()
    case "stringdef" => lexer.readDefinition()
    case "backwardmode" =>
      expect("(")
      declarations(CursorDirection.Backward)
      expect(")")
    case "define" => define(name(), direction)
    case "routines" | "externals" | "integers" | "booleans" | "strings" | "groupings" =>
      expect("(")
      while (lexer.peek != ProgramToken.Symbol(")")) {
        val number = counts.getOrElse(word, 0)
        counts.update(word, number + 1)
        kinds.update(name(), Name(if (word == "externals") "routines" else word, number))
      }
      expect(")")
    case other => throw lexer.refused(s"the unknown declaration '$other'")
  }

  private def define(defined: String, direction: CursorDirection): Unit = kind(defined) match {
    case "groupings" =>
      var points = members()
      while (isNext("+") || isNext("-")) {
        val adds = lexer.next() == ProgramToken.Symbol("+")
        val more = members()
        points = if (adds) points ++ more else points.filterNot(more.contains(_))
      }
      groupings.update(defined, new CharacterSet(points))
    case _ =>
      if (lexer.next() != ProgramToken.Name("as"))
        throw lexer.refused(s"a definition of '$defined' without 'as'")
      routines.update(defined, connected(direction))
  }

  private def members(): Array[Int] = lexer.next() match {
    case ProgramToken.Text(points) => points
    case ProgramToken.Name(other) => groupings(other).points
    case other => throw lexer.refused(s"$other in a grouping")
  }

  /** Reads a command and those that `or` or `and` connect with it, from left to right. */
  private def connected(direction: CursorDirection): Command = {
    var left = command(direction)
    var continues = true
    while (continues) lexer.peek match {
      case ProgramToken.Name("or") => left = Commands.or(direction, operands("or", left, direction))
      case ProgramToken.Name("and") => left = Commands.and(direction, operands("and", left, direction))
      case _ => continues = false
    }
    left
  }

  private def operands(word: String, first: Command, direction: CursorDirection): Array[Command] = {
    val all = Array.newBuilder[Command] += first
    while (lexer.peek == ProgramToken.Name(word)) {
      val _ = lexer.next()
      all += command(direction)
    }
    all.result()
  }

  private def command(direction: CursorDirection): Command = lexer.next() match {
    case ProgramToken.Symbol("(") => list(direction)
    case ProgramToken.Text(points) => Commands(word => direction.eat(word, points))
    case ProgramToken.Symbol("[") => mark(direction == CursorDirection.Forward)
    case ProgramToken.Symbol("]") => mark(direction == CursorDirection.Backward)
    case ProgramToken.Symbol("<-") =>
      val text = value()
      Commands.always(word => word.replaceSlice(text(word)))
    case ProgramToken.Symbol("->") =>
      val number = variable("strings")
      Commands.always(word => word.texts(number) = word.slice)
    case ProgramToken.Symbol("$") => arithmetic(direction)
    case ProgramToken.Symbol("<+") => insertion(direction == CursorDirection.Forward)
    case ProgramToken.Name(word) => named(word, direction)
    case other => throw lexer.refused(s"$other in place of a command")
  }

  /** Reads commands up to the closing parenthesis. */
  private def list(direction: CursorDirection): Command = {
    val all = Array.newBuilder[Command]
    while (!isNext(")")) all += connected(direction)
    expect(")")
    val commands = all.result()
    if (commands.isEmpty) Commands.succeed else Commands.sequence(commands)
  }

  private def mark(isBra: Boolean): Command =
    if (isBra) Commands.always(word => word.bra = word.cursor)
    else Commands.always(word => word.ket = word.cursor)

  private def insertion(moves: Boolean): Command = {
    val text = value()
    Commands.always(word => word.insert(text(word), moves))
  }

  private def named(word: String, direction: CursorDirection): Command = word match {
    case "do" => Commands.effect(direction, command(direction))
    case "try" => Commands.attempt(direction, command(direction))
    case "not" => Commands.not(direction, command(direction))
    case "test" => Commands.test(direction, command(direction))
    case "fail" =>
      val body = command(direction)
      Commands { word =>
        val _ = body.run(word); false
      }
    case "repeat" => Commands.repeat(direction, _ => 0, command(direction))
    case "atleast" =>
      val least = number(direction)
      Commands.repeat(direction, least, command(direction))
    case "loop" =>
      val count = number(direction)
      Commands.loop(count, command(direction))
    case "goto" => Commands.goto(direction, command(direction), passes = false)
    case "gopast" => Commands.goto(direction, command(direction), passes = true)
    case "backwards" => Commands.backwards(command(CursorDirection.Backward))
    case "setlimit" =>
      val mover = command(direction)
      if (lexer.next() != ProgramToken.Name("for")) throw lexer.refused("'setlimit' without 'for'")
      Commands.setLimit(direction, mover, command(direction))
    case "next" => Commands(direction.hop(_, 1))
    case "hop" => of(number(direction))(direction.hop)
    case "tomark" => of(number(direction))(direction.toMark)
    case "atmark" => of(number(direction))((word, mark) => word.cursor == mark)
    case "tolimit" => Commands.always(direction.toLimit)
    case "atlimit" => Commands(direction.isAtLimit)
    case "setmark" =>
      val number = variable("integers")
      Commands.always(word => word.numbers(number) = word.cursor)
    case "set" => truth(value = true)
    case "unset" => truth(value = false)
    case "true" => Commands.succeed
    case "false" => Commands(_ => false)
    case "delete" => Commands.always(_.replaceSlice(Array.emptyIntArray))
    case "insert" => insertion(direction == CursorDirection.Forward)
    case "attach" => insertion(direction == CursorDirection.Backward)
    case "non" =>
      if (isNext("-")) expect("-")
      val set = groupings(name())
      Commands(direction.eatOne(_, set, isIn = false))
    case "substring" =>
      val search = new Later
      pending = Some(newSlot() -> search)
      search
    case "among" => among(direction)
    case other => reference(other, direction)
  }

  private def of(number: Word => Int)(body: (Word, Int) => Boolean): Command =
    Commands(word => body(word, number(word)))

  private def truth(value: Boolean): Command = {
    val number = variable("booleans")
    Commands.always(word => word.truths(number) = value)
  }

  private def reference(name: String, direction: CursorDirection): Command = kind(name) match {
    case "routines" => Commands(word => routines(name).run(word))
    case "groupings" =>
      val set = groupings(name)
      Commands(direction.eatOne(_, set, isIn = true))
    case "booleans" =>
      val number = kinds(name).number
      Commands(_.truths(number))
    case "strings" =>
      val number = kinds(name).number
      Commands(word => direction.eat(word, word.texts(number)))
    case _ => throw lexer.refused(s"the number '$name' in place of a command")
  }

  private def among(direction: CursorDirection): Command = {
    expect("(")
    val strings = Vector.newBuilder[AmongString]
    val actions = Array.newBuilder[Command]
    var open = Vector.empty[AmongString]
    var action = 0
    while (!isNext(")")) lexer.next() match {
      case ProgramToken.Text(points) =>
        val test = lexer.peek match {
          case ProgramToken.Name(routine) =>
            val _ = lexer.next()
            Some(Commands(word => routines(routine).run(word)))
          case _ => None
        }
        open :+= AmongString(points, test, -1)
      case ProgramToken.Symbol("(") if open.nonEmpty =>
        val outer = pending
        pending = None
        actions += list(direction)
        pending = outer
        strings ++= open.map(_.copy(action = action))
        action += 1
        open = Vector.empty
      case other => throw lexer.refused(s"$other in an 'among'")
    }
    expect(")")
    strings ++= open
    finish(direction, strings.result(), actions.result())
  }

  private def finish(
      direction: CursorDirection,
      strings: Vector[AmongString],
      actions: Array[Command]
  ): Command =
    pending match {
      case Some((slot, search)) =>
        pending = None
        search.command = new Among(direction, slot, strings)
        Among.dispatch(slot, actions)
      case None =>
        val slot = newSlot()
        Commands.sequence(Array(new Among(direction, slot, strings), Among.dispatch(slot, actions)))
    }

  private def newSlot(): Int = {
    amongs += 1
    amongs - 1
  }

  private def arithmetic(direction: CursorDirection): Command =
    if (isNext("(")) {
      expect("(")
      val left = sum(direction)
      val compared = comparison(left, symbol(), sum(direction))
      expect(")")
      compared
    } else {
      val number = variable("integers")
      val operator = symbol()
      val right = sum(direction)
      operator match {
        case "=" => Commands.always(word => word.numbers(number) = right(word))
        case "+=" => Commands.always(word => word.numbers(number) += right(word))
        case "-=" => Commands.always(word => word.numbers(number) -= right(word))
        case other => comparison(_.numbers(number), other, right)
      }
    }

  private def comparison(left: Word => Int, operator: String, right: Word => Int): Command = operator match {
    case "<" => Commands(word => left(word) < right(word))
    case "<=" => Commands(word => left(word) <= right(word))
    case ">" => Commands(word => left(word) > right(word))
    case ">=" => Commands(word => left(word) >= right(word))
    case "==" => Commands(word => left(word) == right(word))
    case "!=" => Commands(word => left(word) != right(word))
    case other => throw lexer.refused(s"the operator '$other'")
  }

  private def sum(direction: CursorDirection): Word => Int = {
    var left = number(direction)
    while (isNext("+") || isNext("-")) {
      val (before, adds) = (left, symbol() == "+")
      val right = number(direction)
      left = word => if (adds) before(word) + right(word) else before(word) - right(word)
    }
    left
  }

  private def number(direction: CursorDirection): Word => Int = lexer.next() match {
    case ProgramToken.Number(value) => _ => value
    case ProgramToken.Name("cursor") => _.cursor
    case ProgramToken.Name("limit") => direction match {
        case CursorDirection.Forward => _.limit
        case CursorDirection.Backward => _.start
      }
    case ProgramToken.Name("len") => _.length
    case ProgramToken.Name(name) if kind(name) == "integers" =>
      val number = kinds(name).number
      _.numbers(number)
    case other => throw lexer.refused(s"$other in place of a number")
  }

  /** Reads a literal, or the name of a variable. */
  private def value(): Word => Array[Int] = lexer.next() match {
    case ProgramToken.Text(points) => _ => points
    case ProgramToken.Name(name) if kind(name) == "strings" =>
      val number = kinds(name).number
      _.texts(number)
    case other => throw lexer.refused(s"$other in place of a string")
  }

  private def variable(wanted: String): Int = {
    val found = name()
    if (kind(found) != wanted) throw lexer.refused(s"'$found', which is not among the $wanted")
    kinds(found).number
  }

  private def kind(name: String): String =
    kinds.getOrElse(name, throw lexer.refused(s"the unknown name '$name'")).kind

  private def name(): String = lexer.next() match {
    case ProgramToken.Name(text) => text
    case other => throw lexer.refused(s"$other in place of a name")
  }

  private def symbol(): String = lexer.next() match {
    case ProgramToken.Symbol(text) => text
    case other => throw lexer.refused(s"$other in place of an operator")
  }

  private def isNext(symbol: String): Boolean = lexer.peek == ProgramToken.Symbol(symbol)

  private def expect(symbol: String): Unit = lexer.next() match {
    case ProgramToken.Symbol(`symbol`) => ()
    case other => throw lexer.refused(s"$other in place of '$symbol'")
  }
}

private object Parser {

  /** A declared name.
    *
    * @param number
    *   its place among those of its kind
    */
  final case class Name(kind: String, number: Int)

  /** A command that is known later. */
  final class Later extends Command {
    var command: Command = Commands.succeed
    def run(word: Word): Boolean = command.run(word)
  }
}
