package io.sparklance.rest

import java.net.{URI, URISyntaxException}

import scala.util.Try

import io.sparklance.LanceUsageException

/** Connection to a server of the namespace specification.
  *
  * @param uri
  *   address of the server, without a slash at its end
  * @param delimiter
  *   text between the parts of a name
  * @param headers
  *   sent with each request; they may be secrets, so no message shows their values
  */
final private[sparklance] case class ServerOptions(
    uri: String,
    delimiter: String = ServerOptions.Delimiter,
    headers: Map[String, String] = Map.empty,
    tls: TlsOptions = TlsOptions()
) {

  /** Returns text of the server without secrets that it may repeat. */
  private[rest] def redacted(text: String): String =
    headers.values.flatMap(value => value +: value.split(' ').toSeq).filter(_.length > 3)
      .foldLeft(text)((shown, secret) => shown.replace(secret, "***"))

  /** Returns the options that [[ServerOptions.of]] reads these from. */
  def settings: Map[String, String] =
    Map("uri" -> uri, "delimiter" -> delimiter) ++ headers.map { case (name, value) =>
      s"headers.$name" -> value
    } ++
      tls.settings.map { case (name, value) => s"tls.$name" -> value }

  override def toString: String = uri
}

private[sparklance] object ServerOptions {
  private[rest] val Delimiter = "$"
  private val Prefixes = Seq("headers.", "header.")

  /** Option that names a server. */
  val Uri = "uri"

  /** Names of options, as the reference has them; `api_key` and `auth_token` are those of its requests. */
  val names: Seq[String] =
    Seq(Uri, "delimiter", "api_key", "auth_token") ++ TlsOptions.names.map("tls." + _)

  /** Whether an option names a header. */
  def isHeader(option: String): Boolean =
    Prefixes.exists(option.toLowerCase(java.util.Locale.ROOT).startsWith)

  /** Reads options; None without the address of a server.
    *
    * @param options
    *   by names in lower case
    */
  def of(options: Map[String, String]): Option[ServerOptions] = options.get(Uri).map { uri =>
    val headers = options.flatMap { case (name, value) =>
      Prefixes.find(name.startsWith).map(prefix => name.stripPrefix(prefix) -> value)
    }
    val key = options.get("api_key").map("x-api-key" -> _)
    val token = options.get("auth_token").map(token => "authorization" -> s"Bearer $token")
    (headers ++ key ++ token).foreach { case (name, value) => checkHeader(name, value) }
    ServerOptions(
      address(uri),
      delimiter(options.getOrElse("delimiter", Delimiter)),
      headers ++ key ++ token,
      TlsOptions.of(options.collect {
        case (name, value) if name.startsWith("tls.") => name.drop(4) -> value
      })
    )
  }

  private def address(text: String): String = {
    val uri = try new URI(text.trim)
    catch { case e: URISyntaxException => throw refused(text, "it is no URI", e) }
    if (uri.getRawUserInfo != null)
      throw new LanceUsageException(
        "Option 'uri' of a catalog must not contain a user or a password, which messages would show. Set headers.authorization instead."
      )
    if (!Seq("http", "https").contains(uri.getScheme))
      throw refused(text, "it is neither http:// nor https://")
    if (uri.getHost == null) throw refused(text, "it names no host")
    if (uri.getRawQuery != null || uri.getRawFragment != null) throw refused(text, "it has more than a path")
    text.trim.reverse.dropWhile(_ == '/').reverse
  }

  private def refused(uri: String, why: String, cause: Throwable = null) = new LanceUsageException(
    s"Option 'uri' of a catalog cannot be '$uri': $why. Give the address of the server, as in https://host:2333.",
    cause
  )

  private def delimiter(text: String): String =
    if (text.nonEmpty && !text.exists(c => c.isControl || c == '/' || c.isWhitespace)) text
    else
      throw new LanceUsageException(
        s"Option 'delimiter' of a catalog cannot be '$text': it separates the parts of names in addresses. Use the server's " +
          s"delimiter, or leave it out for '$Delimiter'."
      )

  private def checkHeader(name: String, value: String): Unit =
    if (Try(java.net.http.HttpRequest.newBuilder.header(name, value)).isFailure)
      throw new LanceUsageException(
        s"Option 'headers.$name' of a catalog is not a header of HTTP: a name has letters, digits and hyphens, a value is one line, " +
          "and some names belong to the client. Correct it."
      )
}
