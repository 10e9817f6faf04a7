package io.sparklance.spark.procedures

import io.sparklance.LanceUsageException
import io.sparklance.spark.index.{
  ExistingIndex,
  IndexBuild,
  IndexDrop,
  IndexOptimize,
  IndexRequest,
  IndexSummaries,
  IndexSummary,
  Merging,
  RequestedKind
}
import io.sparklance.spark.metadata.IndicesTable

/** Procedures that list, build, optimize and drop indices. */
private[procedures] object IndexProcedures {
  private val column = Parameter.text("column")
  private val kind = Parameter.text("type")
  private val newName = Parameter.text("name").optional
  private val replace = Parameter.flag("replace")
  private val ifNotExists = Parameter.flag("if_not_exists")
  private val train = Parameter.flag("train").optional
  private val fragments = Parameter.numbers("fragment_ids").optional
  private val options = Parameter.entries("options").optional
  private val index = Parameter.text("name")
  private val ifExists = Parameter.flag("if_exists")
  private val names = Parameter.names("index_names").optional
  private val merged = Parameter.number("num_indices_to_merge").optional
  private val retrain = Parameter.flag("retrain")

  private val listed =
    "name STRING NOT NULL, type STRING NOT NULL, columns ARRAY<STRING> NOT NULL, segments BIGINT NOT NULL, " +
      "indexed_fragments BIGINT NOT NULL, unindexed_fragments BIGINT NOT NULL, indexed_rows BIGINT NOT NULL, " +
      "unindexed_rows BIGINT NOT NULL, created_at TIMESTAMP, size BIGINT, advice STRING"

  val all: Vector[LanceProcedure] = Vector(
    LanceProcedure.listing(
      "index_segments",
      "Lists the segments of the indices of a version.",
      IndicesTable,
      Parameter.version
    ),
    LanceProcedure(
      "create_index",
      "Builds an index on a column, by Spark jobs.",
      Vector(column, kind, newName, replace, ifNotExists, train, fragments, options),
      "version BIGINT NOT NULL, name STRING NOT NULL, fragments_indexed BIGINT NOT NULL"
    )(createIndex),
    LanceProcedure(
      "drop_index",
      "Drops an index. Clean-up removes its files later.",
      Vector(index, ifExists),
      "version BIGINT NOT NULL"
    )(dropIndex),
    LanceProcedure(
      "optimize_indices",
      "Adds the rows that indices do not cover, by Spark jobs.",
      Vector(names, merged, retrain),
      "name STRING NOT NULL, version BIGINT NOT NULL, fragments_indexed BIGINT NOT NULL, segments_replaced BIGINT NOT NULL"
    )(optimizeIndices),
    LanceProcedure(
      "prewarm_index",
      "Reads the parts of an index that all searches need into the driver's cache.",
      Vector(index),
      "segments BIGINT NOT NULL"
    )(prewarmIndex),
    LanceProcedure(
      "indices",
      "Lists the indices of a version, with the rows that they cover.",
      Vector(Parameter.version),
      listed
    )(indices),
    LanceProcedure(
      "describe_index",
      "Describes an index of a version in one row.",
      Vector(index, Parameter.version),
      s"$listed, settings MAP<STRING, STRING> NOT NULL, used_segments BIGINT NOT NULL, " +
        "counts MAP<STRING, BIGINT> NOT NULL"
    )(describeIndex),
    LanceProcedure(
      "index_partitions",
      "Lists the segments of a vector or full-text index with the sizes of their partitions.",
      Vector(index, Parameter.version),
      "uuid STRING NOT NULL, type STRING NOT NULL, metric STRING, loss DOUBLE, partitions ARRAY<BIGINT> NOT NULL, " +
        "tokens ARRAY<BIGINT>"
    )(indexPartitions)
  )

  private def createIndex(arguments: Arguments): Iterator[Seq[Any]] = {
    val request = IndexRequest(
      arguments(column),
      RequestedKind(arguments(kind), settings(arguments)),
      arguments(newName),
      existing(arguments),
      arguments(train).getOrElse(true),
      arguments(fragments).map(_.toSet)
    )
    val built = new IndexBuild(arguments.location).create(request)
    Iterator(Seq[Any](built.dataset.version, built.name, built.fragments.fold(0L)(_.size.toLong)))
  }

  private def existing(arguments: Arguments): ExistingIndex =
    if (arguments(replace) && arguments(ifNotExists))
      throw new LanceUsageException(
        "Arguments 'replace' and 'if_not_exists' exclude each other. Give one of them."
      )
    else if (arguments(replace)) ExistingIndex.Replace
    else if (arguments(ifNotExists)) ExistingIndex.Keep
    else ExistingIndex.Refuse

  private def settings(arguments: Arguments): Map[String, String] =
    arguments(options).getOrElse(Map.empty[String, Option[String]]).map { case (name, value) =>
      name ->
        value.getOrElse(throw new LanceUsageException(s"Setting '$name' of the index is NULL. Give a value."))
    }

  private def dropIndex(arguments: Arguments): Iterator[Seq[Any]] = {
    val name = arguments(index)
    val dropped = IndexDrop.drop(arguments.location, name)
    if (dropped.isEmpty && !arguments(ifExists)) throw IndexDrop.missing(arguments.location, name)
    Iterator(Seq[Any](dropped.getOrElse(arguments.latest).version))
  }

  private def optimizeIndices(arguments: Arguments): Iterator[Seq[Any]] = {
    val count = arguments(merged).getOrElse(0L)
    if (count < 0)
      throw new LanceUsageException(s"Argument 'num_indices_to_merge' is $count. Give 0 or a greater number.")
    val merging = Merging.Newest(math.min(count, Int.MaxValue.toLong).toInt)
    new IndexOptimize(arguments.location, merging, arguments(retrain))
      .run(arguments(names).getOrElse(Vector.empty))
      .iterator
      .map(done => Seq[Any](done.name, done.version, done.fragments.toLong, done.replaced.toLong))
  }

  private def prewarmIndex(arguments: Arguments): Iterator[Seq[Any]] = {
    val dataset = arguments.latest
    val summary = IndexSummaries.named(arguments.location, dataset, arguments(index))
    Iterator(Seq[Any](IndexSummaries.prewarm(dataset, summary.name).toLong))
  }

  private def indices(arguments: Arguments): Iterator[Seq[Any]] =
    IndexSummaries.of(arguments.dataset).iterator.map(row)

  private def row(index: IndexSummary): Seq[Any] = Seq(
    index.name,
    index.kind,
    index.columns,
    index.segments.toLong,
    index.coverage.fragments.toLong,
    index.coverage.otherFragments.toLong,
    index.coverage.rows,
    index.coverage.otherRows,
    index.createdAt,
    index.sizeBytes,
    Option.when(index.coverage.isOutdated)(Rebuild)
  )

  /** Advice for an index whose files may have addresses of rows that were moved. */
  final private val Rebuild = "rebuild"

  private def describeIndex(arguments: Arguments): Iterator[Seq[Any]] = {
    val dataset = arguments.dataset
    val summary = IndexSummaries.named(arguments.location, dataset, arguments(index))
    Iterator(row(summary) ++ Seq[Any](
      IndexSummaries.settings(dataset, summary.name),
      IndexSummaries.usedSegments(dataset, summary.name).toLong,
      IndexSummaries.counts(dataset, summary.name)
    ))
  }

  private def indexPartitions(arguments: Arguments): Iterator[Seq[Any]] = {
    val dataset = arguments.dataset
    val summary = IndexSummaries.named(arguments.location, dataset, arguments(index))
    val ofVectors = IndexSummaries.partitions(dataset, summary.name).map { segment =>
      Seq[Any](segment.uuid, segment.kind, segment.metric, segment.loss, segment.sizes.map(_.toLong), None)
    }
    val ofTexts = IndexSummaries.texts(dataset, summary.name).map { segment =>
      Seq[Any](segment.uuid, summary.kind, None, None, segment.documents, segment.tokens)
    }
    (ofVectors ++ ofTexts).iterator
  }
}
