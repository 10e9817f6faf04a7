package io.sparklance.stores.dynamodb

import java.net.URI

import scala.collection.concurrent.TrieMap

import org.apache.hadoop.conf.Configuration

import software.amazon.awssdk.auth.credentials.{
  AwsBasicCredentials,
  AwsCredentials,
  AwsSessionCredentials,
  StaticCredentialsProvider
}
import software.amazon.awssdk.http.apache.ApacheHttpClient
import software.amazon.awssdk.regions.Region
import software.amazon.awssdk.services.dynamodb.DynamoDbClient

/** Connections to DynamoDB, shared by all tables with the same access. They last as long as the JVM. */
private[dynamodb] object Clients {

  /** The endpoint, if it does not follow from the region; pylance reads the variable, too. */
  private val EndpointKey = "sparklance.commit.dynamodb.endpoint"
  private val EndpointVariable = "DYNAMODB_ENDPOINT"

  /** Settings like S3A's. The SDK finds missing ones in the environment, in its files, or in the machine's
    * role.
    */
  final private case class Access(
      region: Option[String],
      endpoint: Option[String],
      keys: Option[AwsCredentials]
  )

  private val known = TrieMap.empty[Access, DynamoDbClient]

  def of(conf: Configuration): DynamoDbClient = {
    val access = Access(
      setting(conf, "fs.s3a.endpoint.region"),
      setting(conf, EndpointKey).orElse(Option(System.getenv(EndpointVariable))),
      keys(conf)
    )
    known.getOrElseUpdate(access, connect(access))
  }

  private def connect(access: Access): DynamoDbClient = {
    // The SDK refuses to choose among several HTTP clients, and its bundle has more than one.
    val builder = DynamoDbClient.builder.httpClientBuilder(ApacheHttpClient.builder())
    access.region.foreach(name => builder.region(Region.of(name)))
    access.endpoint.foreach(uri => builder.endpointOverride(URI.create(uri)))
    access.keys.foreach(keys => builder.credentialsProvider(StaticCredentialsProvider.create(keys)))
    builder.build()
  }

  private def keys(conf: Configuration): Option[AwsCredentials] = for {
    id <- secret(conf, "fs.s3a.access.key")
    key <- secret(conf, "fs.s3a.secret.key")
  } yield secret(conf, "fs.s3a.session.token") match {
    case Some(token) => AwsSessionCredentials.create(id, key, token)
    case None => AwsBasicCredentials.create(id, key)
  }

  /** Reads a secret from Hadoop's credential providers, or from the setting itself. */
  private def secret(conf: Configuration, name: String): Option[String] =
    Option(conf.getPassword(name)).map(_.mkString.trim).filter(_.nonEmpty)

  private def setting(conf: Configuration, name: String): Option[String] =
    Option(conf.getTrimmed(name)).filter(_.nonEmpty)
}
