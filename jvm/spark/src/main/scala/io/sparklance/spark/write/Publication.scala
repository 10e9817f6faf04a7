package io.sparklance.spark.write

import scala.util.control.NonFatal

import io.sparklance.CommitStateUnknownException
import io.sparklance.dataset.{Dataset, WrittenFile}
import io.sparklance.schema.LanceSchema

/** How files that tasks have written become part of a table. */
trait Publication {
  def publish(files: Vector[WrittenFile]): Unit
}

object Publication {

  /** Whether a failed publication has left no version behind, so that its files can be removed. A commit says so when it
    * does not know; only a failing JVM may cut it short.
    */
  def failedForSure(failure: Throwable): Boolean = failure match {
    case _: CommitStateUnknownException => false
    case NonFatal(_) => true
    case _ => false
  }
}

/** Adds rows. Nothing to add makes no version. */
final class Appending(dataset: Dataset) extends Publication {
  def publish(files: Vector[WrittenFile]): Unit = if (files.nonEmpty) { val _ = dataset.append(files) }
}

/** Replaces all rows and keeps the columns, whose fields are numbered anew, as `schema` has them. */
final class Replacing(dataset: Dataset, schema: LanceSchema) extends Publication {
  def publish(files: Vector[WrittenFile]): Unit = {
    val _ = dataset.overwrite(schema, dataset.fileVersion, files)
  }
}

/** Keeps the files until the statement of which they are a part is complete. */
final class Staging extends Publication {
  private var staged = Vector.empty[WrittenFile]
  def publish(files: Vector[WrittenFile]): Unit = staged = files
  def files: Vector[WrittenFile] = staged
}
