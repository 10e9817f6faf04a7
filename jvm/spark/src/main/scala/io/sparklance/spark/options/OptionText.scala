package io.sparklance.spark.options

import scala.annotation.tailrec
import scala.util.Try

import org.apache.spark.network.util.JavaUtils
import org.apache.spark.sql.types.{DataType, StructType}

import io.sparklance.LanceUsageException
import io.sparklance.data.FileVersion
import io.sparklance.dataset.backfill.JobFolder
import io.sparklance.dataset.write.{StatisticsKind, WriteSchema}
import io.sparklance.index.search.BrokenIndices
import io.sparklance.spark.session.Session

/** Parses the texts of options. An IllegalArgumentException says what the text must be. */
private[spark] object OptionText {

  /** Parses an argument of a procedure as the option of the same meaning. */
  def argument[A](name: String, text: String)(parse: String => A): A =
    try parse(text.trim)
    catch {
      case e: IllegalArgumentException =>
        throw new LanceUsageException(s"Argument '$name' cannot be '${shown(text)}': ${e.getMessage}.", e)
    }

  /** Returns a value as a message shows it: the beginning of a long one. */
  def shown(text: String): String = if (text.length <= MostShown) text else s"${text.take(MostShown)}…"

  private val MostShown = 200

  def truth(text: String): Boolean =
    text.toBooleanOption.getOrElse(throw new IllegalArgumentException("it must be true or false"))

  def positive(text: String, what: String): Long =
    text.toLongOption.filter(_ > 0).getOrElse(throw new IllegalArgumentException(s"it must be $what"))

  def notNegative(text: String, what: String): Long =
    text.toLongOption.filter(_ >= 0).getOrElse(throw new IllegalArgumentException(s"it must be $what"))

  def filled(text: String, what: String): String =
    if (text.nonEmpty) text else throw new IllegalArgumentException(s"it must be $what")

  def uuid(text: String): String =
    if (text.matches("[A-Za-z0-9-]{1,64}")) text
    else
      throw new IllegalArgumentException("it must be a uuid, or consist of letters, digits and hyphens " +
        "like one")

  def columnsKind(text: String): BackfillKind =
    BackfillKind.all.find(_.name.equalsIgnoreCase(text)).getOrElse(
      throw new IllegalArgumentException("it must be add or update")
    )

  /** Parses names of columns. Those with a comma, or a space at an end, are in backquotes. */
  def names(text: String): Vector[String] = {
    val all = listed(text)
    if (all.forall(_.nonEmpty)) all
    else throw new IllegalArgumentException("it must be names of columns, separated by commas")
  }

  @tailrec private def listed(text: String, before: Vector[String] = Vector.empty): Vector[String] =
    Listed.findPrefixMatchOf(text) match {
      case Some(found) =>
        val name = Option(found.group(1)).fold(found.group(2))(_.replace("``", "`"))
        if (found.matched.endsWith(",")) listed(found.after.toString, before :+ name) else before :+ name
      case None => before :+ ""
    }

  private val Listed = "\\s*(?:`((?:[^`]|``)+)`|([^,]*?))\\s*(?:,|$)".r

  def job(text: String): String =
    if (JobFolder.isJob(text)) text
    else
      throw new IllegalArgumentException("it must consist of letters, digits, dots, hyphens and " +
        "underscores")

  def compression(text: String): String =
    if (WriteSchema.isCompression(text)) text
    else throw new IllegalArgumentException("it must be none, fsst, lz4, zstd, or zstd:<level>")

  def statistics(text: String): StatisticsKind =
    StatisticsKind.all.find(_.name.equalsIgnoreCase(text)).getOrElse(
      throw new IllegalArgumentException("it must be zones or none")
    )

  def keepIndices(text: String): KeepIndices =
    KeepIndices.all.find(_.name.equalsIgnoreCase(text)).getOrElse(
      throw new IllegalArgumentException("it must be drop or rebuild")
    )

  def metadataTable(text: String): MetadataTableName = MetadataTableName.find(text).getOrElse(
    throw new IllegalArgumentException(
      s"it must be one of ${MetadataTableName.all.map(_.name).mkString(", ")}"
    )
  )

  /** Parses a schema: columns as in CREATE TABLE, `struct<…>`, or Spark's JSON. */
  def schema(text: String): StructType =
    Try(if (text.startsWith("{")) DataType.fromJson(text) else DataType.fromDDL(text)).toOption.collect {
      case columns: StructType => columns
    }.getOrElse(throw new IllegalArgumentException("it must be a schema, such as id BIGINT, name STRING"))

  def brokenIndices(text: String): BrokenIndices =
    BrokenIndices.all.find(_.name.equalsIgnoreCase(text)).getOrElse(
      throw new IllegalArgumentException(
        s"it must be one of ${BrokenIndices.all.map(_.name).mkString(", ")}"
      )
    )

  /** Parses a number of bytes in Spark's notation. */
  def size(text: String): Long =
    Try(Session.bytes(text)).toOption.filter(_ > 0).getOrElse(
      throw new IllegalArgumentException("it must be a number of bytes, such as 64m")
    )

  /** Parses a duration in Spark's notation, such as `30s` or `15m`, to milliseconds. */
  def millis(text: String): Long =
    Try(JavaUtils.timeStringAsMs(text)).toOption.filter(_ > 0).getOrElse(
      throw new IllegalArgumentException("it must be a duration, such as 30s or 15m")
    )

  /** Writes a number of bytes in the largest unit that divides it: `256m`. */
  def sizeText(bytes: Long): String =
    Seq("g" -> 30, "m" -> 20, "k" -> 10).collectFirst {
      case (unit, shift) if bytes != 0 && bytes % (1L << shift) == 0 => s"${bytes >> shift}$unit"
    }.getOrElse(bytes.toString)

  def fileVersion(text: String): FileVersion = FileVersion
    .parse(text)
    .filter(FileVersion.writable.contains)
    .getOrElse {
      val writable = FileVersion.writable.map(_.name).mkString(", ")
      val meant = FileVersion.exact(text)
      val alias = if (meant == text) "" else s", and this is $meant"
      throw new IllegalArgumentException(s"it must be one of $writable$alias")
    }

  /** Suggests the nearest candidate, if there is one. */
  def suggestion(name: String, candidates: Seq[String]): String =
    nearest(name, candidates).fold("")(near => s" Did you mean '$near'?")

  /** Returns the candidate with the smallest edit distance, ignoring case, if that is small. */
  def nearest(name: String, candidates: Seq[String]): Option[String] =
    candidates.map(c => c -> editDistance(name.toLowerCase, c.toLowerCase)).minByOption(_._2)
      .collect { case (near, edits) if edits <= math.max(1, name.length / 3) => near }

  /** Levenshtein distance, one row of the table at a time. */
  def editDistance(a: String, b: String): Int =
    a.foldLeft((0 to b.length).toVector) { (above, char) =>
      b.indices.foldLeft(Vector(above.head + 1)) { (row, j) =>
        val substituted = above(j) + (if (b(j) == char) 0 else 1)
        row :+ math.min(substituted, math.min(above(j + 1), row(j)) + 1)
      }
    }.last
}
