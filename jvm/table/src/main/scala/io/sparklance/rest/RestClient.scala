package io.sparklance.rest

import java.io.{ByteArrayOutputStream, IOException}
import java.net.URI
import java.net.URLEncoder.encode
import java.net.http.HttpRequest.BodyPublishers
import java.net.http.HttpResponse.BodySubscriber
import java.net.http.{HttpConnectTimeoutException, HttpRequest, HttpResponse, HttpTimeoutException}
import java.nio.ByteBuffer
import java.nio.charset.StandardCharsets.UTF_8
import java.time.Duration
import java.util.concurrent.{
  CompletableFuture,
  CompletionStage,
  ExecutionException,
  Flow,
  TimeUnit,
  TimeoutException
}
import java.util.{List => JList}

import scala.annotation.tailrec
import scala.util.{Random, Try}

import com.fasterxml.jackson.core.JsonProcessingException

import io.sparklance.ServerError

/** Sends calls to a server, and repeats them where that does no harm.
  *
  * @param patience
  *   limits of time and of attempts
  */
final private[rest] class RestClient(options: ServerOptions, patience: Patience) {
  import RestClient._

  /** Returns the answer of a successful call. */
  def send(call: ServerCall): Answer = attempt(call, 1, System.nanoTime(), isOpen = false)

  /** @param isOpen whether an earlier attempt may have taken effect */
  @tailrec
  private def attempt(call: ServerCall, number: Int, startedNanos: Long, isOpen: Boolean): Answer = {
    val outcome = exchange(call)
    val pause = delay(call, outcome, number).filter(millis => isInTime(startedNanos, millis))
    pause match {
      case Some(millis) =>
        Thread.sleep(millis)
        attempt(call, number + 1, startedNanos, isOpen || mayHaveWorked(outcome))
      case None => result(call, outcome, number, isOpen)
    }
  }

  private def mayHaveWorked(outcome: Outcome): Boolean = outcome match {
    case Answered(status, _, _) => Set(502, 503, 504)(status)
    case Lost(_) => true
    case Unsent(_) => false
  }

  private def result(call: ServerCall, outcome: Outcome, attempts: Int, isOpen: Boolean): Answer = {
    val failure = new ServerFailure(options, call)
    outcome match {
      case Answered(status, _, body) if status / 100 == 2 =>
        try new Answer(failure, ServerFailure.mapper.readTree(if (body.isEmpty) NoFields else body))
        catch {
          case e: JsonProcessingException => throw failure.unusable("gives an answer that is no JSON", e)
        }
      case Answered(status, _, _) if status / 100 == 3 =>
        throw failure.unusable(s"redirects elsewhere (status $status), which is not followed,")
      case Answered(status, _, body) =>
        val refused = failure.of(status, body)
        // A refusal says nothing of the attempts before it, but that the version exists does.
        val isKnown = !isOpen || refused.error == ServerError.ConcurrentModification
        throw (if (isKnown || call.repeats != ServerCall.OfCommit) refused
               else failure.unanswered(refused, attempts))
      case Unsent(cause) => throw failure.unanswered(cause, attempts)
      case Lost(tooLong: LimitedBody.TooLong) =>
        throw failure.unusable(s"gives an answer of more than ${patience.maxBytes} bytes", tooLong)
      case Lost(cause) => throw failure.unanswered(cause, attempts)
    }
  }

  /** Returns the milliseconds to wait before the next attempt; None if there is none. */
  private def delay(call: ServerCall, outcome: Outcome, number: Int): Option[Long] = {
    val isRetried = outcome match {
      case Answered(429, _, _) | Unsent(_) => true
      case Answered(502 | 503 | 504, _, _) => call.isRepeatable
      case Answered(_, _, _) => false
      case Lost(_: LimitedBody.TooLong) => false
      case Lost(_) => call.isRepeatable
    }
    Option.when(isRetried && number < patience.attempts) {
      val doubled = patience.firstPauseMillis << math.min(number - 1, 10)
      val pause = math.min(doubled, patience.longestPauseMillis)
      val asked = outcome match {
        case Answered(_, after, _) => after.getOrElse(0L)
        case Unsent(_) | Lost(_) => 0L
      }
      math.max(asked, pause / 2 + Random.nextLong(pause / 2 + 1))
    }
  }

  private def isInTime(startedNanos: Long, pauseMillis: Long): Boolean =
    (System.nanoTime() - startedNanos) / 1000000 + pauseMillis < patience.totalMillis

  private def exchange(call: ServerCall): Outcome = {
    val sent = HttpClients.of(options.tls).sendAsync(request(call), _ => new LimitedBody(patience.maxBytes))
    try answered(sent.get(patience.requestMillis, TimeUnit.MILLISECONDS))
    catch {
      case e: TimeoutException =>
        sent.cancel(true)
        Lost(new HttpTimeoutException(s"no answer within ${patience.requestMillis} ms").initCause(e))
      case e: InterruptedException =>
        sent.cancel(true)
        throw e
      case e: ExecutionException =>
        e.getCause match {
          case unsent @ (_: java.net.ConnectException | _: HttpConnectTimeoutException) => Unsent(unsent)
          case unsafe: javax.net.ssl.SSLHandshakeException => Unsent(unsafe)
          case lost: IOException => Lost(lost)
          case other => throw other
        }
    }
  }

  private def answered(response: HttpResponse[Array[Byte]]): Answered = {
    val after = response.headers.firstValue("retry-after")
    val seconds = Option(after.orElse(null)).flatMap(text => Try(text.trim.toLong).toOption).filter(_ >= 0)
    Answered(response.statusCode, seconds.map(math.min(_, MaxRetryAfterSeconds) * 1000), response.body)
  }

  private def request(call: ServerCall): HttpRequest = {
    val parameters = call.query :+ ("delimiter" -> options.delimiter)
    val query = parameters.map { case (name, value) => s"$name=${escaped(value)}" }.mkString("&")
    val path = call.path.map(escaped).mkString("/")
    val builder = HttpRequest.newBuilder(URI.create(s"${options.uri}/v1/$path?$query"))
      .timeout(Duration.ofMillis(patience.requestMillis))
      .header("accept", "application/json")
    options.headers.foreach { case (name, value) => builder.setHeader(name, value) }
    call.method match {
      case ServerCall.Get => builder.GET().build()
      case ServerCall.Post =>
        call.body.foreach(_ => builder.setHeader("content-type", "application/json"))
        builder.POST(call.body.fold(BodyPublishers.noBody)(json =>
          BodyPublishers.ofString(json.toString)
        )).build()
    }
  }
}

private[rest] object RestClient {
  private val MaxRetryAfterSeconds = 30L

  /** Stands for a body that a server leaves out. */
  private val NoFields = "{}".getBytes(UTF_8)

  sealed private trait Outcome

  /** @param retryAfterMillis the server's wish */
  final private case class Answered(status: Int, retryAfterMillis: Option[Long], body: Array[Byte])
      extends Outcome

  /** The request did not reach the server. */
  final private case class Unsent(cause: Throwable) extends Outcome

  /** The request may have reached the server. */
  final private case class Lost(cause: Throwable) extends Outcome

  /** Escapes a part of a path or a query: servers and proxies take a plus sign in a path for itself. */
  private def escaped(text: String): String = encode(text, UTF_8).replace("+", "%20").replace("*", "%2A")
}

/** Collects a body of limited size. */
final private[rest] class LimitedBody(limit: Int) extends BodySubscriber[Array[Byte]] {
  private val result = new CompletableFuture[Array[Byte]]
  private val bytes = new ByteArrayOutputStream
  private var subscription: Option[Flow.Subscription] = None

  override def getBody: CompletionStage[Array[Byte]] = result

  override def onSubscribe(started: Flow.Subscription): Unit = {
    subscription = Some(started)
    started.request(Long.MaxValue)
  }

  override def onNext(buffers: JList[ByteBuffer]): Unit = buffers.forEach { buffer =>
    if (bytes.size.toLong + buffer.remaining > limit) {
      subscription.foreach(_.cancel())
      val _ = result.completeExceptionally(new LimitedBody.TooLong(limit))
    } else {
      val part = new Array[Byte](buffer.remaining)
      buffer.get(part)
      bytes.write(part, 0, part.length)
    }
  }

  override def onError(failure: Throwable): Unit = { val _ = result.completeExceptionally(failure) }
  override def onComplete(): Unit = { val _ = result.complete(bytes.toByteArray) }
}

private[rest] object LimitedBody {
  final class TooLong(limit: Int) extends IOException(s"the answer has more than $limit bytes")
}
