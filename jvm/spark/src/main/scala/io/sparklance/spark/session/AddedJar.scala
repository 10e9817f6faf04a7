package io.sparklance.spark.session

import scala.reflect.ClassTag

import org.apache.spark.SparkContext

/** Distinguishes a jar that was added to the running session (`ADD JAR`, `addArtifacts`) from one that Spark
  * was started with.
  */
private[spark] object AddedJar {

  /** Whether Spark's own threads, which decode the results of tasks, may lack this jar's classes. They see
    * Spark's class path and the loader that `spark-submit` puts below it; any other loader may belong to a
    * session.
    */
  lazy val isThis: Boolean = ours != sparks && !isOfSubmit

  /** Whether `spark-submit` has loaded this jar, by `--jars`, `--packages` or `spark.jars`. */
  lazy val isOfSubmit: Boolean = ours.getParent == sparks && ours.getClass.getName == OfSubmit

  private def ours: ClassLoader = getClass.getClassLoader
  private def sparks: ClassLoader = classOf[SparkContext].getClassLoader

  /** Returns no metrics if Spark's UI could not load their classes by name: it would log an error for each.
    */
  def loadable[A: ClassTag](metrics: => Array[A]): Array[A] = if (isThis) Array.empty else metrics

  private val OfSubmit = "org.apache.spark.util.MutableURLClassLoader"
}
