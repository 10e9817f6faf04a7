package io.sparklance.stores

import java.lang.reflect.InvocationTargetException

import scala.util.{Failure, Success, Try}

import org.apache.hadoop.conf.Configuration

import io.sparklance.LanceUsageException
import io.sparklance.io.{CommitHandler, CommitLock, LockedCommits, ManifestRecords, UnguardedCommits}
import io.sparklance.stores.dynamodb.DynamoRecords
import io.sparklance.stores.server.{ServerAccess, ServerVersions}
import io.sparklance.table.commit.ExternalManifests

/** The way in which a table is committed to: its store's, or one that the user named. It is kept in Hadoop's
  * configuration, so that it travels with the table's location.
  */
sealed private[sparklance] trait CommitChoice

private[sparklance] object CommitChoice {
  private val HandlerKey = "sparklance.commit.handler"
  private val RecordsKey = "sparklance.commit.dynamodb.table"

  /** Name of the handler for one unguarded writer. */
  val Unguarded = "unguarded"

  /** @param name name of a class, or [[Unguarded]] */
  def setHandler(name: String, conf: Configuration): Unit = conf.set(HandlerKey, name)
  def handler(conf: Configuration): Option[String] = Option(conf.get(HandlerKey))

  /** @param table name of the DynamoDB table */
  def setRecords(table: String, conf: Configuration): Unit = conf.set(RecordsKey, table)
  def records(conf: Configuration): Option[String] = Option(conf.get(RecordsKey))

  case object OfStore extends CommitChoice
  final private[stores] case class Other(handler: () => CommitHandler) extends CommitChoice

  /** A server that manages a table's versions has the last word. */
  private[stores] def in(conf: Configuration, root: String): CommitChoice =
    ServerAccess.in(conf).flatMap(access => access.versionsOf.map(access -> _)) match {
      case Some((access, home)) => Other(() => new ServerVersions(access.server, access.table, home))
      case None => withoutServer(conf, root)
    }

  private def withoutServer(conf: Configuration, root: String): CommitChoice =
    (handler(conf), records(conf)) match {
      case (None, None) => OfStore
      case (None, Some(table)) =>
        Other(() => new ExternalManifests(DynamoRecords(table, conf), hasBuckets = false))
      case (Some(Unguarded), None) => Other(() => UnguardedCommits)
      case (Some(name), None) => Other(() => named(name, conf))
      case (Some(_), Some(_)) =>
        throw new LanceUsageException(
          s"The path of the table at $root, by s3+ddb://, and option 'commitHandler' both name a commit " +
            "handler. Leave one of them out."
        )
    }

  private def named(name: String, conf: Configuration): CommitHandler = made(name, conf) match {
    case Success(handler: CommitHandler) => handler
    case Success(lock: CommitLock) => new LockedCommits(lock)
    case Success(records: ManifestRecords) => new ExternalManifests(records, hasBuckets = true)
    case Success(_) =>
      throw new LanceUsageException(
        s"Option 'commitHandler' names $name, which is no ${classOf[CommitHandler].getName}, " +
          s"${classOf[CommitLock].getName} or ${classOf[ManifestRecords].getName}. Name a class that is one of " +
          s"them, or '$Unguarded'."
      )
    case Failure(e: InvocationTargetException) if e.getCause.isInstanceOf[LanceUsageException] =>
      throw e.getCause
    case Failure(e) =>
      throw new LanceUsageException(
        s"Option 'commitHandler' names the class $name, which cannot be instantiated: $e. It must be on " +
          "the class path, and have a public constructor that takes a Hadoop Configuration, or nothing.",
        e
      )
  }

  private def made(name: String, conf: Configuration): Try[Any] = Try {
    val loaded = conf.getClassByName(name)
    loaded.getConstructors.find(_.getParameterTypes.toSeq == Seq(classOf[Configuration])) match {
      case Some(constructor) => constructor.newInstance(conf)
      case None => loaded.getConstructor().newInstance()
    }
  }
}
