package io.sparklance.stores.server

import java.util.Locale

import scala.util.Try

import org.apache.hadoop.conf.Configuration

import io.sparklance.{CatalogErrorException, ServerError}

/** Keys of a store that a catalog's server gives for a limited time. The server is asked again before they
  * expire, once for all threads.
  *
  * @param store
  *   its name in messages
  * @param parse
  *   finds the keys among a server's options, by names in lower case
  */
final private[server] class VendedKeys[A](conf: Configuration, store: String)(
    parse: Map[String, String] => Option[A]
) {
  private val access = ServerAccess.in(conf)
  @volatile private var known: Option[(A, Long)] = StorageOptions.firstIn(conf).flatMap(timed)

  def current: A = fresh.getOrElse(renewed())

  private def fresh: Option[A] = known.collect {
    case (keys, staleMillis) if System.currentTimeMillis() < staleMillis => keys
  }

  private def renewed(): A = synchronized {
    fresh.getOrElse {
      val table = access.getOrElse(throw failure("no server is configured"))
      val keys = timed(table.server.describeTable(table.table).storage)
        .getOrElse(throw failure(s"the server gives no more keys for $table"))
      known = Some(keys)
      keys._1
    }
  }

  private def timed(storage: Map[String, String]): Option[(A, Long)] =
    parse(storage.map { case (name, value) => name.toLowerCase(Locale.ROOT) -> value }).map { keys =>
      val offset = storage.get(StorageOptions.OffsetKey).flatMap(text => Try(text.trim.toLong).toOption)
      val end = StorageOptions.expiry(storage)
      keys -> end.fold(Long.MaxValue)(_ - offset.getOrElse(VendedKeys.OffsetMillis))
    }

  private def failure(why: String) = new CatalogErrorException(
    ServerError.Unauthenticated,
    s"The credentials of $store cannot be renewed: $why. Ask the server's administrator for them."
  )
}

private object VendedKeys {

  /** Time before the end at which keys are renewed, if the server does not tell one: the reference's. */
  private val OffsetMillis = 60000L
}
