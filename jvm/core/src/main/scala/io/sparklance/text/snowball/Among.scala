package io.sparklance.text.snowball

import scala.collection.immutable.ArraySeq

/** One string of an `among`.
  *
  * @param test
  *   must succeed after the string
  * @param action
  *   number of the command to run; none if negative
  */
final private[snowball] case class AmongString(text: Array[Int], test: Option[Command], action: Int)

/** Finds the longest of some strings at the cursor, and notes its action in a variable of the word. */
final private[snowball] class Among(direction: Direction, slot: Int, strings: Vector[AmongString])
    extends Command {
  private val byText = strings.map(s => ArraySeq.unsafeWrapArray(s.text) -> s).toMap

  private val lengths = strings.map(_.text.length).distinct.sorted(Ordering.Int.reverse).toArray
  private val ends = new CharacterSet(strings.flatMap(s => last(s.text)).toArray)
  private val hasEmpty = byText.contains(ArraySeq.empty[Int])

  def run(word: Word): Boolean = {
    val mark = word.cursor
    val room = direction match {
      case Direction.Forward => word.limit - mark
      case Direction.Backward => mark - word.start
    }
    var found = false
    if (hasEmpty || (room > 0 && ends.contains(next(word)))) {
      var i = 0
      while (!found && i < lengths.length) {
        val length = lengths(i)
        if (length <= room) found = matches(word, mark, length)
        i += 1
      }
    }
    found
  }

  private def matches(word: Word, mark: Int, length: Int): Boolean = {
    val from = direction match {
      case Direction.Forward => mark
      case Direction.Backward => mark - length
    }
    val end = direction match {
      case Direction.Forward => mark + length
      case Direction.Backward => from
    }
    byText.get(ArraySeq.unsafeWrapArray(java.util.Arrays.copyOfRange(
      word.points,
      from,
      from + length
    ))) match {
      case Some(string) =>
        word.cursor = end
        val passes = string.test.forall(_.run(word))
        if (passes) {
          word.cursor = end
          word.found(slot) = string.action
        }
        passes
      case None => false
    }
  }

  /** The code point at which the strings begin, looking in this direction. */
  private def last(text: Array[Int]): Option[Int] = direction match {
    case Direction.Forward => text.headOption
    case Direction.Backward => text.lastOption
  }

  private def next(word: Word): Int = direction match {
    case Direction.Forward => word.points(word.cursor)
    case Direction.Backward => word.points(word.cursor - 1)
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
