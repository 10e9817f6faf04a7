package io.sparklance.stores.server

import java.net.URI

import scala.annotation.unused

import org.apache.hadoop.conf.Configuration

import software.amazon.awssdk.auth.credentials.{
  AwsBasicCredentials,
  AwsCredentials,
  AwsCredentialsProvider,
  AwsSessionCredentials
}

/** Keys of S3 that a catalog's server gives for a limited time, on the driver and in each executor. Hadoop's
  * file system creates it by its name.
  */
final class VendedS3Credentials(@unused uri: URI, conf: Configuration) extends AwsCredentialsProvider {
  private val keys = new VendedKeys[AwsCredentials](conf, "S3")(S3Options.keys(_).map {
    case (key, secret, token) => token.fold[AwsCredentials](AwsBasicCredentials.create(key, secret))(
        AwsSessionCredentials.create(key, secret, _)
      )
  })

  override def resolveCredentials(): AwsCredentials = keys.current
}
