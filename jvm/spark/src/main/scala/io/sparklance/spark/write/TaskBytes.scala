package io.sparklance.spark.write

import java.io.{
  ByteArrayInputStream,
  ByteArrayOutputStream,
  InputStream,
  ObjectInputStream,
  ObjectOutputStream,
  ObjectStreamClass
}

import scala.reflect.ClassTag
import scala.util.Using

import org.apache.spark.sql.SparkSession

import io.sparklance.LanceUsageException
import io.sparklance.spark.session.JobDescription

/** Results of tasks as bytes, which the driver decodes with this jar's own classes. Spark decodes results
  * with its initial class loader, which lacks a jar that was added later, or has its own copy of the classes.
  */
private[spark] object TaskBytes {

  /** Returns the results of a job with a task for each item, in their order.
    *
    * @param title
    *   description in Spark's UI
    */
  def job[A: ClassTag, B <: AnyRef: ClassTag](title: String, items: Vector[A])(task: A => B): Vector[B] = {
    val context = SparkSession.active.sparkContext
    JobDescription.during(context, title) {
      val results = context.parallelize(items, items.size).map(item => TaskBytes.of(task(item))).collect()
      results.toVector.map(read[B](_))
    }
  }

  def of(result: AnyRef): Array[Byte] = {
    val bytes = new ByteArrayOutputStream
    Using.resource(new ObjectOutputStream(bytes))(_.writeObject(result))
    bytes.toByteArray
  }

  def read[A: ClassTag](bytes: Array[Byte]): A = {
    val result =
      try Using.resource(new OurClasses(new ByteArrayInputStream(bytes)))(_.readObject())
      catch {
        case e: ClassNotFoundException => throw otherJar(e)
        case e: java.io.ObjectStreamException => throw otherJar(e)
      }
    result match {
      case ours: A => ours
      case other => throw new LanceUsageException(
          s"A task returned a ${other.getClass.getName} instead of a ${implicitly[ClassTag[A]].runtimeClass.getName}. $OneJar"
        )
    }
  }

  /** Cure for errors caused by two copies of the jar. */
  val OneJar: String = "Nothing was committed. Give driver and executors the same sparklance jar, once, " +
    "with spark.jars or --jars when Spark starts."

  private def otherJar(cause: Exception) = new LanceUsageException(
    s"The result of a task cannot be decoded ($cause): executors seem to have another sparklance jar than the driver. $OneJar",
    cause
  )

  final private class OurClasses(in: InputStream) extends ObjectInputStream(in) {
    override def resolveClass(described: ObjectStreamClass): Class[_] =
      try Class.forName(described.getName, false, getClass.getClassLoader)
      catch { case _: ClassNotFoundException => super.resolveClass(described) }
  }
}
