package io.sparklance.stores.server

import io.sparklance.LanceUsageException
import io.sparklance.io.hadoop.Schemes

/** Options of Azure by the reference's names. */
private[server] object AzureOptions {
  private val Names: Map[String, Seq[String]] = Map(
    "account" -> Seq("azure_storage_account_name", "account_name"),
    "key" -> Seq(
      "azure_storage_account_key",
      "azure_storage_access_key",
      "azure_storage_master_key",
      "access_key",
      "account_key",
      "master_key"
    ),
    "sas" -> Seq("azure_storage_sas_key", "azure_storage_sas_token", "sas_key", "sas_token"),
    "client" -> Seq("azure_storage_client_id", "azure_client_id", "client_id"),
    "secret" -> Seq("azure_storage_client_secret", "azure_client_secret", "client_secret"),
    "tenant" -> Seq(
      "azure_storage_tenant_id",
      "azure_storage_authority_id",
      "azure_tenant_id",
      "azure_authority_id",
      "tenant_id",
      "authority_id"
    ),
    "container" -> Seq("azure_container_name", "container_name")
  )

  val known: Map[String, String] = Names.values.flatten.map(_ -> "").toMap

  /** Returns the SAS token, if there is one. */
  def token(options: Map[String, String]): Option[String] = value(options, "sas").map(_.stripPrefix("?"))

  /** @param provider
    *   name of a class that renews the SAS token, if it expires
    */
  def settings(
      options: Map[String, String],
      location: String,
      provider: Option[String]
  ): Map[String, String] = {
    val account = value(options, "account").orElse(accountIn(location))
    def host = s"${account.getOrElse(throw noAccount(location))}.dfs.core.windows.net"
    account.map(Schemes.AccountKey -> _).toMap ++
      value(options, "key").map(key => s"fs.azure.account.key.$host" -> key) ++
      token(options).fold(Map.empty[String, String])(token => sas(host, token, provider)) ++
      application(options).fold(Map.empty[String, String]) { case (client, secret, tenant) =>
        Map(
          s"fs.azure.account.auth.type.$host" -> "OAuth",
          s"fs.azure.account.oauth.provider.type.$host" ->
            "org.apache.hadoop.fs.azurebfs.oauth2.ClientCredsTokenProvider",
          s"fs.azure.account.oauth2.client.endpoint.$host" ->
            s"https://login.microsoftonline.com/$tenant/oauth2/token",
          s"fs.azure.account.oauth2.client.id.$host" -> client,
          s"fs.azure.account.oauth2.client.secret.$host" -> secret
        )
      }
  }

  private def sas(host: String, token: String, provider: Option[String]): Map[String, String] = Map(
    s"fs.azure.account.auth.type.$host" -> "SAS",
    provider.fold(s"fs.azure.sas.fixed.token.$host" -> token)(s"fs.azure.sas.token.provider.type.$host" -> _)
  )

  private def application(options: Map[String, String]): Option[(String, String, String)] = for {
    client <- value(options, "client")
    secret <- value(options, "secret")
    tenant <- value(options, "tenant")
  } yield (client, secret, tenant)

  /** The account in `container@account.dfs.core.windows.net`. */
  private def accountIn(location: String): Option[String] = Schemes.authority(location).flatMap {
    case (_, authority) =>
      Option(authority.dropWhile(_ != '@').drop(1).takeWhile(_ != '.')).filter(_.nonEmpty)
  }

  private def noAccount(location: String) = new LanceUsageException(
    s"The catalog's server gives credentials for $location and no storage account. Set fs.azure.abfs.account.name for the catalog, " +
      "or let the server tell azure_storage_account_name."
  )

  private def value(options: Map[String, String], meaning: String): Option[String] =
    Names(meaning).flatMap(options.get).find(_.nonEmpty)
}
