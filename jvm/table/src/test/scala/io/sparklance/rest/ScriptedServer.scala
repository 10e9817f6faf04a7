package io.sparklance.rest

import java.net.InetSocketAddress
import java.nio.charset.StandardCharsets.UTF_8
import java.util.concurrent.{ConcurrentLinkedQueue, Executors}

import scala.jdk.CollectionConverters._

import com.sun.net.httpserver.{HttpExchange, HttpServer}

/** A server on this machine that answers as a test says.
  *
  * @param answer
  *   the answer to a request, by its number from 1 on
  */
final class ScriptedServer(answer: (Int, ScriptedServer.Request) => ScriptedServer.Reply)
    extends AutoCloseable {
  import ScriptedServer._

  private val seen = new ConcurrentLinkedQueue[Request]
  private val workers = Executors.newCachedThreadPool()
  private val server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0)
  server.createContext("/", exchange => handle(exchange))
  server.setExecutor(workers)
  server.start()

  val uri: String = s"http://127.0.0.1:${server.getAddress.getPort}"

  def requests: Vector[Request] = seen.asScala.toVector

  private def handle(exchange: HttpExchange): Unit =
    try {
      val body = new String(exchange.getRequestBody.readAllBytes(), UTF_8)
      val headers = exchange.getRequestHeaders.asScala.map { case (k, v) => k.toLowerCase -> v.get(0) }.toMap
      val request = Request(exchange.getRequestMethod, exchange.getRequestURI.toString, headers, body)
      seen.add(request)
      val reply = answer(seen.size, request)
      Thread.sleep(reply.delayMillis)
      reply.headers.foreach { case (name, value) => exchange.getResponseHeaders.set(name, value) }
      val bytes = reply.body.getBytes(UTF_8)
      exchange.sendResponseHeaders(
        reply.status,
        if (reply.isCut) bytes.length + 100L else bytes.length.toLong
      )
      exchange.getResponseBody.write(bytes)
    } catch { case _: InterruptedException | _: java.io.IOException => () }
    finally exchange.close()

  override def close(): Unit = {
    server.stop(0)
    val _ = workers.shutdownNow()
  }
}

object ScriptedServer {

  /** @param uri path and query, escaped */
  final case class Request(method: String, uri: String, headers: Map[String, String], body: String)

  /** @param isCut whether the connection ends before the body does */
  final case class Reply(
      status: Int,
      body: String = "",
      headers: Map[String, String] = Map.empty,
      delayMillis: Long = 0,
      isCut: Boolean = false
  )

  def ok(body: String): Reply = Reply(200, body)
  def failed(status: Int, code: Int, message: String): Reply =
    Reply(status, s"""{"error":"$message","code":$code}""")
}
