package io.sparklance.io

/** @param size if the store lists it with the name */
final case class FileName(name: String, size: Option[Long])
