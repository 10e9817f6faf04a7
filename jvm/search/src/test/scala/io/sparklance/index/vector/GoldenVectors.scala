package io.sparklance.index.vector

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}

import io.sparklance.dataset.Dataset
import io.sparklance.fuzz.Specimen
import io.sparklance.index.search.{BrokenIndices, GoldenIndices}
import io.sparklance.io.ObjectStore
import io.sparklance.vector.{Metric, NearestSpec, Query, VectorColumn}

/** The table in `tests/golden/vectors`, with the answers that pylance gave to a query of each column. */
object GoldenVectors {
  lazy val files: Map[String, Array[Byte]] = GoldenIndices.filesOf("tests/golden/vectors")

  lazy val answers: Map[String, JsonNode] = {
    val all = new ObjectMapper().readTree(files(s"${GoldenIndices.Root}/answers.json"))
    all.fieldNames.asScala.map(name => name -> all.get(name)).toMap
  }

  /** Names of the directories of the columns' indices. */
  lazy val directories: Map[String, String] = {
    val dataset = Dataset.open(Specimen.store(files), GoldenIndices.Root)
    dataset.schema.fields.filter(field => answers.contains(field.name)).map { field =>
      field.name -> VectorSegment.of(dataset, field.id).head.uuid.toString
    }.toMap
  }

  /** The reference rounds its sums of rotated items to 16 bits. */
  def tolerance(kind: String): Double = if (kind == "IVF_RQ") 1e-3 else 1e-4

  def doubles(node: JsonNode): Vector[Double] = node.elements.asScala.map(_.asDouble).toVector
  def longs(node: JsonNode): Vector[Long] = node.elements.asScala.map(_.asLong).toVector

  private[vector] def ask(
      store: ObjectStore,
      column: String,
      answer: JsonNode,
      broken: BrokenIndices,
      k: Int = 6,
      probes: Probes = Probes(0),
      among: Option[Array[Long]] = None
  ): Option[VectorIndexAnswer] =
    search(
      Dataset.open(store, GoldenIndices.Root),
      column,
      Vector(doubles(answer.get("q")).toArray),
      broken,
      k
    ) {
      (index, spec) =>
        val asked = if (probes == Probes(0)) Probes.exactly(answer.get("nprobes").asInt) else probes
        index.find(spec, k, asked, among)
    }

  /** Searches for queries. Returns None if the index is not used. */
  private[vector] def search(
      dataset: Dataset,
      column: String,
      queries: Vector[Array[Double]],
      broken: BrokenIndices,
      k: Int
  )(find: (VectorIndexSearch, NearestSpec) => Option[VectorIndexAnswer]): Option[VectorIndexAnswer] = {
    val vectors = VectorColumn.of(dataset.schema.fields.find(_.name == column).get).get
    val metric = Metric.parse(answers(column).get("metric").asText).get
    val spec = NearestSpec(vectors, metric, queries.map(q => Query.fitted(new Query(Vector(q)), vectors)), k)
    VectorIndexSearch.of(dataset, vectors, broken).filter(_.metric.contains(metric)).flatMap(find(_, spec))
  }
}
