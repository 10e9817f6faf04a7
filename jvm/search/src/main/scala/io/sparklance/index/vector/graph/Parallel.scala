package io.sparklance.index.vector.graph

import java.util.concurrent.atomic.AtomicInteger
import java.util.concurrent.{ExecutionException, ExecutorService, Executors, Future}

/** Runs numbered pieces of work on a fixed number of threads, of which the caller's is one. */
final private[graph] class Parallel private (threads: Int, others: Option[ExecutorService]) {

  /** Runs pieces `0` to `n - 1`, and returns when all have ended.
    *
    * @param atOnce
    *   pieces that a thread takes at a time
    * @param piece
    *   takes the number of the thread, and of the piece
    */
  def run(n: Int, atOnce: Int)(piece: (Int, Int) => Unit): Unit = {
    val next = new AtomicInteger
    def work(thread: Int): Unit = {
      var from = next.getAndAdd(atOnce)
      while (from < n) {
        var i = from
        while (i < math.min(n, from + atOnce)) { piece(thread, i); i += 1 }
        from = next.getAndAdd(atOnce)
      }
    }
    others match {
      case Some(pool) if n > Parallel.Few =>
        val futures = (1 until threads).map[Future[_]](thread => pool.submit((() => work(thread)): Runnable))
        try work(0)
        finally futures.foreach { future =>
            try { val _ = future.get() }
            catch { case e: ExecutionException => throw e.getCause }
          }
      case _ => work(0)
    }
  }
}

private[graph] object Parallel {

  /** Pieces for which it does not pay to wake other threads. */
  final private val Few = 16

  def using[A](threads: Int)(f: Parallel => A): A =
    if (threads <= 1) f(new Parallel(1, None))
    else {
      val pool = Executors.newFixedThreadPool(
        threads - 1,
        (work: Runnable) => {
          val thread = new Thread(work, "sparklance-graph")
          thread.setDaemon(true)
          thread
        }
      )
      try f(new Parallel(threads, Some(pool)))
      finally { val _ = pool.shutdownNow() }
    }
}
