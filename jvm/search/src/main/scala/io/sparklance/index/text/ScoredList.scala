package io.sparklance.index.text

/** The documents that have a token, with their scores at weight 1, in windows of [[ScoredList.Window]]
  * documents. The greatest score of each window tells whether it is worth a look.
  *
  * @param documents
  *   their numbers, ascending
  * @param scores
  *   parallel to `documents`
  * @param windows
  *   numbers of the windows with such documents, ascending
  * @param starts
  *   for each of these windows, where its documents begin, and the end of all
  * @param best
  *   greatest score of each of these windows
  */
final private[text] class ScoredList(
    val documents: Array[Int],
    val scores: Array[Float],
    val windows: Array[Int],
    val starts: Array[Int],
    val best: Array[Float]
) {
  def weight: Long = 8L * documents.length + 12L * windows.length + 96

  /** Returns the place of a window, negative if it has no such documents.
    *
    * @param all
    *   number of windows of the partition
    */
  def placeOf(window: Int, all: Int): Int =
    if (windows.length == all) window else java.util.Arrays.binarySearch(windows, window)
}

private[text] object ScoredList {
  final private val Shift = 7

  /** Documents of a window. */
  final val Window = 1 << Shift

  /** Returns the number of windows of some documents. */
  def windows(documents: Int): Int = (documents + Window - 1) >> Shift

  /** @param lengths
    *   of all documents of the partition
    * @param isRounded
    *   whether the lower end of its group stands for a length
    */
  def of(postings: Postings, lengths: Array[Int], isRounded: Boolean, scorer: Bm25): ScoredList = {
    val scores = new Array[Float](postings.size)
    var i = 0
    while (i < scores.length) {
      val length = lengths(postings.documents(i))
      scores(i) = scorer.score(
        postings.frequencies(i),
        scorer.norm(if (isRounded) Bm25.rounded(length) else length)
      )
      i += 1
    }
    divided(postings.documents, scores)
  }

  private def divided(documents: Array[Int], scores: Array[Float]): ScoredList = {
    val count = windowsIn(documents)
    val (windows, starts, best) = (new Array[Int](count), new Array[Int](count + 1), new Array[Float](count))
    var (at, i) = (-1, 0)
    while (i < documents.length) {
      val window = documents(i) >> Shift
      if (at < 0 || windows(at) != window) {
        at += 1
        windows(at) = window
        starts(at) = i
        best(at) = scores(i)
      } else best(at) = math.max(best(at), scores(i))
      i += 1
    }
    starts(count) = documents.length
    new ScoredList(documents, scores, windows, starts, best)
  }

  private def windowsIn(documents: Array[Int]): Int = {
    var (count, last, i) = (0, -1, 0)
    while (i < documents.length) {
      val window = documents(i) >> Shift
      if (window != last) { count += 1; last = window }
      i += 1
    }
    count
  }
}
