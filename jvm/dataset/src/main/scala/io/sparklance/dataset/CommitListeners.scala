package io.sparklance.dataset

import java.util.concurrent.CopyOnWriteArrayList

import scala.util.control.NonFatal

import org.slf4j.LoggerFactory

/** Functions to call after each commit of this JVM, with the directory of its table, on the thread that
  * committed. Their failures are logged, for the commit stands.
  */
private[sparklance] object CommitListeners {
  private val log = LoggerFactory.getLogger(getClass)
  private val all = new CopyOnWriteArrayList[String => Unit]

  def add(listener: String => Unit): Unit = { val _ = all.add(listener) }

  private[dataset] def tell(root: String): Unit = all.forEach { listener =>
    try listener(root)
    catch { case NonFatal(e) => log.warn(s"after a commit to $root", e) }
  }
}
