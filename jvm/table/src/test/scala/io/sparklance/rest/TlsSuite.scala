package io.sparklance.rest

import java.net.InetSocketAddress
import java.nio.file.{Files, Path}
import java.security.KeyStore
import java.util.Base64
import javax.net.ssl.{KeyManagerFactory, SSLContext, SSLParameters, TrustManagerFactory}

import scala.util.Using

import com.sun.net.httpserver.{HttpsConfigurator, HttpsParameters, HttpsServer}
import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.testkit.Ring
import io.sparklance.{CatalogUnavailableException, LanceUsageException}

/** TLS with a certificate of the server's own, and one of the client. */
final class TlsSuite extends AnyFunSuite {
  private val hasty = Patience(requestMillis = 20000, attempts = 1)
  private val password = "changeit"

  /** A key pair with a certificate for `other.example`, as a store and as two files in PEM format. */
  final private class Identity(directory: Path, name: String) {
    private val store = directory.resolve(s"$name.p12")
    private val keytool = Path.of(System.getProperty("java.home"), "bin", "keytool").toString
    private val made = new ProcessBuilder(
      keytool,
      "-genkeypair",
      "-alias",
      "a",
      "-keyalg",
      "EC",
      "-dname",
      "CN=other.example",
      "-storetype",
      "PKCS12",
      "-keystore",
      store.toString,
      "-storepass",
      password
    ).redirectErrorStream(true).start()
    made.getInputStream.readAllBytes()
    assert(made.waitFor() == 0)

    val keys: KeyStore = KeyStore.getInstance("PKCS12")
    Using.resource(Files.newInputStream(store))(keys.load(_, password.toCharArray))
    val certificate: String = written("crt", "CERTIFICATE", keys.getCertificate("a").getEncoded)
    val key: String = written("key", "PRIVATE KEY", keys.getKey("a", password.toCharArray).getEncoded)

    private def written(suffix: String, kind: String, bytes: Array[Byte]): String = {
      val text = Base64.getMimeEncoder.encodeToString(bytes)
      Files.writeString(
        directory.resolve(s"$name.$suffix"),
        s"-----BEGIN $kind-----\n$text\n-----END $kind-----\n"
      ).toString
    }
  }

  private def serving[A](identity: Identity, clients: Identity)(body: String => A): A = {
    val managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm)
    managers.init(identity.keys, password.toCharArray)
    val trusted = KeyStore.getInstance("PKCS12")
    trusted.load(null, null)
    trusted.setCertificateEntry("client", clients.keys.getCertificate("a"))
    val trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm)
    trust.init(trusted)
    val context = SSLContext.getInstance("TLS")
    context.init(managers.getKeyManagers, trust.getTrustManagers, null)
    val server = HttpsServer.create(new InetSocketAddress("127.0.0.1", 0), 0)
    server.setHttpsConfigurator(new HttpsConfigurator(context) {
      override def configure(parameters: HttpsParameters): Unit = {
        val asked: SSLParameters = context.getDefaultSSLParameters
        asked.setNeedClientAuth(true)
        parameters.setSSLParameters(asked)
      }
    })
    server.createContext(
      "/",
      exchange => {
        val bytes = """{"tables":["t"]}""".getBytes
        exchange.sendResponseHeaders(200, bytes.length.toLong)
        exchange.getResponseBody.write(bytes)
        exchange.close()
      }
    )
    server.start()
    try body(s"https://localhost:${server.getAddress.getPort}")
    finally server.stop(0)
  }

  test(
    "a private authority, a client's certificate, the host's name, and files that are no such things",
    Ring.Process
  ) {
    val directory = Files.createTempDirectory("tls")
    val (server, client) = (new Identity(directory, "server"), new Identity(directory, "client"))
    serving(server, client) { uri =>
      def tables(tls: (String, String)*): Vector[String] = {
        val options = Map("uri" -> uri) ++ tls.map { case (name, value) => s"tls.$name" -> value }
        new NamespaceServer(ServerOptions.of(options).get, hasty).listTables(Vector.empty)
      }
      val whole = Seq(
        "ssl_ca_cert" -> server.certificate,
        "cert_file" -> client.certificate,
        "key_file" -> client.key,
        "assert_hostname" -> "false"
      )
      assert(tables(whole: _*) == Vector("t"))
      // The certificate is for another host; nobody known has signed it; the client shows none.
      Seq(whole.init, Seq.empty, Seq(whole.head, whole.last)).foreach { tls =>
        intercept[CatalogUnavailableException](tables(tls: _*))
      }
      def refusal(option: String, file: String) =
        intercept[LanceUsageException](tables(whole.filterNot(_._1 == option) :+
          (option -> file): _*)).getMessage
      assert(refusal("ssl_ca_cert", client.key).contains("no certificate in PEM format"))
      assert(refusal("key_file", client.certificate).contains("PKCS #8"))
      val bad = Files.writeString(
        directory.resolve("bad"),
        "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"
      )
      assert(refusal("key_file", bad.toString).contains("an invalid key"))
    }
  }
}
