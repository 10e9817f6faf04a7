package io.sparklance.spark.erasure

import java.nio.charset.StandardCharsets.{ISO_8859_1, UTF_8}

import io.sparklance.dataset.erasure.{KeptVersion, SearchedFiles, SoughtTexts, TableHistory}
import io.sparklance.spark.statistics.ColumnSummary
import io.sparklance.table.index.{IndexKinds, IndexSegments}

/** Finds out which versions of a history hold erased rows.
  *
  * @param survey
  *   what is known of the rows
  */
final private[erasure] class Holders(history: TableHistory, survey: Survey) {
  private val hits = survey.files.hits.map(_.path).toSet
  private val hitSegments = hits.flatMap(SearchedFiles.segment)
  private val predicates =
    new PredicateTexts(new SoughtTexts(survey.looked.contents.texts), survey.looked.contents.keys)

  private val dirty = history.versions.filter(hasFiles)
  private val last = dirty.filterNot(_.isDetached).map(_.number).maxOption.getOrElse(-1L)
  private val dirtyDigests = dirty.map(_.files).toSet
  private val digests = history.versions.map(_.files).toSet

  private val segments = history.versions.flatMap(_.segments).filterNot(s => IndexKinds.isSystem(s.index))

  /** Uuids of segments that were built of such fragments. */
  private val covering = dirty.flatMap { version =>
    val fragments = version.states.filter(_.names.exists(survey.holders)).map(_.fragment.id)
    version.segments.filter(_.fragments.forall(_.intersects(fragments))).map(_.uuid)
  }.toSet

  /** Names of indices that have had such segments. */
  val indices: Set[String] = segments.filter(s => covering(s.uuid) || hitSegments(s.uuid)).map(_.index).toSet

  /** Whether a segment may have values of such rows: it was built of them, or of a segment that was. */
  def holds(segment: IndexSegments.Segment): Boolean = indices(segment.index) &&
    (covering(segment.uuid) || hitSegments(segment.uuid) || segment.builtAt <= last)

  /** Returns the keys of statistics that may have bounds of such rows. */
  def statistics(version: KeptVersion): Vector[String] =
    if (survey.holders.isEmpty) Vector.empty
    else version.recorded.statistics.toVector.collect { case (key, text) if isStale(text) => key }.sorted

  /** Returns what of a version holds such rows; None if nothing does. */
  def reason(version: KeptVersion): Option[String] = {
    val reasons = Vector(
      "data files" -> hasFiles(version),
      "indices" -> version.segments.exists(holds),
      "statistics" -> statistics(version).nonEmpty,
      "predicates" -> (version.recorded.predicates.exists(predicates.isIn) || isHit(version))
    ).collect { case (what, true) => what }
    Option.when(reasons.nonEmpty)(reasons.mkString(", "))
  }

  private def hasFiles(version: KeptVersion): Boolean =
    version.states.exists(_.names.exists(survey.holders))

  private def isStale(text: String): Boolean = ColumnSummary.ofJson(text).forall { summary =>
    summary.bounds.isDefined && (dirtyDigests(summary.files) || !digests(summary.files))
  }

  private def isHit(version: KeptVersion): Boolean = hits(version.path) ||
    version.place.transactionFile.nonEmpty &&
    hits(s"${history.root}/_transactions/${version.place.transactionFile}")
}

/** Tells which conditions that a history records name values of erased rows.
  *
  * @param texts
  *   strings and binary values, as characters of ISO 8859-1
  * @param keys
  *   names of columns, each with a value
  */
final private[erasure] class PredicateTexts(texts: SoughtTexts, keys: Set[(String, String)]) {
  import PredicateTexts._

  private val values = keys.groupMap(_._1)(_._2)

  def isIn(predicate: String): Boolean = spellings(predicate).exists { text =>
    val bytes = text.getBytes(UTF_8)
    texts.in(bytes, bytes.length).nonEmpty
  } || literals(predicate).exists(texts.texts) || hasKey(predicate)

  private def hasKey(predicate: String): Boolean = {
    val words = predicate.split("[^\\p{L}\\p{N}_.-]+").toSet
    // The last parts are the names of fields of structs.
    val names = words.map(word => word.drop(word.lastIndexOf('.') + 1))
    values.exists { case (name, ofName) =>
      (names(name) || name.contains(' ') && predicate.contains(name)) &&
      ofName.exists(value => words(value) || value.contains(' ') && hasTime(predicate, value))
    }
  }
}

private object PredicateTexts {
  private val Literal = """'((?:[^'\\]|''|\\.)*)'|"((?:[^"\\]|""|\\.)*)"""".r

  /** Returns a condition, and what it says if doubled quotes, or characters after a backslash, are one. */
  private def spellings(text: String): Set[String] = Set(
    text,
    text.replace("''", "'").replace("\"\"", "\""),
    text.replaceAll("""\\(.)""", "$1")
  )

  private def literals(predicate: String): Set[String] = Literal.findAllMatchIn(predicate).flatMap { found =>
    spellings(Option(found.group(1)).getOrElse(found.group(2)))
  }.map(text => new String(text.getBytes(UTF_8), ISO_8859_1)).toSet

  /** Whether a condition has a point in time, with or without a `T` between date and time. */
  private def hasTime(predicate: String, value: String): Boolean =
    predicate.contains(value) || predicate.contains(value.replace(' ', 'T'))
}
