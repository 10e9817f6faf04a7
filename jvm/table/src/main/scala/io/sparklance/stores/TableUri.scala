package io.sparklance.stores

import java.io.IOException
import java.net.URLDecoder
import java.nio.charset.StandardCharsets.UTF_8

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path

import io.sparklance.io.hadoop.Schemes
import io.sparklance.{Causes, LanceException, LanceUsageException}

/** A table's location as the user gives it.
  *
  * @param root
  *   a path, or a URI of a Hadoop file system
  * @param records
  *   the DynamoDB table that orders its commits, if any
  */
final private[sparklance] case class TableUri(root: String, records: Option[String]) {

  /** Returns the URI with a scheme and without redundant slashes. */
  def qualified(conf: Configuration): TableUri = TableUri.addressing(root) {
    val path = new Path(root)
    copy(root = FileSystems.of(path, conf).makeQualified(path).toString)
  }

  override def toString: String =
    records.fold(root)(table => s"s3+ddb://${root.stripPrefix("s3a://")}?${TableUri.Query}=$table")
}

private[sparklance] object TableUri {
  private[stores] val Query = "ddbTableName"
  private val Ordered = "s3\\+ddb://([^?]*)(?:\\?(.*))?".r

  def parse(uri: String, conf: Configuration): TableUri = uri match {
    case Ordered(place, query) =>
      val table = Option(query).map(_.split("=", 2)).collect {
        case Array(Query, name) if name.nonEmpty && !name.contains('&') => URLDecoder.decode(name, UTF_8)
      }
      TableUri(s"s3a://$place", Some(table.getOrElse(throw noTable(uri))))
    case Windows() => throw new LanceUsageException(
        s"$uri is a path of Windows, which Spark takes as an address only. Write it as file:///C:/data/t.lance."
      )
    case Web() => throw new LanceUsageException(
        s"$uri is an address of the web, which has no tables: a table needs a store that lists its files. " +
          "Give the address of the store, such as s3a://bucket/path, or download the table."
      )
    case Home(rest) => TableUri(s"file://$home$rest", None)
    case other => TableUri(Schemes.hadoops(other, conf), None)
  }

  /** Runs `body`, which opens the file system of an address. Hadoop reports what is wrong with an address,
    * and servers that cannot be reached, by exceptions that say neither.
    */
  private def addressing[A](address: String)(body: => A): A =
    try body
    catch {
      case e: LanceException => throw e
      case e: RuntimeException => throw causes(e).collectFirst { case fault: IOException => fault }.getOrElse(
          new LanceUsageException(
            s"Spark cannot open '$address': ${said(e)}. Give a path, such as /data/t.lance, or a whole address, such as " +
              "hdfs://server/data/t.lance, and check the settings of its store (docs/stores.md).",
            e
          )
        )
    }

  private def causes(e: Throwable) = Causes.of(e).take(Deepest)

  private def said(e: Throwable): String = {
    val inner = causes(e).toSeq.last
    Option(inner.getMessage).getOrElse(inner.getClass.getSimpleName).replaceAll("\\s+", " ").stripSuffix(".")
  }

  private val Deepest = 10

  /** Whether a text can only be a path, and no name of a table. */
  def isPathOfWindows(text: String): Boolean = Windows.matches(text)

  private val Windows = "[A-Za-z]:[\\\\/].*|\\\\\\\\.*".r
  private val Web = "(?i)https?://.*".r

  /** A path in the user's home directory, as in a shell and in pylance. */
  private val Home = "~((?:/.*)?)".r

  /** The directory that `~` stands for: as in pylance, the environment's goes before the account's. */
  private def home: String = sys.env.getOrElse("HOME", System.getProperty("user.home"))

  private def noTable(uri: String): LanceUsageException = new LanceUsageException(
    s"$uri does not name the DynamoDB table that orders the commits. Write " +
      s"s3+ddb://bucket/path?$Query=…, with nothing else after the question mark."
  )
}
