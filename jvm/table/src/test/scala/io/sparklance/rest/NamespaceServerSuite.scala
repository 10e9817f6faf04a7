package io.sparklance.rest

import scala.util.Using

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.rest.ScriptedServer.{Reply, Request, failed, ok}
import io.sparklance.{
  CatalogErrorException,
  CatalogForbiddenException,
  CatalogServerException,
  CatalogThrottledException,
  CatalogUnauthenticatedException,
  CatalogUnavailableException,
  LanceUsageException,
  ServerError
}

/** Calls to servers, well-behaved ones and others. */
final class NamespaceServerSuite extends AnyFunSuite {
  private val hasty =
    Patience(
      requestMillis = 2000,
      attempts = 4,
      firstPauseMillis = 1,
      longestPauseMillis = 2,
      maxBytes = 4096,
      maxPages = 20
    )
  private val Secret = "s3cr3t-token"
  private val described = """{"location":"/d/t.lance","managed_versioning":true,"is_only_declared":false,
    "storage_options":{"region":"x"},"properties":{"k":"v"},"context":null,"later":[1]}"""

  private def withServer[A](answer: (
      Int,
      Request
  ) => Reply)(body: (NamespaceServer, ScriptedServer) => A): A =
    Using.resource(new ScriptedServer(answer)) { scripted =>
      val options = Map("uri" -> s"${scripted.uri}/", "auth_token" -> Secret, "headers.x-database" -> "sales")
      body(new NamespaceServer(ServerOptions.of(options).get, hasty), scripted)
    }

  private def always[A](reply: Reply)(body: (NamespaceServer, ScriptedServer) => A): A =
    withServer((_, _) => reply)(body)

  private def refused(body: => Any): CatalogServerException = {
    val thrown = intercept[CatalogServerException](body)
    assert(!thrown.getMessage.contains(Secret) && !thrown.toString.contains(Secret) &&
      !thrown.getMessage.contains('\n'))
    thrown
  }

  test("requests have the paths, parameters, headers and messages of the specification") {
    always(ok(described)) { (server, scripted) =>
      val table = server.describeTable(Vector("my ns", "ü%/+*"))
      assert(table ==
        ServerTable("/d/t.lance", Map("region" -> "x"), Map("k" -> "v"), hasVersions = true, Some(false)))
      assert(table.toString == "ServerTable(/d/t.lance)")
      server.createNamespace(Vector("eu"), Map("comment" -> "Europe"))
      server.dropTable(Vector("t"))
      server.renameTable(Vector("a", "t"), Vector("b", "u"))
      server.registerTable(Vector("t"), "x/y.lance")
      server.deleteVersion(Vector("t"), Some("b"), 7)
      val sent = scripted.requests
      assert(sent.forall(_.headers("authorization") == s"Bearer $Secret") &&
        sent.forall(_.headers("x-database") == "sales"))
      assert(sent.map(request => (request.method, request.uri, request.body)) == Vector(
        (
          "POST",
          "/v1/table/my%20ns%24%C3%BC%25%2F%2B%2A/describe?check_declared=true&delimiter=%24",
          """{"check_declared":true,"vend_credentials":true}"""
        ),
        (
          "POST",
          "/v1/namespace/eu/create?delimiter=%24",
          """{"mode":"Create","properties":{"comment":"Europe"}}"""
        ),
        ("POST", "/v1/table/t/drop?delimiter=%24", ""),
        (
          "POST",
          "/v1/table/a%24t/rename?delimiter=%24",
          """{"new_table_name":"u","new_namespace_id":["b"]}"""
        ),
        ("POST", "/v1/table/t/register?delimiter=%24", """{"location":"x/y.lance","mode":"Create"}"""),
        (
          "POST",
          "/v1/table/t/version/delete?delimiter=%24",
          """{"branch":"b","ranges":[{"start_version":7,"end_version":8}]}"""
        )
      ))
      assert(!server.options.toString.contains(Secret) &&
        ServerOptions.of(server.options.settings).contains(server.options))
    }
  }

  test("pages are read to the end, and endless ones are refused") {
    val pages = Vector(
      """{"tables":["b","a"],"page_token":"1"}""",
      """{"tables":[],"page_token":"2"}""",
      """{"tables":["c"],"page_token":""}"""
    )
    withServer((n, _) => ok(pages(n - 1))) { (server, scripted) =>
      assert(server.listTables(Vector.empty) == Vector("a", "b", "c"))
      assert(scripted.requests.map(_.uri).last ==
        "/v1/namespace/%24/table/list?limit=1000&page_token=2&delimiter=%24")
    }
    always(ok("""{"namespaces":["a"],"page_token":"x"}""")) { (server, scripted) =>
      assert(
        refused(server.listNamespaces(Vector("eu"))).getMessage.contains("the same page again and again")
      )
      assert(scripted.requests.size == 2)
    }
    withServer((n, _) => ok(s"""{"tables":["t$n"],"page_token":"$n"}""")) { (server, scripted) =>
      assert(refused(server.listTables(Vector("eu"))).getMessage.contains("more than 20 pages"))
      assert(scripted.requests.size == 20)
    }
  }

  test("calls that do no harm twice are repeated with pauses, others only if the server did not take them") {
    Seq(429, 502, 503, 504).foreach { status =>
      withServer((n, _) => if (n < 3) Reply(status, "<html>") else ok(described)) { (server, scripted) =>
        assert(server.describeTable(Vector("t")).location == "/d/t.lance" && scripted.requests.size == 3)
      }
    }
    withServer((n, _) => if (n == 1) Reply(429, headers = Map("Retry-After" -> "0")) else ok(described)) {
      (server, scripted) =>
        assert(server.declareTable(Vector("t"), None).location == "/d/t.lance" && scripted.requests.size == 2)
    }
    always(failed(503, 17, "busy")) { (server, scripted) =>
      val thrown = refused(server.declareTable(Vector("t"), None))
      assert(thrown.isInstanceOf[CatalogUnavailableException] && scripted.requests.size == 1)
      assert(
        refused(server.listTables(Vector.empty)).getMessage.contains("list_tables of the catalog's root")
      )
      assert(scripted.requests.size == 1 + hasty.attempts)
    }
    always(failed(429, 21, "slow down")) { (server, scripted) =>
      assert(refused(server.dropTable(Vector("t"))).isInstanceOf[CatalogThrottledException])
      assert(scripted.requests.size == hasty.attempts)
    }
    always(Reply(429, headers = Map("Retry-After" -> "999999"))) { (_, scripted) =>
      val impatient = new NamespaceServer(ServerOptions(scripted.uri), hasty.copy(totalMillis = 500))
      assert(refused(impatient.dropTable(Vector("t"))).error == ServerError.Throttling &&
        scripted.requests.size == 1)
    }
  }

  test("a commit that is refused after a lost answer may have taken effect") {
    def commit(server: NamespaceServer) =
      server.createVersion(Vector("t"), None, ServerVersion(7, "y", None), "V2")
    def outcome(first: Reply, second: Reply): CatalogServerException =
      withServer((n, _) => if (n == 1) first else second)((server, _) => refused(commit(server)))
    val refusal = failed(400, 16, "expired")
    assert(outcome(refusal, refusal).error == ServerError.Unauthenticated)
    Seq(ok(described).copy(isCut = true), Reply(504)).foreach { lost =>
      assert(outcome(lost, refusal).error == ServerError.ServiceUnavailable)
      val taken = failed(400, ServerError.ConcurrentModification.code, "made")
      assert(outcome(lost, taken).error == ServerError.ConcurrentModification)
    }
    assert(outcome(Reply(429), refusal).error == ServerError.Unauthenticated)
  }

  test("a cut answer, a slow one, and no server") {
    withServer((n, _) => ok(described).copy(isCut = n < 3)) { (server, scripted) =>
      assert(server.describeTable(Vector("t")).hasVersions && scripted.requests.size == 3)
    }
    always(ok(described).copy(isCut = true)) { (server, scripted) =>
      val thrown = refused(server.deregisterTable(Vector("t")))
      assert(thrown.getMessage.contains("may have taken effect") && scripted.requests.size == 1)
    }
    withServer((_, _) => ok(described).copy(delayMillis = 3000)) { (_, scripted) =>
      val server =
        new NamespaceServer(ServerOptions(scripted.uri), hasty.copy(requestMillis = 50, attempts = 2))
      val thrown = refused(server.describeTable(Vector("t")))
      assert(thrown.isInstanceOf[CatalogUnavailableException] && thrown.getMessage.contains("tried 2 times"))
    }
    val gone = Using.resource(new ScriptedServer((_, _) => ok("")))(_.uri)
    val thrown =
      refused(new NamespaceServer(ServerOptions(gone), hasty).createNamespace(Vector("eu"), Map.empty))
    assert(thrown.getMessage.contains("ConnectException") && thrown.getMessage.contains("tried 4 times"))
  }

  test("answers that are not of the specification") {
    Seq(
      "[]" -> "no JSON object",
      "{\"location\":" -> "no JSON",
      "{}" -> "without 'location'",
      """{"location":null}""" -> "without 'location'",
      """{"location":7}""" -> "whose 'location' is not text",
      """{"location":"/d","storage_options":[]}""" -> "whose 'storage_options' is not an object",
      """{"location":"/d","storage_options":{"a":{}}}""" -> "whose 'storage_options.a' is not text",
      """{"location":"/d","managed_versioning":"yes"}""" -> "whose 'managed_versioning' is not true or false",
      """{"location":"/d","table":"u"}""" -> "describes another table, 'u'",
      ("""{"location":"""" + "x" * 5000 + "\"}") -> "more than 4096 bytes"
    ).foreach { case (body, expected) =>
      always(ok(body)) { (server, scripted) =>
        val message = refused(server.describeTable(Vector("t"))).getMessage
        assert(message.contains(expected) && message.contains("describe_table of table 't'"), message)
        assert(scripted.requests.size == 1)
      }
    }
    Seq("""{"tables":"t"}""", """{"tables":[1]}""", "{}").foreach { body =>
      always(ok(body))((server, _) =>
        assert(refused(server.listTables(Vector.empty)).getMessage.contains("'tables' is not"))
      )
    }
    Seq(
      """{"versions":[{"version":"1","manifest_path":"x"}]}""",
      """{"versions":[{"version":0,"manifest_path":"x"}]}""",
      """{"versions":[{"version":1}]}"""
    ).foreach { body =>
      always(ok(body))((server, _) => refused(server.latestVersion(Vector("t"), None)))
    }
    always(ok("""{"version":{"version":8,"manifest_path":"x"}}""")) { (server, _) =>
      val asked = ServerVersion(7, "y", None)
      assert(refused(server.createVersion(
        Vector("t"),
        None,
        asked,
        "V2"
      )).getMessage.contains("made version 8 instead of 7"))
    }
    always(Reply(302, headers = Map("Location" -> "http://127.0.0.1:1/"))) { (server, scripted) =>
      assert(refused(server.describeTable(Vector("t"))).getMessage.contains("redirects elsewhere"))
      assert(scripted.requests.size == 1)
    }
  }

  test("errors by the specification's codes, by HTTP's, and of older specifications") {
    ServerError.all.foreach { error =>
      always(failed(400, error.code, s"no, $Secret")) { (server, _) =>
        val thrown = refused(server.dropTable(Vector("t")))
        assert(thrown.error == error && thrown.getMessage.contains(error.words) &&
          thrown.getMessage.contains("***"))
      }
    }
    def errorOf(reply: Reply)(call: NamespaceServer => Any): CatalogServerException =
      always(reply)((server, _) => refused(call(server)))
    val (table, namespace) = (
      (s: NamespaceServer) => s.dropTable(Vector("t")),
      (s: NamespaceServer) => s.dropNamespace(Vector("n"), false)
    )
    assert(errorOf(failed(404, 404, "no"))(table).error == ServerError.TableNotFound)
    assert(errorOf(failed(404, 404, "no"))(namespace).error == ServerError.NamespaceNotFound)
    assert(errorOf(failed(409, 409, "no"))(table).error == ServerError.TableAlreadyExists)
    assert(errorOf(failed(409, 409, "no"))(namespace).error == ServerError.NamespaceNotEmpty)
    assert(errorOf(Reply(401, "<html>"))(table).isInstanceOf[CatalogUnauthenticatedException])
    assert(errorOf(Reply(403))(table).isInstanceOf[CatalogForbiddenException])
    assert(errorOf(failed(500, 99, "what"))(table).error == ServerError.Internal)
    val lacking = errorOf(failed(500, 18, "Not supported: rename_table not implemented"))(_.renameTable(
      Vector("t"),
      Vector("u")
    ))
    assert(lacking.error == ServerError.Unsupported && lacking.getMessage.contains("lacks rename_table"))
    val older = errorOf(Reply(404))(_.declareTable(Vector("t"), None))
    assert(older.isInstanceOf[CatalogErrorException] && older.getMessage.contains("lacks declare_table"))
    assert(errorOf(Reply(
      500,
      "<html>oops\n</html>"
    ))(table).getMessage.contains("status 500 and '<html>oops </html>'"))
  }

  test("options that cannot be") {
    def refusal(options: (String, String)*): String =
      intercept[LanceUsageException](ServerOptions.of((("uri" -> "https://host") +:
        options).toMap)).getMessage
    Seq("ftp://host", "host:80", "https://", "https://h?x=1", "h t").foreach { uri =>
      assert(refusal("uri" -> uri).contains("Option 'uri' of a catalog cannot be"), uri)
    }
    assert(!refusal("uri" -> "https://me:pass@host").contains("pass@"))
    Seq("", "/", "a b").foreach(delimiter =>
      assert(refusal("delimiter" -> delimiter).contains("'delimiter'"))
    )
    assert(refusal("headers.a b" -> "x").contains("headers.a b") &&
      refusal("headers.a" -> s"x\n$Secret").contains("headers.a"))
    assert(!refusal("headers.a" -> s"x\n$Secret").contains(Secret))
    assert(refusal("tls.cert_file" -> "x").contains("belong together"))
    assert(refusal("tls.assert_hostname" -> "false").contains("'tls.ssl_ca_cert'"))
    assert(refusal("tls.assert_hostname" -> "maybe").contains("true or false"))
    assert(refusal("tls.reload_interval_seconds" -> "-1").contains("seconds"))
    assert(ServerOptions.of(Map("delimiter" -> ".")).isEmpty)
    val missing = ServerOptions("https://127.0.0.1:1", tls = TlsOptions(authority = Some("/no/such/file")))
    val thrown = intercept[LanceUsageException](new NamespaceServer(missing).listTables(Vector.empty))
    assert(thrown.getMessage.contains("'tls.ssl_ca_cert'") && thrown.getMessage.contains("cannot be read"))
  }
}
