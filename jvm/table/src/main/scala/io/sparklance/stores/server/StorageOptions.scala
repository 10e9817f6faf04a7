package io.sparklance.stores.server

import java.util.Locale

import scala.jdk.CollectionConverters._
import scala.util.Try

import com.fasterxml.jackson.databind.ObjectMapper
import org.apache.hadoop.conf.Configuration

import io.sparklance.UnsupportedLanceFeatureException
import io.sparklance.io.hadoop.Schemes

/** A server's options for a table's store, by the reference's names, as settings of Hadoop's file systems. */
final private[sparklance] class StorageOptions(vended: Map[String, String], location: String) {
  import StorageOptions._

  private val options = vended.map { case (name, value) => name.toLowerCase(Locale.ROOT) -> value }

  /** Returns Hadoop's settings. Options that cannot be translated are refused by their names: without one,
    * access would fail, or go where it should not.
    *
    * @param access
    *   asks the server again when the credentials expire
    */
  def settings(access: ServerAccess): Map[String, String] = Schemes.of(location) match {
    case None | Some("file") => Map.empty
    case Some("s3" | "s3a" | "s3n") => translated(S3Options.known) ++ S3Options.settings(options) ++
        credentials(access)
    case Some("az" | "abfs" | "abfss") =>
      val renewed = expiry.flatMap(_ => AzureOptions.token(options)).map(_ => AzureProvider)
      translated(AzureOptions.known) ++ AzureOptions.settings(options, location, renewed) ++
        renewed.fold(Map.empty[String, String])(_ => access.settings)
    case Some("gs") => translated(GoogleOptions.known) ++ GoogleOptions.settings(options)
    case Some(_) => translated(Map.empty)
  }

  private def credentials(access: ServerAccess): Map[String, String] =
    if (S3Options.keys(options).isEmpty) Map.empty
    else if (expiry.isEmpty) S3Options.fixedKeys(options)
    else access.settings + ("fs.s3a.aws.credentials.provider" -> S3Provider)

  /** Milliseconds since 1970 at which the credentials expire. */
  private def expiry: Option[Long] = StorageOptions.expiry(vended)

  /** Refuses names without a meaning here. */
  private def translated(known: Map[String, String]): Map[String, String] = {
    options.keys.find(name => !known.contains(name) && !Times(name) && !ClientOptions(name)).foreach { name =>
      throw new UnsupportedLanceFeatureException(
        s"the storage option '$name' of a catalog's server, for $location,"
      )
    }
    options.flatMap { case (name, value) => known.get(name).filter(_.nonEmpty).map(_ -> value) }
  }
}

private[sparklance] object StorageOptions {
  private[server] val ExpiryKey = "expires_at_millis"
  private[server] val OffsetKey = "refresh_offset_millis"
  private val Times = Set(ExpiryKey, OffsetKey)

  /** Names of classes, which are loaded only where the libraries of the stores are. */
  private[server] val S3Provider = "io.sparklance.stores.server.VendedS3Credentials"
  private[server] val AzureProvider = "io.sparklance.stores.server.VendedAzureToken"

  /** Settings of the reference's client that concern its connections only. */
  private val ClientOptions = Set(
    "client_max_retries",
    "client_retry_timeout",
    "download_retry_count",
    "connect_timeout",
    "timeout",
    "pool_idle_timeout",
    "pool_max_idle_per_host",
    "http1_only",
    "http2_keep_alive_interval",
    "http2_keep_alive_timeout",
    "http2_keep_alive_while_idle",
    "http2_only",
    "user_agent",
    "aws_unsigned_payload",
    "unsigned_payload",
    "aws_conditional_put",
    "conditional_put",
    "aws_copy_if_not_exists",
    "copy_if_not_exists"
  )

  def expiry(options: Map[String, String]): Option[Long] =
    options.get(ExpiryKey).flatMap(text => Try(text.trim.toLong).toOption)

  /** Key of the first credentials. It is no setting of the table's, for its value changes. */
  private val FirstKey = "sparklance.server.first.secret"

  /** Returns the key with credentials that expire, so that not every JVM asks the server at once. */
  def first(options: Map[String, String]): Map[String, String] =
    if (expiry(options).isEmpty) Map.empty else Map(FirstKey -> VendedOptions.text(options))

  private[server] def firstIn(conf: Configuration): Option[Map[String, String]] =
    Option(conf.get(FirstKey)).map(VendedOptions.parse)
}

/** Options of Google's storage by the reference's names. Access tokens need an interface of Google's
  * connector that differs between its releases, and are refused.
  */
private[server] object GoogleOptions {
  private val File =
    Seq("google_service_account", "google_service_account_path", "service_account", "service_account_path")
  private val Bucket = Seq("google_bucket", "google_bucket_name", "bucket", "bucket_name")

  val known: Map[String, String] = (File ++ Bucket).map(_ -> "").toMap

  def settings(options: Map[String, String]): Map[String, String] =
    File.flatMap(options.get).find(_.nonEmpty).fold(Map.empty[String, String]) { file =>
      Map(
        "fs.gs.auth.type" -> "SERVICE_ACCOUNT_JSON_KEYFILE",
        "fs.gs.auth.service.account.json.keyfile" -> file
      )
    }
}

/** Options as one text. */
private[server] object VendedOptions {
  private val mapper = new ObjectMapper

  def text(options: Map[String, String]): String = mapper.writeValueAsString(options.asJava)

  def parse(json: String): Map[String, String] =
    mapper.readTree(json).properties.asScala.map(entry => entry.getKey -> entry.getValue.asText).toMap
}
