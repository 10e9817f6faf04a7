package io.sparklance.stores.server

import scala.util.Using

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.io.{CommitHandler, LatePutException}
import io.sparklance.rest.ScriptedServer.{Reply, Request, failed, ok}
import io.sparklance.rest.{NamespaceServer, Patience, ScriptedServer, ServerOptions}
import io.sparklance.table.commit.CommitLoop
import io.sparklance.table.{ManifestNaming, Versions}
import io.sparklance.testkit.TableFixtures.{append, overwrite}
import io.sparklance.testkit.{DelegatingStore, MemoryStore}
import io.sparklance.{
  CatalogForbiddenException,
  CatalogUnauthenticatedException,
  CommitStateUnknownException,
  ServerError
}

/** Commits through a server that leaves it to the writer to put manifests where readers look for them. */
final class ServerVersionsSuite extends AnyFunSuite {
  private val hasty = Patience(attempts = 3, firstPauseMillis = 1, longestPauseMillis = 2)
  private val Path = s"/t/_versions/${ManifestNaming.V2.fileName(2)}"
  private val bytes = Array[Byte](1, 2, 3)
  private val expired = failed(401, ServerError.Unauthenticated.code, "expired")
  private val taken = failed(409, ServerError.ConcurrentModification.code, "made")

  private def made(path: String): String = s"""{"version":2,"manifest_path":"$path"}"""

  /** @param answer by what is done with versions, and the staged manifest of the first commit */
  private def withServer[A](answer: (String, String) => Reply)(body: CommitHandler => A): A = {
    @volatile var staged = ""
    def reply(request: Request): Reply = {
      if (staged.isEmpty)
        "\"manifest_path\":\"([^\"]*)\"".r.findFirstMatchIn(request.body).foreach(found =>
          staged = found.group(1)
        )
      answer(request.uri.takeWhile(_ != '?').split('/').last, staged)
    }
    Using.resource(new ScriptedServer((_, request) => reply(request))) { scripted =>
      val server = new NamespaceServer(ServerOptions(scripted.uri, headers = Map.empty), hasty)
      body(new ServerVersions(server, Vector("t"), "/t"))
    }
  }

  /** A server that makes the version, loses its answer, and says that the version exists when asked again. */
  private def forgetful(list: String => Reply): (String, String) => Reply = {
    var calls = 0
    (action, staged) =>
      if (action == "list") list(staged)
      else {
        calls += 1
        if (calls == 1) ok(made(staged)).copy(isCut = true) else taken
      }
  }

  private def listed(path: String): Reply = ok(s"""{"versions":[${made(path)}]}""")

  test("a version that exists when the call is repeated may be of the first call") {
    val store = new MemoryStore
    withServer(forgetful(listed))(handler => assert(handler.commit(store, Path, 2, bytes)))
    assert(store.paths == Vector(Path) && store.bytes(Path).toSeq == bytes.toSeq)
  }

  test("a version of another manifest is another writer's") {
    val store = new MemoryStore
    withServer(forgetful(_ => listed(s"${Path.drop(1)}-theirs")))(handler =>
      assert(!handler.commit(store, Path, 2, bytes))
    )
    assert(store.paths.isEmpty)
  }

  test("the staged manifest stays as long as nobody knows whose version it is") {
    Seq(expired, ok("""{"versions":[]}"""), listed(Path.drop(1))).foreach { answer =>
      val store = new MemoryStore
      withServer(forgetful(_ => answer))(handler =>
        intercept[LatePutException](handler.commit(store, Path, 2, bytes))
      )
      assert(store.paths.size == 1 && store.paths.head.startsWith(s"$Path-"))
    }
  }

  /** A commit to a table of which version 1 exists, by a server that afterwards refuses all. */
  private def committed(creates: String => Reply): (MemoryStore, Throwable) = {
    val memory = new MemoryStore
    new CommitLoop(memory, "/t").commit(0, overwrite("first"))
    var isOver = false
    def answer(action: String, staged: String): Reply =
      if (action == "create") { isOver = true; creates(staged) }
      else if (isOver) expired
      else ok("""{"versions":[]}""")
    withServer(answer) { handler =>
      val store = new DelegatingStore(memory) {
        override def commits: CommitHandler = handler
        override def put(path: String, bytes: Array[Byte]): Unit =
          if (path == Path) throw new CatalogUnauthenticatedException("no more keys")
          else memory.put(path, bytes)
      }
      memory -> intercept[Throwable](new CommitLoop(store, "/t", _ => ()).commit(1, append("mine")))
    }
  }

  test("keys that expire once the server has made the version leave all files, and the commit unknown") {
    val (store, thrown) = committed(staged => ok(s"""{"version":${made(staged)}}"""))
    assert(thrown.isInstanceOf[CommitStateUnknownException], thrown)
    assert(store.paths.count(_.startsWith("/t/_transactions/")) == 2)
    val staged = store.paths.find(_.startsWith(s"$Path-")).get
    withServer((_, _) => listed(staged.drop(1)))(_.settle(store, "/t/_versions"))
    assert(new Versions(store, "/t").latest().map(_.version).contains(2L))
  }

  test("what the server refused is not committed, though it refuses the look at the table as well") {
    val (store, thrown) = committed(_ => failed(403, ServerError.PermissionDenied.code, "read only"))
    assert(thrown.isInstanceOf[CatalogForbiddenException], thrown)
    assert(store.paths.count(_.startsWith("/t/_transactions/")) == 1 &&
      !store.paths.exists(_.startsWith(Path)))
  }
}
