package io.sparklance.spark.read

import io.sparklance.data.RowRanges
import io.sparklance.index.search.IndexAnswer
import io.sparklance.spark.session.{Counted, TableLocation}

/** Description of a scan in EXPLAIN and the UI. Long lists are truncated, like Spark's own. */
private object ScanDescription {
  final private val MaxItems = 25
  final private val MaxCharacters = 200

  def of(location: TableLocation, version: Long, batch: LanceBatch): String = {
    val spec = batch.spec
    val rows =
      Option.when(
        spec.rows.addresses != RowRanges.all
      )(s"rows at ${Counted(spec.rows.addresses.ranges.size, "place")}")
    val sample = spec.rows.sample.map(s => s"sample [${s.lower}, ${s.upper}) of seed ${s.seed}")
    val filters = Option.unless(spec.filters.isEmpty)(list("filters", spec.filters.pushed.map(_.toString)))
    val top = spec.rows.top.map(TopPushdown.show)
    val exact = Option.when(
      batch.passed.nonEmpty
    )(s", exact in ${Counted(batch.passed.size, "fragment")}").getOrElse("")
    val indices = batch.found.map(answer => s"${show(answer)}$exact")
    val offset = Option.when(spec.rows.slice.offset > 0)(s"offset ${spec.rows.slice.offset}")
    val limit = spec.rows.slice.limit.map(n => s"limit $n")
    val parts = Vector(list("columns", spec.projection.map(_.name))) ++ rows ++ sample ++ filters ++
      indices ++
      top ++ offset ++ limit :+ Counted(batch.splits.size, "split")
    s"lance $location version $version, ${parts.mkString(", ")}"
  }

  /** Names the indices that were searched. */
  def show(answer: IndexAnswer): String = {
    val uses = answer.uses.map(use => s"${use.name} (${use.kind}, segments: ${use.segments})")
    val uncovered =
      Option.when(
        answer.uncovered.nonEmpty
      )(s", ${Counted(answer.uncovered.size, "fragment")} without an index")
    s"${list("indices", uses)} found ${answer.found} rows${uncovered.getOrElse("")}"
  }

  private def list(name: String, items: Vector[String]): String = {
    val more = Option.when(items.size > MaxItems)(s"${items.size - MaxItems} more")
    (items.take(MaxItems).map(cut) ++ more).mkString(s"$name [", ", ", "]")
  }

  private def cut(text: String): String =
    if (text.length <= MaxCharacters) text else s"${text.take(MaxCharacters)}…"
}
