package io.sparklance.stores.dynamodb

import java.io.IOException
import java.util.{Map => JMap}

import scala.jdk.CollectionConverters._

import org.apache.hadoop.conf.Configuration

import io.sparklance.io.{ManifestRecord, ManifestRecords}
import io.sparklance.{LanceFormatException, LanceUsageException}

import software.amazon.awssdk.core.exception.SdkException
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
