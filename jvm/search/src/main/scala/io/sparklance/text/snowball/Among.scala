package io.sparklance.text.snowball

/** One string of an `among`.
  *
  * @param test
  *   must succeed after the string
  * @param action
  *   number of the command to run; none if negative
  */
final private[snowball] case class AmongString(text: Array[Int], test: Option[Command], action: Int)

/** Finds the longest of some strings at the cursor, and notes its action in a variable of the word. */
final private[snowball] class Among(direction: CursorDirection, slot: Int, strings: Vector[AmongString])
    extends Command {
  // Strings by their first code point in this direction, the longest first.
  private val firsts: Array[Int] = strings.flatMap(s => first(s.text)).distinct.sorted.toArray
  private val byFirst: Array[Array[AmongString]] =
    firsts.map(point => strings.filter(s => first(s.text).contains(point)).sortBy(-_.text.length).toArray)
  private val empty = strings.find(_.text.isEmpty)

  def run(word: Word): Boolean = {
    val mark = word.cursor
    val room = direction match {
      case CursorDirection.Forward => word.limit - mark
      case CursorDirection.Backward => mark - word.start
    }
    val group = if (room > 0) java.util.Arrays.binarySearch(firsts, next(word)) else -1
    (group >= 0 && longest(word, mark, room, byFirst(group))) || empty.exists(passes(word, mark, _))
  }

  private def longest(word: Word, mark: Int, room: Int, group: Array[AmongString]): Boolean = {
    var found = false
    var i = 0
    while (!found && i < group.length) {
      val length = group(i).text.length
      if (length <= room) {
        val from = direction match {
          case CursorDirection.Forward => mark
          case CursorDirection.Backward => mark - length
        }
        found = isAt(word, from, group(i).text) && passes(word, mark, group(i))
      }
      i += 1
    }
    found
  }

  private def isAt(word: Word, from: Int, text: Array[Int]): Boolean = {
    var i = 0
    while (i < text.length && word.points(from + i) == text(i)) i += 1
    i == text.length
  }

  /** Moves over a string, and notes its action if its test passes. */
  private def passes(word: Word, mark: Int, string: AmongString): Boolean = {
    val end = direction match {
      case CursorDirection.Forward => mark + string.text.length
      case CursorDirection.Backward => mark - string.text.length
    }
    word.cursor = end
    val passes = string.test.forall(_.run(word))
    if (passes) {
      word.cursor = end
      word.found(slot) = string.action
    }
    passes
  }

  /** The code point at which the strings begin, looking in this direction. */
  private def first(text: Array[Int]): Option[Int] = direction match {
    case CursorDirection.Forward => text.headOption
    case CursorDirection.Backward => text.lastOption
  }

  private def next(word: Word): Int = direction match {
    case CursorDirection.Forward => word.points(word.cursor)
    case CursorDirection.Backward => word.points(word.cursor - 1)
  }
}

private[snowball] object Among {

  /** Runs the action of the string that was found. */
  def dispatch(slot: Int, actions: Array[Command]): Command = new Command {
    def run(word: Word): Boolean = {
      val action = word.found(slot)
      action < 0 || actions(action).run(word)
    }
  }
}
