package io.sparklance.stores.dynamodb

import java.io.IOException
import java.net.URI
import java.util.{Map => JMap}

import scala.collection.concurrent.TrieMap
import scala.jdk.CollectionConverters._

import org.apache.hadoop.conf.Configuration

import io.sparklance.io.{ManifestRecord, ManifestRecords}
import io.sparklance.{LanceFormatException, LanceUsageException}

import software.amazon.awssdk.auth.credentials.{
  AwsBasicCredentials,
  AwsCredentials,
  AwsSessionCredentials,
  StaticCredentialsProvider
}
import software.amazon.awssdk.core.exception.SdkException
import software.amazon.awssdk.http.apache.ApacheHttpClient
import software.amazon.awssdk.regions.Region
import software.amazon.awssdk.services.dynamodb.DynamoDbClient
import software.amazon.awssdk.services.dynamodb.model.{
  AttributeValue,
  ConditionalCheckFailedException,
  DeleteItemRequest,
  PutItemRequest,
  QueryRequest
}

/** Records of manifests as items of a DynamoDB table, in pylance's layout:
  *
  * {{{
  * base_uri   string, partition key   the table's path within its bucket
  * version    number, sort key
  * path       string                  of the manifest, within the bucket
  * committer  string                  the software that wrote the item
  * size       number                  of the manifest in bytes; old items lack it
  * }}}
  */
final private[sparklance] class DynamoRecords private (client: DynamoDbClient, items: String)
    extends ManifestRecords {
  import DynamoRecords._

  def latest(table: String): Option[ManifestRecord] = asking(items) {
    val newest = QueryRequest.builder
      .tableName(items)
      .consistentRead(true)
      .keyConditionExpression("base_uri = :table")
      .expressionAttributeValues(JMap.of(":table", AttributeValue.fromS(table)))
      .scanIndexForward(false)
      .limit(1)
      .build()
    client.query(newest).items.asScala.headOption.map(item => record(item.asScala.toMap))
  }

  def add(table: String, record: ManifestRecord): Boolean =
    try {
      put(table, record, "attribute_not_exists(base_uri) AND attribute_not_exists(version)")
      true
    } catch { case _: ConditionalCheckFailedException => false }

  override def replace(table: String, record: ManifestRecord): Unit =
    put(table, record, "attribute_exists(base_uri) AND attribute_exists(version)")

  override def remove(table: String, record: ManifestRecord): Unit = asking(items) {
    val key = Map(
      "base_uri" -> AttributeValue.fromS(table),
      "version" -> AttributeValue.fromN(record.version.toString)
    )
    val request = DeleteItemRequest.builder
      .tableName(items)
      .key(key.asJava)
      .conditionExpression("#path = :path")
      .expressionAttributeNames(JMap.of("#path", "path"))
      .expressionAttributeValues(JMap.of(":path", AttributeValue.fromS(record.path)))
      .build()
    try { val _ = client.deleteItem(request) }
    catch { case _: ConditionalCheckFailedException => () }
  }

  private def put(table: String, record: ManifestRecord, condition: String): Unit = asking(items) {
    val item = Map(
      "base_uri" -> AttributeValue.fromS(table),
      "version" -> AttributeValue.fromN(record.version.toString),
      "path" -> AttributeValue.fromS(record.path),
      "committer" -> AttributeValue.fromS(Committer)
    ) ++ record.size.map(bytes => "size" -> AttributeValue.fromN(bytes.toString))
    val _ = client.putItem(
      PutItemRequest.builder.tableName(items).item(item.asJava).conditionExpression(condition).build()
    )
  }

  private def record(item: Map[String, AttributeValue]): ManifestRecord = {
    def malformed(name: String) = new LanceFormatException(
      s"an item of the DynamoDB table $items has no valid $name: ${item.get(name)}"
    )
    def number(name: String): Option[Long] = item.get(name).map { value =>
      Option(value.n).flatMap(_.toLongOption).filter(_ >= 0).getOrElse(throw malformed(name))
    }
    ManifestRecord(
      number("version").getOrElse(throw malformed("version")),
      item.get("path").flatMap(value => Option(value.s)).getOrElse(throw malformed("path")),
      number("size")
    )
  }
}

private[sparklance] object DynamoRecords {

  /** Committer of our items. */
  private val Committer = "sparklance"

  /** @param items name of the DynamoDB table */
  def apply(items: String, conf: Configuration): ManifestRecords =
    try new DynamoRecords(Clients.of(conf), items)
    catch {
      case e: NoClassDefFoundError =>
        throw new LanceUsageException(
          s"Commits by the DynamoDB table $items need the AWS SDK for Java 2, but ${e.getMessage} is not " +
            "on the class path. Add software.amazon.awssdk:bundle, a dependency of hadoop-aws, or its " +
            "module dynamodb.",
          e
        )
    }

  private def asking[A](items: String)(body: => A): A =
    try body
    catch {
      case e: ConditionalCheckFailedException => throw e
      case e: SdkException =>
        throw new IOException(s"the DynamoDB table $items does not answer: ${e.getMessage}", e)
    }
}

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
