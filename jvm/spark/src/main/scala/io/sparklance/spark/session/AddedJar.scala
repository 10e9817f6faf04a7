package io.sparklance.spark.session

import scala.reflect.ClassTag

import org.apache.spark.SparkContext

/** Tells a jar that Spark was started with from one that was added to the running session (`ADD JAR`,
  * `addArtifacts`).
  */
private[spark] object AddedJar {

  /** Whether Spark's own threads, which decode the results of tasks, may lack this jar's classes. They have
    * those of Spark's class path and those of the one loader that `spark-submit` puts below it; any other
    * loader may be a session's.
    */
  lazy val isThis: Boolean = {
    val (ours, sparks) = (getClass.getClassLoader, classOf[SparkContext].getClassLoader)
    def isOfSubmit = ours.getParent == sparks && ours.getClass.getName == OfSubmit
    ours != sparks && !isOfSubmit
  }

  /** Leaves out metrics whose classes Spark's UI could not load by name: it would log an error for each. */
  def loadable[A: ClassTag](metrics: => Array[A]): Array[A] = if (isThis) Array.empty else metrics

  private val OfSubmit = "org.apache.spark.util.MutableURLClassLoader"
}
