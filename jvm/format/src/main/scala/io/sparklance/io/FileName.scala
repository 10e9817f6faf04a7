package io.sparklance.io

/** The name of a file in a listing of names.
  *
  * @param size
  *   if the store lists it with the name
  * @param listed
  *   the file as it was listed, if the store tells it from others of its name
  */
final case class FileName(name: String, size: Option[Long], listed: Option[ListedFile] = None)
