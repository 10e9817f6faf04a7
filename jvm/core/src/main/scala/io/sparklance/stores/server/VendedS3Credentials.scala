package io.sparklance.stores.server

import java.net.URI

import scala.annotation.unused
import scala.util.Try

import org.apache.hadoop.conf.Configuration

import io.sparklance.{CatalogErrorException, ServerError}

import software.amazon.awssdk.auth.credentials.{
  AwsBasicCredentials,
  AwsCredentials,
  AwsCredentialsProvider,
  AwsSessionCredentials
}

/** Keys of S3 that a catalog's server gives for a limited time. The server is asked again before they expire,
  * on the driver and in each executor. Hadoop's file system creates it by its name.
  */
final class VendedS3Credentials(@unused uri: URI, conf: Configuration) extends AwsCredentialsProvider {
  private val access = ServerAccess.in(conf)
  @volatile private var current: Option[VendedS3Credentials.Keys] =
    StorageOptions.firstIn(conf).flatMap(VendedS3Credentials.keys)

  override def resolveCredentials(): AwsCredentials =
    current.filter(_.isFresh).getOrElse(renewed()).credentials

  private def renewed(): VendedS3Credentials.Keys = synchronized {
    current.filter(_.isFresh).getOrElse {
      val table = access.getOrElse(throw failure("no server is configured"))
      val keys = VendedS3Credentials.keys(table.server.describeTable(table.table).storage)
        .getOrElse(throw failure(s"the server gives no more keys for $table"))
      current = Some(keys)
      keys
    }
  }

  private def failure(why: String) = new CatalogErrorException(
    ServerError.Unauthenticated,
    s"The credentials of S3 cannot be renewed: $why. Ask the server's administrator for them."
  )
}

private[server] object VendedS3Credentials {

  /** Time before the end at which keys are renewed, if the server does not tell one: the reference's. */
  private val OffsetMillis = 60000L

  final private case class Keys(credentials: AwsCredentials, staleMillis: Long) {
    def isFresh: Boolean = System.currentTimeMillis() < staleMillis
  }

  private def keys(storage: Map[String, String]): Option[Keys] =
    S3Options.keys(storage.map { case (name, value) => name.toLowerCase -> value }).map {
      case (key, secret, token) =>
        val offset = storage.get(StorageOptions.OffsetKey).flatMap(text => Try(text.toLong).toOption)
        val end = StorageOptions.expiry(storage).getOrElse(Long.MaxValue)
        val credentials = token.fold[AwsCredentials](AwsBasicCredentials.create(key, secret))(
          AwsSessionCredentials.create(key, secret, _)
        )
        Keys(credentials, if (end == Long.MaxValue) end else end - offset.getOrElse(OffsetMillis))
    }
}
