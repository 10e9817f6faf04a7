package io.sparklance.dataset.erasure

import scala.util.{Failure, Success, Try, Using}

import io.sparklance.io.ObjectStore

/** A file that is searched for texts of erased rows.
  *
  * @param path
  *   absolute
  * @param isOwn
  *   whether it is of a kind that clean-up removes if no version refers to it
  */
final private[sparklance] case class SearchedFile(
    path: String,
    size: Long,
    modifiedMillis: Long,
    content: SoughtContent,
    isOwn: Boolean
) {

  /** Whether one of the texts is in it. If versions have such rows, so may a file that cannot be compared. */
  def has(store: ObjectStore, sought: Sought): Boolean = content match {
    case SoughtContent.Parts => sought.isOfRows
    case SoughtContent.Bytes => hasBytes(store, sought)
    case SoughtContent.Values => Try(FileTexts.contain(store, path, size, sought.values)) match {
        case Success(Some(found)) => found
        case Success(None) => hasBytes(store, sought)
        case Failure(_) => store.exists(path) && (isCut(sought) || hasBytes(store, sought))
      }
  }

  private def isCut(sought: Sought): Boolean = sought.isOfRows && isOwn && path.contains("/data/")

  private def hasBytes(store: ObjectStore, sought: Sought): Boolean =
    store.exists(path) && Using.resource(store.open(path))(sought.bytes.isIn)
}
