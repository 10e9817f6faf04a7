package io.sparklance.rest

import java.io.{ByteArrayInputStream, IOException}
import java.net.Socket
import java.net.http.HttpClient
import java.nio.file.{Files, Path}
import java.security.cert.{CertificateFactory, X509Certificate}
import java.security.spec.PKCS8EncodedKeySpec
import java.security.{GeneralSecurityException, KeyFactory, KeyStore, PrivateKey}
import java.time.Duration
import java.util.Base64
import javax.net.ssl.{
  KeyManagerFactory,
  SSLContext,
  SSLEngine,
  TrustManager,
  TrustManagerFactory,
  X509ExtendedTrustManager
}

import scala.collection.concurrent.TrieMap
import scala.jdk.CollectionConverters._
import scala.util.Try

import io.sparklance.LanceUsageException

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

/** The JVM's form of TLS settings. */
private[rest] object TlsContext {
  private val Password = Array.emptyCharArray
  private val Key = "(?s).*-----BEGIN PRIVATE KEY-----(.*?)-----END PRIVATE KEY-----.*".r

  /** Returns None for the JVM's defaults. */
  def of(tls: TlsOptions): Option[SSLContext] = Option.when(tls.files.nonEmpty) {
    val context = SSLContext.getInstance("TLS")
    val trust = tls.authority.map(file => trusting(certificates("tls.ssl_ca_cert", file), tls.checksHost))
    val identity = for (certificate <- tls.certificate; key <- tls.key) yield keys(certificate, key)
    context.init(identity.orNull, trust.orNull, null)
    context
  }

  private def keys(certificate: String, key: String) = {
    val chain = certificates("tls.cert_file", certificate)
    val store = empty()
    store.setKeyEntry("client", privateKey(key), Password, chain.toArray)
    val factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm)
    factory.init(store, Password)
    factory.getKeyManagers
  }

  private def trusting(authorities: Vector[X509Certificate], checksHost: Boolean): Array[TrustManager] = {
    val store = empty()
    authorities.zipWithIndex.foreach { case (authority, i) =>
      store.setCertificateEntry(i.toString, authority)
    }
    val factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm)
    factory.init(store)
    factory.getTrustManagers.map {
      case one: X509ExtendedTrustManager if !checksHost => new AnyHost(one)
      case other => other
    }
  }

  private def empty(): KeyStore = {
    val store = KeyStore.getInstance("PKCS12")
    store.load(null, null)
    store
  }

  private def certificates(option: String, file: String): Vector[X509Certificate] = {
    val found =
      try CertificateFactory.getInstance("X.509").generateCertificates(new ByteArrayInputStream(read(
          option,
          file
        )))
      catch {
        case e: GeneralSecurityException =>
          throw unusable(option, file, "has no certificate in PEM format", e)
      }
    val chain = found.asScala.collect { case certificate: X509Certificate => certificate }.toVector
    if (chain.isEmpty) throw unusable(option, file, "has no certificate in PEM format")
    chain
  }

  private def privateKey(file: String): PrivateKey =
    new String(read("tls.key_file", file), "US-ASCII") match {
      case Key(base64) =>
        val bytes = Try(new PKCS8EncodedKeySpec(Base64.getMimeDecoder.decode(base64)))
        Seq("RSA", "EC", "EdDSA").iterator
          .flatMap(algorithm =>
            bytes.flatMap(spec => Try(KeyFactory.getInstance(algorithm).generatePrivate(spec))).toOption
          )
          .nextOption().getOrElse(throw unusable("tls.key_file", file, "has an invalid key"))
      case _ =>
        throw unusable(
          "tls.key_file",
          file,
          "has no unencrypted key of PKCS #8, 'BEGIN PRIVATE KEY', to which openssl pkcs8 -topk8 -nocrypt converts others"
        )
    }

  private def read(option: String, file: String): Array[Byte] =
    try Files.readAllBytes(Path.of(file))
    catch { case e: IOException => throw unusable(option, file, "cannot be read", e) }

  private def unusable(option: String, file: String, why: String, cause: Throwable = null) =
    new LanceUsageException(
      s"Option '$option' of a catalog names the file $file, which $why. Correct it.",
      cause
    )
}

/** Trusts the same certificates for any host. */
final private class AnyHost(of: X509ExtendedTrustManager) extends X509ExtendedTrustManager {
  def getAcceptedIssuers: Array[X509Certificate] = of.getAcceptedIssuers
  def checkServerTrusted(chain: Array[X509Certificate], auth: String): Unit =
    of.checkServerTrusted(chain, auth)
  def checkServerTrusted(chain: Array[X509Certificate], auth: String, engine: SSLEngine): Unit =
    of.checkServerTrusted(chain, auth)
  def checkServerTrusted(chain: Array[X509Certificate], auth: String, socket: Socket): Unit =
    of.checkServerTrusted(chain, auth)
  def checkClientTrusted(chain: Array[X509Certificate], auth: String): Unit =
    of.checkClientTrusted(chain, auth)
  def checkClientTrusted(chain: Array[X509Certificate], auth: String, engine: SSLEngine): Unit =
    of.checkClientTrusted(chain, auth)
  def checkClientTrusted(chain: Array[X509Certificate], auth: String, socket: Socket): Unit =
    of.checkClientTrusted(chain, auth)
}
