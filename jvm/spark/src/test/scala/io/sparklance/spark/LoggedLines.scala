package io.sparklance.spark

import org.apache.logging.log4j.core.appender.AbstractAppender
import org.apache.logging.log4j.core.config.Property
import org.apache.logging.log4j.core.{LogEvent, Logger}
import org.apache.logging.log4j.{Level, LogManager}

/** Catches what a class writes to the log. */
trait LoggedLines {

  /** Returns the warnings of a class while `body` runs. */
  protected def logged(by: Class[_])(body: => Any): Seq[String] = {
    val lines = new Lines
    val logger = LogManager.getLogger(by).asInstanceOf[Logger]
    logger.addAppender(lines)
    logger.setLevel(Level.WARN)
    try { val _ = body }
    finally {
      logger.setLevel(Level.ERROR)
      logger.removeAppender(lines)
    }
    lines.all
  }

  final private class Lines extends AbstractAppender("lines", null, null, true, Property.EMPTY_ARRAY) {
    var all: Seq[String] = Seq.empty
    start()
    override def append(event: LogEvent): Unit = all :+= event.getMessage.getFormattedMessage
  }
}
