package io.sparklance.stores.jdbc

import java.sql.SQLException

/** Keeps passwords out of what a driver says: drivers repeat the address, and some the password alone. */
final private[jdbc] class JdbcSecrets(url: String, password: Option[String]) {
  import JdbcSecrets._

  private val known: Vector[String] =
    (password.toVector ++
      Parameter.findAllMatchIn(url).map(_.group(2)) ++ InAddress.findAllMatchIn(url).map(_.group(2)))
      .filter(_.nonEmpty).distinct.sortBy(-_.length)

  def withoutSecrets(text: String): String = {
    // The address first: a short secret could occur in the rest of it.
    val masked = InAddress.replaceAllIn(Parameter.replaceAllIn(text, Masked), Masked)
    known.foldLeft(masked)((shown, secret) => shown.replace(secret, Mask))
  }

  /** Returns an exception like the driver's, and those behind it, with other messages. */
  def withoutSecrets(thrown: SQLException): SQLException = {
    val shown = new SQLException(
      Option(thrown.getMessage).map(withoutSecrets).orNull,
      thrown.getSQLState,
      thrown.getErrorCode
    )
    shown.setStackTrace(thrown.getStackTrace)
    shown
  }
}

private object JdbcSecrets {
  private val Mask = "***"
  private val Masked = s"$$1$Mask"

  /** `password=…`, `pwd=…`, `sslkeypassword=…`, `access_token=…` and the like. */
  private val Parameter =
    "(?i)(\\b[\\w.-]*(?:password|passwd|pwd|passphrase|secret|token)\\s*=\\s*)([^;&,\\s'\"]+)".r

  /** `//user:password@host` and Oracle's `user/password@`. */
  private val InAddress = "(//[^/:@\\s]*:|:[\\w$]+/)([^@\\s]+)(?=@)".r
}
