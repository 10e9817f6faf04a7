package io.sparklance.stores.server

import io.sparklance.UnsupportedLanceFeatureException

/** Options of S3 by the reference's names. */
private[server] object S3Options {
  private val Names: Map[String, Seq[String]] = Map(
    "key" -> Seq("aws_access_key_id", "access_key_id"),
    "secret" -> Seq("aws_secret_access_key", "secret_access_key"),
    "token" -> Seq("aws_session_token", "aws_token", "session_token", "token"),
    "region" -> Seq("aws_region", "region", "aws_default_region", "default_region"),
    "endpoint" -> Seq("aws_endpoint", "aws_endpoint_url", "endpoint", "endpoint_url"),
    "bucket" -> Seq("aws_bucket", "aws_bucket_name", "bucket", "bucket_name"),
    "virtual" -> Seq("aws_virtual_hosted_style_request", "virtual_hosted_style_request"),
    "unsigned" -> Seq("aws_skip_signature", "skip_signature"),
    "http" -> Seq("aws_allow_http", "allow_http"),
    "encryption" -> Seq("aws_server_side_encryption", "server_side_encryption"),
    "encryption key" -> Seq("aws_sse_kms_key_id", "sse_kms_key_id"),
    "payer" -> Seq("aws_request_payer", "request_payer")
  )

  /** Names of all options, with Hadoop's for those whose value stays the same. */
  val known: Map[String, String] = Names.flatMap { case (meaning, names) =>
    val hadoops = meaning match {
      case "region" => "fs.s3a.endpoint.region"
      case "endpoint" => "fs.s3a.endpoint"
      case "encryption key" => "fs.s3a.encryption.key"
      case "payer" => "fs.s3a.requester.pays.enabled"
      case _ => ""
    }
    names.map(_ -> hadoops)
  }

  /** Returns settings whose values differ from those of the options. */
  def settings(options: Map[String, String]): Map[String, String] = {
    val isVirtual = value(options, "virtual").map(isTrue)
    // The reference addresses buckets of other endpoints by the path, unless the option says otherwise.
    val style = isVirtual.orElse(value(options, "endpoint").map(_ => false))
    style.map(virtual => "fs.s3a.path.style.access" -> (!virtual).toString).toMap ++
      value(options, "http").map(http => "fs.s3a.connection.ssl.enabled" -> (!isTrue(http)).toString)
        .filter(_ => value(options, "endpoint").forall(!_.contains("://"))) ++
      value(options, "unsigned").filter(isTrue).map(_ =>
        "fs.s3a.aws.credentials.provider" -> "org.apache.hadoop.fs.s3a.AnonymousAWSCredentialsProvider"
      ) ++ value(options, "encryption").map(kind => "fs.s3a.encryption.algorithm" -> algorithm(kind))
  }

  /** Returns the access key, the secret and the session token, if there are keys. */
  def keys(options: Map[String, String]): Option[(String, String, Option[String])] = for {
    key <- value(options, "key")
    secret <- value(options, "secret")
  } yield (key, secret, value(options, "token"))

  /** Returns settings for keys that do not expire. */
  def fixedKeys(options: Map[String, String]): Map[String, String] =
    keys(options).fold(Map.empty[String, String]) { case (key, secret, token) =>
      val provider = if (token.isDefined) "Temporary" else "Simple"
      Map(
        "fs.s3a.access.key" -> key,
        "fs.s3a.secret.key" -> secret,
        "fs.s3a.aws.credentials.provider" -> s"org.apache.hadoop.fs.s3a.${provider}AWSCredentialsProvider"
      ) ++ token.map("fs.s3a.session.token" -> _)
    }

  private def algorithm(kind: String): String = kind match {
    case "AES256" => "AES256"
    case "aws:kms" => "SSE-KMS"
    case "aws:kms:dsse" => "DSSE-KMS"
    case other => throw new UnsupportedLanceFeatureException(s"encryption '$other' by a catalog's server")
  }

  private def value(options: Map[String, String], meaning: String): Option[String] =
    Names(meaning).flatMap(options.get).find(_.nonEmpty)

  private def isTrue(text: String): Boolean = Set("true", "1", "yes", "on", "y").contains(text.toLowerCase)
}
