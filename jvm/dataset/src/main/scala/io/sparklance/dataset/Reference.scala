package io.sparklance.dataset

import java.time.Instant

import io.sparklance.LanceUsageException
import io.sparklance.table.refs.RefNames

/** A reference to a version of a table.
  *
  * @param branch
  *   name of the branch; None for the one at the path itself
  */
final case class Reference(branch: Option[String] = None, point: Reference.Point = Reference.Latest)

object Reference {

  /** A reference to a version within a branch. */
  sealed trait Point
  case object Latest extends Point
  final case class Version(number: Long) extends Point

  /** The latest of that time. */
  final case class AsOf(time: Instant) extends Point

  /** A tag tells its branch. */
  final case class Tag(name: String) extends Point

  /** A tag or, if none is called so, the latest version of a branch. */
  final case class Named(name: String) extends Point

  val latest: Reference = Reference()

  def version(number: Long): Reference = Reference(point = Version(number))

  /** Parses a reference: `3`, `my-tag`, `my-branch`, or `my-branch:3` and `main:3`. */
  def parse(text: String): Reference = text.trim.split(":", 2) match {
    case Array(branch, number) => Reference(Some(branch), Version(positive(number, text)))
    case Array(one) if one.toLongOption.isDefined => version(positive(one, text))
    case Array(RefNames.Main) => Reference(Some(RefNames.Main))
    case Array(name) if name.nonEmpty => Reference(point = Named(name))
    case _ => throw wrong(text)
  }

  private def positive(number: String, text: String): Long =
    number.trim.toLongOption.filter(_ > 0).getOrElse(throw wrong(text))

  private def wrong(text: String) = new LanceUsageException(
    s"'$text' names no version of a table: versions count from 1. Give a number, the name of a tag or a branch, or both as " +
      "branch:number."
  )
}
