package io.sparklance.spark.session

import scala.reflect.ClassTag

import org.apache.spark.{SparkContext, TaskContext, TaskKilledException}

/** Runs jobs of our own, with a task for each item. */
private[spark] object OwnJob {

  /** Returns what the tasks make of the items, in their order.
    *
    * @param title
    *   description in Spark's UI
    * @param shared
    *   value that all tasks need; each executor gets it once
    */
  def run[S: ClassTag, A: ClassTag, B: ClassTag](
      context: SparkContext,
      title: String,
      shared: S,
      items: Vector[A]
  )(task: (S, A) => B): Vector[B] = JobDescription.during(context, title) {
    val sent = context.broadcast(shared)
    try context.parallelize(items, items.size).map(item => task(sent.value, item)).collect().toVector
    finally sent.destroy()
  }

  /** Ends the task if Spark has killed it. Spark checks for that between rows only. */
  def endIfKilled(): Unit =
    if (Option(TaskContext.get()).exists(_.isInterrupted())) throw new TaskKilledException
}
