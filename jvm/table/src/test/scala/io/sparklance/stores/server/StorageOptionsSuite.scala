package io.sparklance.stores.server

import java.net.URI

import scala.util.Using

import org.apache.hadoop.conf.Configuration
import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.rest.{ScriptedServer, ServerOptions}
import io.sparklance.{CatalogErrorException, UnsupportedLanceFeatureException}

import software.amazon.awssdk.auth.credentials.AwsSessionCredentials

/** A server's storage options as settings of Hadoop, and credentials that expire. */
final class StorageOptionsSuite extends AnyFunSuite {
  private val access = ServerAccess(
    ServerOptions("https://host", headers = Map("authorization" -> "t0ken")),
    Vector("a", "t"),
    None
  )

  private def settings(location: String, options: (String, String)*): Map[String, String] =
    new StorageOptions(options.toMap, location).settings(access)

  test("S3") {
    assert(settings(
      "s3://b/t",
      "aws_access_key_id" -> "k",
      "AWS_SECRET_ACCESS_KEY" -> "s",
      "region" -> "eu",
      "timeout" -> "5s"
    ) == Map(
      "fs.s3a.access.key" -> "k",
      "fs.s3a.secret.key" -> "s",
      "fs.s3a.endpoint.region" -> "eu",
      "fs.s3a.aws.credentials.provider" -> "org.apache.hadoop.fs.s3a.SimpleAWSCredentialsProvider"
    ))
    val local =
      settings("s3a://b/t", "endpoint" -> "http://h:1", "allow_http" -> "true", "skip_signature" -> "true")
    assert(local == Map(
      "fs.s3a.endpoint" -> "http://h:1",
      "fs.s3a.path.style.access" -> "true",
      "fs.s3a.aws.credentials.provider" -> "org.apache.hadoop.fs.s3a.AnonymousAWSCredentialsProvider"
    ))
    val encrypted =
      settings("s3://b/t", "aws_server_side_encryption" -> "aws:kms", "aws_sse_kms_key_id" -> "id")
    assert(encrypted == Map("fs.s3a.encryption.algorithm" -> "SSE-KMS", "fs.s3a.encryption.key" -> "id"))
    val expiring = settings(
      "s3://b/t",
      "access_key_id" -> "k",
      "secret_access_key" -> "s",
      "session_token" -> "x",
      "expires_at_millis" -> "5"
    )
    assert(expiring("fs.s3a.aws.credentials.provider") == classOf[VendedS3Credentials].getName)
    assert(!expiring.values.exists(Set("k", "s", "x")) &&
      ServerAccess.in(configuration(expiring)).contains(access))
  }

  test("Azure, Google, local disks, and what cannot be translated") {
    val host = "acc.dfs.core.windows.net"
    assert(settings(
      "abfss://c@acc.dfs.core.windows.net/t",
      "azure_storage_sas_token" -> "?sv=1",
      "account_name" -> "acc"
    ) == Map(
      "fs.azure.abfs.account.name" -> "acc",
      s"fs.azure.account.auth.type.$host" -> "SAS",
      s"fs.azure.sas.fixed.token.$host" -> "sv=1"
    ))
    assert(settings("az://c/t", "azure_storage_account_key" -> "k", "azure_storage_account_name" -> "acc") ==
      Map(
        "fs.azure.abfs.account.name" -> "acc",
        s"fs.azure.account.key.$host" -> "k"
      ))
    val expiring = settings(
      "abfss://c@acc.dfs.core.windows.net/t",
      "sas_token" -> "sv=1",
      "expires_at_millis" -> "5"
    )
    assert(expiring(s"fs.azure.sas.token.provider.type.$host") == classOf[VendedAzureToken].getName &&
      !expiring.values.exists(_.contains("sv=1")) &&
      ServerAccess.in(configuration(expiring)).contains(access))
    val application = Seq(
      "azure_client_id" -> "i",
      "azure_client_secret" -> "s",
      "azure_tenant_id" -> "te",
      "account_name" -> "acc"
    )
    assert(settings(
      "az://c/t",
      application: _*
    )(s"fs.azure.account.oauth2.client.endpoint.$host").contains("/te/"))
    assert(settings("gs://b/t", "google_service_account" -> "/key.json") == Map(
      "fs.gs.auth.type" -> "SERVICE_ACCOUNT_JSON_KEYFILE",
      "fs.gs.auth.service.account.json.keyfile" -> "/key.json"
    ))
    assert(settings("/d/t", "anything" -> "x").isEmpty)
    Seq(
      "s3://b/t" -> "aws_later",
      "gs://b/t" -> "google_storage_token",
      "az://c/t" -> "bearer_token",
      "hdfs://h/t" -> "user"
    ).foreach {
      case (location, name) =>
        val thrown = intercept[UnsupportedLanceFeatureException](settings(location, name -> "s3cret"))
        assert(thrown.getMessage.contains(s"'$name'") && !thrown.getMessage.contains("s3cret"))
    }
  }

  private def configuration(settings: Map[String, String]): Configuration = {
    val conf = new Configuration(false)
    settings.foreach { case (key, value) => conf.set(key, value) }
    conf
  }

  test("tokens of Azure that expire are asked for again before they do") {
    val far = System.currentTimeMillis() + 3600000
    def described(n: Int) = s"""{"location":"abfss://c@a.dfs.core.windows.net/t","storage_options":{
      "azure_storage_sas_token":"?sv=$n","expires_at_millis":"${if (n == 1) 0 else far}"}}"""
    Using.resource(new ScriptedServer((n, _) => ScriptedServer.ok(described(n)))) { server =>
      val mine = access.copy(options = access.options.copy(uri = server.uri))
      val token = new VendedAzureToken
      val first = Map("azure_storage_sas_token" -> "?sv=0", "expires_at_millis" -> "0")
      token.initialize(configuration(mine.settings ++ StorageOptions.first(first)), "a")
      def now = token.getSASToken("a", "c", "/t", "read")
      assert(Seq.fill(3)(now) == Seq("sv=1", "sv=2", "sv=2") && server.requests.size == 2)
    }
    Using.resource(new ScriptedServer((_, _) => ScriptedServer.ok("""{"location":"/t"}"""))) { server =>
      val token = new VendedAzureToken
      token.initialize(
        configuration(access.copy(options = access.options.copy(uri = server.uri)).settings),
        "a"
      )
      val thrown = intercept[CatalogErrorException](token.getSASToken("a", "c", "/t", "read"))
      assert(thrown.getMessage.contains("credentials of Azure cannot be renewed"))
    }
  }

  test("keys that expire are asked for again before they do, once for all threads") {
    def keys(n: Int, expires: Long) = s"""{"location":"s3://b/t","storage_options":{"aws_access_key_id":"k$n",
      "aws_secret_access_key":"s$n","aws_session_token":"x$n","expires_at_millis":"$expires","refresh_offset_millis":"1000"}}"""
    val far = System.currentTimeMillis() + 3600000
    Using.resource(new ScriptedServer((n, _) => ScriptedServer.ok(keys(n, if (n == 1) 0 else far)))) {
      server =>
        val mine = access.copy(options = access.options.copy(uri = server.uri))
        val first = Map(
          "aws_access_key_id" -> "k0",
          "aws_secret_access_key" -> "s0",
          "expires_at_millis" -> far.toString
        )
        val conf = configuration(mine.settings ++ StorageOptions.first(first))
        val known = new VendedS3Credentials(URI.create("s3a://b"), conf)
        assert(known.resolveCredentials().accessKeyId == "k0" && server.requests.isEmpty)
        val asking = new VendedS3Credentials(URI.create("s3a://b"), configuration(mine.settings))
        assert(asking.resolveCredentials().accessKeyId == "k1")
        val threads = Vector.fill(4)(new Thread(() => { val _ = asking.resolveCredentials() }))
        threads.foreach(_.start())
        threads.foreach(_.join())
        asking.resolveCredentials() match {
          case session: AwsSessionCredentials =>
            assert(session.accessKeyId == "k2" && session.sessionToken == "x2")
          case other => fail(other.toString)
        }
        assert(server.requests.size == 2 && server.requests.forall(_.headers("authorization") == "t0ken"))
    }
  }
}
