package io.sparklance.spark.session

import java.net.URL
import java.util.{Enumeration => JEnumeration}

import scala.util.control.NonFatal

import org.apache.hadoop.conf.Configuration
import org.apache.spark.SparkContext
import org.apache.spark.sql.SparkSession
import org.slf4j.LoggerFactory

/** Keeps a jar that was given by `--jars` usable in the sessions of Spark's Thrift server.
  *
  * Hive opens a session in a thread whose class loader lacks such jars, so Spark cannot load our catalogs by
  * their names there. When a session ends, Hive closes its class loader and those above it: Spark has put the
  * loader of these jars among them, and from then on they lack all classes that are not loaded yet, for all
  * sessions.
  */
private[spark] object ThriftServer {
  private val log = LoggerFactory.getLogger(getClass)

  /** Prepares the thread's session, if it is one of the server, for a statement. */
  def prepare(session: SparkSession): Unit = if (AddedJar.isOfSubmit && isServing)
    try {
      if (!findsUs(Thread.currentThread.getContextClassLoader))
        Thread.currentThread.setContextClassLoader(session.sharedState.jarClassLoader)
      hiveSettings.filter(conf => isAbove(conf.getClassLoader)).foreach { conf =>
        conf.setClassLoader(new LoaderApart(conf.getClassLoader))
      }
    } catch {
      case e @ (NonFatal(_) | _: LinkageError) => log.warn("cannot prepare a session of the Thrift server", e)
    }

  private def isServing: Boolean = StackWalker.getInstance().walk[Boolean] { frames =>
    frames.anyMatch(frame => callers.exists(frame.getClassName.startsWith))
  }

  /** Hive's sessions, and Spark's threads for their statements. */
  private val callers = Seq(
    "org.apache.hive.service.cli.",
    "org.apache.spark.sql.hive.thriftserver.SparkExecuteStatementOperation"
  )

  private def findsUs(loader: ClassLoader): Boolean =
    try Class.forName(getClass.getName, false, loader) == getClass
    catch { case _: ClassNotFoundException => false }

  /** Whether the loader of this jar is above another one, or is that. */
  private def isAbove(loader: ClassLoader): Boolean =
    Iterator.iterate(loader)(_.getParent).takeWhile(_ != null).contains(getClass.getClassLoader)

  /** The settings of the thread's session of Hive, which have its class loader. */
  private def hiveSettings: Option[Configuration] = {
    val state = Class.forName(
      "org.apache.hadoop.hive.ql.session.SessionState",
      false,
      classOf[SparkContext].getClassLoader
    )
    Option(state.getMethod("get").invoke(null)).map(state.getMethod("getConf").invoke(_)).collect {
      case conf: Configuration => conf
    }
  }
}

/** Finds what another loader finds, and is no child of it: Hive does not close that. */
final private class LoaderApart(other: ClassLoader) extends ClassLoader(null) {
  override protected def loadClass(name: String, resolve: Boolean): Class[_] = other.loadClass(name)
  override def getResource(name: String): URL = other.getResource(name)
  override def getResources(name: String): JEnumeration[URL] = other.getResources(name)
}
