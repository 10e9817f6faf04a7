package io.sparklance.io

/** A file in a listing.
  *
  * @param client
  *   number of the store's client, which has rights of its own
  * @param tag
  *   tells it from other files that have had its name; None if it may be one that is replaced without notice
  */
final case class ListedFile(client: Long, tag: Option[String])(val open: () => ReadableFile)
