package io.sparklance.rest

import scala.util.Try

import io.sparklance.LanceUsageException

/** Settings of TLS: files in PEM format.
  *
  * @param certificate
  *   of this client, with its chain
  * @param key
  *   of this client
  * @param authority
  *   certificates to trust, instead of the JVM's
  * @param checksHost
  *   whether the server's certificate must be for its host
  * @param reloadSeconds
  *   time between two looks for renewed files; 0 for never
  */
final private[sparklance] case class TlsOptions(
    certificate: Option[String] = None,
    key: Option[String] = None,
    authority: Option[String] = None,
    checksHost: Boolean = true,
    reloadSeconds: Long = TlsOptions.ReloadSeconds
) {
  private[rest] def files: Vector[String] = Vector(certificate, key, authority).flatten

  private[rest] def settings: Map[String, String] =
    Map("assert_hostname" -> checksHost.toString, "reload_interval_seconds" -> reloadSeconds.toString) ++
      certificate.map("cert_file" -> _) ++ key.map("key_file" -> _) ++ authority.map("ssl_ca_cert" -> _)
}

private[rest] object TlsOptions {
  private val ReloadSeconds = 300L

  val names: Seq[String] =
    Seq("cert_file", "key_file", "ssl_ca_cert", "assert_hostname", "reload_interval_seconds")

  def of(options: Map[String, String]): TlsOptions = {
    val tls = TlsOptions(
      options.get("cert_file"),
      options.get("key_file"),
      options.get("ssl_ca_cert"),
      options.get("assert_hostname").forall(flag),
      options.get("reload_interval_seconds").fold(ReloadSeconds)(seconds)
    )
    if (tls.certificate.isDefined != tls.key.isDefined)
      throw new LanceUsageException(
        "Options 'tls.cert_file' and 'tls.key_file' of a catalog belong together: a client shows its certificate and proves it by " +
          "its key. Set both or none."
      )
    if (!tls.checksHost && tls.authority.isEmpty)
      throw new LanceUsageException(
        "Option 'tls.assert_hostname' of a catalog can be false only with 'tls.ssl_ca_cert': then no host but those of that authority " +
          "is trusted. Set it, too, or leave the option out."
      )
    tls
  }

  private def flag(text: String): Boolean = text.toLowerCase(java.util.Locale.ROOT).toBooleanOption.getOrElse(
    throw bad("tls.assert_hostname", text, "true or false")
  )

  private def seconds(text: String): Long = Try(text.toLong).toOption.filter(_ >= 0).getOrElse(
    throw bad("tls.reload_interval_seconds", text, "a number of seconds, 0 for never")
  )

  private def bad(name: String, value: String, expected: String) =
    new LanceUsageException(s"Option '$name' of a catalog cannot be '$value'. Give $expected.")
}
