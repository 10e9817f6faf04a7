package io.sparklance.io

import java.util.concurrent.{Callable, ExecutionException, Executors, Future}

import scala.jdk.CollectionConverters._

/** Does what waits for a store, or takes a processor, for several things at a time. */
object Concurrently {

  /** The results, in order. All calls have ended when this does; of those that fail, the first one's failure is thrown.
    *
    * @param threads at most
    */
  def map[A, B](items: Vector[A], threads: Int)(action: A => B): Vector[B] =
    if (items.size <= 1 || threads <= 1) items.map(action)
    else {
      val pool = Executors.newFixedThreadPool(math.min(items.size, threads))
      try {
        val calls = items.map(item => (() => action(item)): Callable[B])
        pool.invokeAll(calls.asJava).asScala.map(result(_)).toVector
      } finally { val _ = pool.shutdownNow() }
    }

  private def result[B](call: Future[B]): B =
    try call.get()
    catch { case e: ExecutionException => throw e.getCause }
}
