package io.sparklance.rest

import java.net.http.HttpClient
import java.nio.file.{Files, Path}
import java.time.Duration

import scala.collection.concurrent.TrieMap
import scala.util.Try

/** Clients of HTTP, shared by all servers with the same settings of TLS. A client is replaced when one of the
  * files changed.
  */
private[rest] object HttpClients {

  /** Limit of the time to connect. */
  private val ConnectTimeout = Duration.ofSeconds(10)

  /** @param stamps
    *   modification times of the files
    * @param seenNanos
    *   time of the last look at them
    */
  final private case class Known(client: HttpClient, stamps: Vector[Long], seenNanos: Long)

  private val known = TrieMap.empty[TlsOptions, Known]

  def of(tls: TlsOptions): HttpClient = {
    val now = System.nanoTime()
    known.get(tls) match {
      case Some(fresh) if !isDue(tls, fresh, now) => fresh.client
      case Some(old) if old.stamps == stamps(tls) =>
        known.put(tls, old.copy(seenNanos = now))
        old.client
      case _ =>
        val opened = Known(open(tls), stamps(tls), now)
        known.put(tls, opened)
        opened.client
    }
  }

  private def isDue(tls: TlsOptions, last: Known, now: Long): Boolean =
    tls.files.nonEmpty && tls.reloadSeconds > 0 && now - last.seenNanos >= tls.reloadSeconds * 1000000000L

  private def stamps(tls: TlsOptions): Vector[Long] =
    tls.files.map(file => Try(Files.getLastModifiedTime(Path.of(file)).toMillis).getOrElse(0L))

  /** Redirects are not followed: they would take the headers to other hosts. */
  private def open(tls: TlsOptions): HttpClient = {
    val builder = HttpClient.newBuilder
      .connectTimeout(ConnectTimeout)
      .followRedirects(HttpClient.Redirect.NEVER)
      .version(HttpClient.Version.HTTP_1_1)
    TlsContext.of(tls).foreach(context => builder.sslContext(context))
    builder.build()
  }
}
