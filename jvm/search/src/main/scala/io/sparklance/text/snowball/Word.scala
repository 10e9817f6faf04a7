package io.sparklance.text.snowball

/** A word that a program changes, as code points, with the program's variables. Belongs to one thread.
  *
  * Forward commands look at the code points from `cursor` to `limit`, backward ones at those from `cursor`
  * down to `start`. `bra` and `ket` are the ends of the slice.
  */
final private[snowball] class Word(program: Variables) {
  var points: Array[Int] = new Array[Int](64)
  var length: Int = 0
  var cursor: Int = 0
  var limit: Int = 0
  var start: Int = 0
  var bra: Int = 0
  var ket: Int = 0
  val numbers = new Array[Int](program.numbers)
  val truths = new Array[Boolean](program.truths)
  val texts: Array[Array[Int]] = Array.fill(program.texts)(Array.emptyIntArray)

  /** The string that each `among` has found. */
  val found = new Array[Int](program.amongs)

  /** Takes another word. All variables start again. */
  def load(text: String): Unit = {
    if (points.length < text.length) points = new Array[Int](2 * text.length)
    length = 0
    var i = 0
    while (i < text.length) {
      val point = text.codePointAt(i)
      points(length) = point
      length += 1
      i += Character.charCount(point)
    }
    cursor = 0
    limit = length
    start = 0
    bra = 0
    ket = length
    java.util.Arrays.fill(numbers, 0)
    java.util.Arrays.fill(truths, false)
    java.util.Arrays.fill(texts.asInstanceOf[Array[AnyRef]], Array.emptyIntArray)
  }

  def text: String = new String(points, 0, length)

  def slice: Array[Int] = java.util.Arrays.copyOfRange(points, bra, ket)

  /** Replaces the slice. */
  def replaceSlice(by: Array[Int]): Unit = {
    if (bra < 0 || bra > ket || ket > limit) throw new IllegalStateException(s"a slice from $bra to $ket")
    val _ = replace(bra, ket, by)
    ket = bra + by.length
  }

  /** Inserts code points at the cursor. */
  def insert(added: Array[Int], moves: Boolean): Unit = {
    val at = cursor
    val grown = replace(at, at, added)
    if (at <= bra) bra += grown
    if (at <= ket) ket += grown
    if (!moves) cursor = at
  }

  private def replace(from: Int, until: Int, by: Array[Int]): Int = {
    val grown = by.length - (until - from)
    if (length + grown > points.length) points = java.util.Arrays.copyOf(points, 2 * (length + grown))
    System.arraycopy(points, until, points, from + by.length, length - until)
    System.arraycopy(by, 0, points, from, by.length)
    length += grown
    limit += grown
    if (cursor >= until) cursor += grown
    else if (cursor > from) cursor = from
    grown
  }
}

/** Numbers of a program's variables, by kind. */
final private[snowball] case class Variables(numbers: Int, truths: Int, texts: Int, amongs: Int)
