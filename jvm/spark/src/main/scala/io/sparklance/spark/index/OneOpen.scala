package io.sparklance.spark.index

/** Closes each element when the next one is asked for.
  *
  * @param elements
  *   opens one at each step
  */
final private[index] class OneOpen[A <: AutoCloseable](elements: Iterator[A])
    extends Iterator[A]
    with AutoCloseable {
  private var last = Option.empty[A]

  def hasNext: Boolean = elements.hasNext

  def next(): A = {
    close()
    val element = elements.next()
    last = Some(element)
    element
  }

  def close(): Unit = {
    val open = last
    last = None
    open.foreach(_.close())
  }
}
