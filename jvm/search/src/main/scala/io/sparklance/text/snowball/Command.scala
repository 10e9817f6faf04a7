package io.sparklance.text.snowball

/** A command of a program. It succeeds or fails; commands that go on after a failure put the cursor back. */
abstract private[snowball] class Command {
  def run(word: Word): Boolean
}

/** Looks from the cursor to the end, or backward from the cursor to the start. */
sealed private[snowball] trait CursorDirection extends Product with Serializable {

  /** Returns the position of the cursor in a form that stays right when text before the place that this
    * direction has reached changes.
    */
  def mark(word: Word): Int
  def restore(word: Word, mark: Int): Unit

  /** Moves over code points. Returns false if there are not enough of them. */
  def hop(word: Word, count: Int): Boolean
  def eat(word: Word, text: Array[Int]): Boolean

  /** Moves over a code point that is, or is not, in a set. */
  def eatOne(word: Word, set: CharacterSet, isIn: Boolean): Boolean
  def isAtLimit(word: Word): Boolean
  def toLimit(word: Word): Unit
  def toMark(word: Word, mark: Int): Boolean
}

private[snowball] object CursorDirection {
  case object Forward extends CursorDirection {
    def mark(word: Word): Int = word.cursor
    def restore(word: Word, mark: Int): Unit = word.cursor = mark
    def hop(word: Word, count: Int): Boolean = move(word, word.cursor.toLong + count)
    def eat(word: Word, text: Array[Int]): Boolean = {
      val at = word.cursor
      at + text.length <= word.limit && {
        var i = 0
        while (i < text.length && word.points(at + i) == text(i)) i += 1
        i == text.length && { word.cursor = at + i; true }
      }
    }
    def eatOne(word: Word, set: CharacterSet, isIn: Boolean): Boolean =
      word.cursor < word.limit && set.contains(word.points(word.cursor)) == isIn && {
        word.cursor += 1
        true
      }
    def isAtLimit(word: Word): Boolean = word.cursor >= word.limit
    def toLimit(word: Word): Unit = word.cursor = word.limit
    def toMark(word: Word, mark: Int): Boolean = word.cursor <= mark && { word.cursor = mark; true }

    private def move(word: Word, to: Long): Boolean =
      to >= word.cursor && to <= word.limit && { word.cursor = to.toInt; true }
  }

  case object Backward extends CursorDirection {
    def mark(word: Word): Int = word.limit - word.cursor
    def restore(word: Word, mark: Int): Unit = word.cursor = word.limit - mark
    def hop(word: Word, count: Int): Boolean =
      count >= 0 && word.cursor - count >= word.start && { word.cursor -= count; true }
    def eat(word: Word, text: Array[Int]): Boolean = {
      val at = word.cursor - text.length
      at >= word.start && {
        var i = 0
        while (i < text.length && word.points(at + i) == text(i)) i += 1
        i == text.length && { word.cursor = at; true }
      }
    }
    def eatOne(word: Word, set: CharacterSet, isIn: Boolean): Boolean =
      word.cursor > word.start && set.contains(word.points(word.cursor - 1)) == isIn && {
        word.cursor -= 1
        true
      }
    def isAtLimit(word: Word): Boolean = word.cursor <= word.start
    def toLimit(word: Word): Unit = word.cursor = word.start
    def toMark(word: Word, mark: Int): Boolean = word.cursor >= mark && { word.cursor = mark; true }
  }
}

/** A set of code points. */
final private[snowball] class CharacterSet(val points: Array[Int]) {
  private val sorted = points.distinct.sorted
  private val low = new Array[Boolean](CharacterSet.Low)
  sorted.iterator.filter(point => point >= 0 && point < CharacterSet.Low).foreach(low(_) = true)

  def contains(point: Int): Boolean =
    if (point >= 0 && point < CharacterSet.Low) low(point)
    else java.util.Arrays.binarySearch(sorted, point) >= 0
}

private object CharacterSet {

  /** Code points that are looked up in a table. */
  final private val Low = 0x600
}
