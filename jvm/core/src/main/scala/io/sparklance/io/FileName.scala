package io.sparklance.io

/** @param size
  *   if the store lists it with the name
  * @param listed
  *   the file as it was listed, if the store tells it from others of its name
  */
final case class FileName(name: String, size: Option[Long], listed: Option[ListedFile] = None)
