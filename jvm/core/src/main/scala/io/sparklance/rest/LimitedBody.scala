package io.sparklance.rest

import java.io.{ByteArrayOutputStream, IOException}
import java.net.http.HttpResponse.BodySubscriber
import java.nio.ByteBuffer
import java.util.concurrent.{CompletableFuture, CompletionStage, Flow}
import java.util.{List => JList}

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
