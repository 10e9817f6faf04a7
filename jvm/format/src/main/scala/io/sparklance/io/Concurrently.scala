package io.sparklance.io

import java.util.concurrent.{Callable, ExecutionException, ExecutorService, Executors, Future}

import scala.jdk.CollectionConverters._

/** Runs an action for several items at a time. */
private[sparklance] object Concurrently {

  /** Returns the results, in order. Waits for all calls, unless the thread is interrupted. Throws the failure
    * of the first item that failed.
    *
    * @param threads
    *   largest number of threads
    */
  def map[A, B](items: Vector[A], threads: Int)(action: A => B): Vector[B] =
    if (isForOne(items, threads)) items.map(action)
    else pooled(items, threads)(_.invokeAll(calls(items, action).asJava).asScala.map(result(_)).toVector)

  /** Like [[map]], but waits for all calls even when interrupted, for actions that must not be left half
    * done. The thread stays interrupted.
    */
  def mapToEnd[A, B](items: Vector[A], threads: Int)(action: A => B): Vector[B] =
    if (isForOne(items, threads)) items.map(action)
    else
      pooled(items, threads) { pool =>
        val futures = calls(items, action).map(pool.submit(_))
        futures.foreach(awaitEnd(_))
        futures.map(result(_))
      }

  private def isForOne(items: Vector[_], threads: Int): Boolean = items.size <= 1 || threads <= 1

  private def pooled[A, B](items: Vector[A], threads: Int)(body: ExecutorService => Vector[B]): Vector[B] = {
    val pool = Executors.newFixedThreadPool(math.min(items.size, threads))
    try body(pool)
    finally { val _ = pool.shutdownNow() }
  }

  private def calls[A, B](items: Vector[A], action: A => B): Vector[Callable[B]] =
    items.map(item => () => action(item))

  private def awaitEnd(call: Future[_]): Unit = {
    var isInterrupted = false
    while (!call.isDone)
      try { val _ = call.get() }
      catch {
        case _: ExecutionException => ()
        case _: InterruptedException => isInterrupted = true
      }
    if (isInterrupted) Thread.currentThread().interrupt()
  }

  private def result[B](call: Future[B]): B =
    try call.get()
    catch { case e: ExecutionException => throw e.getCause }
}
