package io.sparklance.stores.server

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.azurebfs.extensions.SASTokenProvider

/** SAS tokens of Azure that a catalog's server gives for a limited time, on the driver and in each executor.
  * Hadoop's file system creates it by its name.
  */
final class VendedAzureToken extends SASTokenProvider {
  @volatile private var tokens: Option[VendedKeys[String]] = None

  override def initialize(conf: Configuration, account: String): Unit =
    tokens = Some(new VendedKeys(conf, "Azure")(AzureOptions.token))

  override def getSASToken(account: String, fileSystem: String, path: String, operation: String): String =
    tokens.getOrElse(throw new IllegalStateException("not initialized")).current
}
