package io.sparklance.io.hadoop

import org.apache.hadoop.conf.Configuration

import io.sparklance.LanceUsageException

/** Translates URIs of tables to those of Hadoop's file systems. Other software of the format writes
  * `s3://bucket/key`, `gs://bucket/key`, `az://container/key` or `az://container@account/key`,
  * `abfss://container@account.dfs.core.windows.net/key`, `file:///path`, or a path.
  */
private[sparklance] object Schemes {

  /** Names the storage account to which `az://` URIs belong, as ABFS itself does. */
  val AccountKey = "fs.azure.abfs.account.name"

  def hadoops(uri: String, conf: Configuration): String = uri match {
    case Parts("s3" | "s3n", rest) => s"s3a://$rest"
    case Parts("az", rest) =>
      val authority = rest.takeWhile(_ != '/')
      val container = authority.takeWhile(_ != '@')
      val named = Option(authority.drop(container.length + 1)).filter(_.nonEmpty)
      s"abfss://$container@${host(named.getOrElse(account(uri, conf)))}${rest.drop(authority.length)}"
    case other => other
  }

  /** Returns the scheme; None for a plain path. */
  def of(uri: String): Option[String] = uri match {
    case Scheme(scheme) => Some(scheme)
    case _ => None
  }

  /** Returns scheme and authority, which identify the URI's file system or bucket. */
  def authority(uri: String): Option[(String, String)] = uri match {
    case Parts(scheme, rest) => Some((scheme, rest.takeWhile(_ != '/')))
    case Scheme(scheme) => Some((scheme, ""))
    case _ => None
  }

  private def account(uri: String, conf: Configuration): String =
    Option(conf.get(AccountKey)).filter(_.nonEmpty).getOrElse(
      throw new LanceUsageException(
        s"$uri lacks the storage account of its container. Set $AccountKey to it, for the session or as " +
          "an option; or write abfss://container@account.dfs.core.windows.net/path."
      )
    )

  private def host(account: String): String =
    if (account.contains('.')) account else s"$account.dfs.core.windows.net"

  private val Parts = "([A-Za-z][A-Za-z0-9+.-]*)://(.*)".r
  private val Scheme = "([A-Za-z][A-Za-z0-9+.-]+):.*".r
}
