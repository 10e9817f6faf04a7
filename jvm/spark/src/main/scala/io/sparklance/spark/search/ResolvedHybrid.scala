package io.sparklance.spark.search

import org.apache.spark.sql.types.StructField
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import io.sparklance.LanceUsageException
import io.sparklance.spark.options.{Fusion, HybridRequest, VectorCure}
import io.sparklance.vector.VectorColumn

/** A search for vectors and one for texts in the same table, whose results become one. */
final private[search] case class ResolvedHybrid(
    nearest: NearestSearch,
    text: ResolvedText,
    k: Int,
    fusion: Fusion
) extends RowSearch {
  def added: Vector[StructField] =
    Vector(ResultColumns.distance, ResultColumns.score, ResultColumns.relevance)
  def queries: Int = 1
  def isBatch: Boolean = false
  def filter: Option[SearchCondition] = text.filter
  def limit: Option[Int] = Some(k)

  def describe: String = {
    val how = fusion match {
      case Fusion.ReciprocalRanks(constant) => s"reciprocal ranks + $constant"
      case Fusion.Weighted(alpha) => s"distances x $alpha + scores x ${1 - alpha}"
    }
    s"best $k by $how of (${nearest.describe}) and (${text.describe})"
  }

  def run(table: SearchTarget): FoundRows = {
    val (near, texts) = (nearest.run(table), text.run(table))
    val fused = Fused.of(near.answers.head, texts.answers.head, k, fusion)
    FoundRows(Vector(fused), near.metrics ++ texts.metrics)
  }
}

private[search] object ResolvedHybrid {

  /** Fits a request to a table. Fails if it does not.
    *
    * @param options
    *   those of the read
    */
  def of(request: HybridRequest, table: SearchTarget, options: CaseInsensitiveStringMap): ResolvedHybrid = {
    val column = request.column.getOrElse(onlyVectors(table))
    val nearest = ResolvedSearch.of(request.nearest(column), table, options)
    if (nearest.isBatch)
      throw new LanceUsageException(
        "A hybrid search has one query, but several vectors were given. Search for each of them by itself."
      )
    ResolvedHybrid(
      NearestSearch(nearest),
      ResolvedText.of(request.text, table, options),
      request.k,
      request.fusion
    )
  }

  private def onlyVectors(table: SearchTarget): String =
    table.dataset.schema.fields.filter(VectorColumn.of(_).isDefined).map(_.name) match {
      case Vector(one) => one
      case others =>
        val found = if (others.isEmpty) "no column of vectors"
        else s"several columns of vectors: ${others.mkString(", ")}"
        val cure = Option.when(others.isEmpty)(table.dataset.schema.fields).flatMap(VectorCure.ofAny)
        throw new LanceUsageException(
          s"${table.location.uri} has $found. ${cure.getOrElse("Name the one to search.")}"
        )
    }
}

/** Makes one order of the results of two searches. */
private object Fused {

  /** Returns the best rows with their distance, score and relevance. Of equal relevance, the lower address is
    * first.
    */
  def of(near: RankedRows, texts: RankedRows, k: Int, fusion: Fusion): RankedRows = {
    val (distances, scores) = (near.values.head, texts.values.head)
    val (ofNear, ofTexts) = fusion match {
      case Fusion.ReciprocalRanks(constant) =>
        (ranked(near.size, constant), ranked(texts.size, constant))
      case Fusion.Weighted(alpha) =>
        (scaled(distances.map(-_), alpha), scaled(scores, 1 - alpha))
    }
    val (nearAt, textAt) = (near.addresses.zipWithIndex.toMap, texts.addresses.zipWithIndex.toMap)
    val best = (near.addresses ++ texts.addresses).distinct.map { address =>
      address -> (nearAt.get(address).fold(0.0)(ofNear(_)) + textAt.get(address).fold(0.0)(ofTexts(_)))
    }.sortBy { case (address, relevance) => (-relevance, address) }.take(k)
    val addresses = best.map(_._1)
    RankedRows(
      addresses,
      Vector(
        addresses.map(nearAt.get(_).fold(Float.NaN)(distances(_))),
        addresses.map(textAt.get(_).fold(Float.NaN)(scores(_))),
        best.map(_._2.toFloat)
      )
    )
  }

  private def ranked(count: Int, constant: Double): Array[Double] =
    Array.tabulate(count)(i => 1 / (i + constant))

  /** Returns values from 0 for the lowest to `share` for the highest one. */
  private def scaled(values: Array[Float], share: Double): Array[Double] = {
    val (low, high) = (values.minOption.getOrElse(0f).toDouble, values.maxOption.getOrElse(0f).toDouble)
    values.map(value => if (high > low) share * (value - low) / (high - low) else share)
  }
}
