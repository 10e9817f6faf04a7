package io.sparklance.spark.index

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.SparkSession
import org.apache.spark.{Partitioner, TaskContext, TaskKilledException}

import io.sparklance.LanceUsageException
import io.sparklance.dataset.scan.Split
import io.sparklance.index.build.UnfinishedFile
import io.sparklance.index.vector.build._
import io.sparklance.spark.session.TableLocation
import io.sparklance.spark.write.TaskBytes
import io.sparklance.vector.VectorColumn

/** The jobs that build a vector index. One task trains the centroids of the partitions from a sample, several
  * the codebook. Then tasks assign and encode the rows of splits, and one task for each segment writes them,
  * sorted by partition.
  */
final private[index] class VectorJobs(
    work: IndexWork,
    column: VectorColumn,
    settings: VectorSettings,
    segmentRows: Long,
    isTransposed: Boolean
) {
  private val location = work.forTasks
  private val context = SparkSession.active.sparkContext

  /** Returns no segment if there are too few vectors. */
  def build(known: GivenModels): Vector[BuiltSegment] =
    if (work.fragments.isEmpty) Vector.empty
    else known.whole.orElse(train(known)).fold(Vector.empty[BuiltSegment])(write)

  private def train(known: GivenModels): Option[IvfModel] = {
    val sampled = new VectorSampling(work, column, settings)
    val trained = known.centroids match {
      case Some(centroids) => checked(centroids)
      case None => sampled.partitions()
    }
    if (trained.vectors < settings.leastRows || trained.centroids.isEmpty) None
    else {
      val model = new StoredForm(settings, column, isTransposed).model(trained)
      Some(settings.kind.form match {
        case VectorForm.Parts => known.codebook.fold(sampled.codebook(model)) { codebook =>
            IvfModel.withCodebook(model, column, Vector(checkedCodebook(codebook)))
          }
        case VectorForm.Whole | VectorForm.Bytes | VectorForm.Signs => model
      })
    }
  }

  private def checked(centroids: Array[Float]): TrainedPartitions = {
    if (
      centroids.isEmpty || centroids.length % column.dimension != 0 ||
      centroids.exists(x => x.isNaN || x.isInfinite)
    )
      throw new LanceUsageException(
        s"The setting ivf_centroids has ${centroids.length} numbers, which are no centroids of ${column.dimension} items each. " +
          "Give one or more, without NaN and infinity."
      )
    new VectorSampling(work, column, settings).bounds(centroids)
  }

  private def checkedCodebook(codebook: Array[Float]): Array[Float] = {
    val expected = column.dimension << settings.bits
    if (codebook.length != expected || codebook.exists(x => x.isNaN || x.isInfinite))
      throw new LanceUsageException(
        s"The setting pq_codebook has ${codebook.length} numbers instead of $expected: num_sub_vectors × 2^num_bits × items of " +
          "a part. Give as many, without NaN and infinity."
      )
    codebook
  }

  private def write(model: IvfModel): Vector[BuiltSegment] = {
    val groups = grouped
    val (location, column, place) = (this.location, this.column, work.files)
    // Few segments leave cores without a task: their writers build graphs with them.
    val threads = math.max(1, context.defaultParallelism / groups.size)
    val shared = context.broadcast(TaskBytes.of(model))
    val splits = groups.zipWithIndex.flatMap { case (fragments, i) => work.splitsOf(fragments).map(i -> _) }
    val rows: RDD[(Long, Array[Byte])] = work.partitions(splits).flatMap { case (segment, split) =>
      val encoded = new EncodedRows(location, split, column, TaskBytes.read[IvfModel](shared.value))
      encoded.map(chunk => (segment.toLong << 32 | chunk.partition) -> chunk.bytes)
    }
    val written = rows.repartitionAndSortWithinPartitions(new SegmentPartitioner(groups.size))
      .mapPartitions { chunks =>
        VectorJobs.writeSegment(place, column, TaskBytes.read[IvfModel](shared.value), threads, chunks)
      }
    val built = written.collect().toVector.map(TaskBytes.read[(Int, BuiltSegment)](_))
    shared.destroy()
    // Groups without a vector have no files, but no rows that a search could miss either: another one covers
    // them.
    val empty = groups.indices.toSet -- built.map(_._1)
    built.sortBy(_._1).zipWithIndex.map { case ((group, segment), i) =>
      val others = if (i == 0) empty.flatMap(groups) else Set.empty[Long]
      segment.copy(fragments = Some(groups(group) ++ others))
    }
  }

  /** Divides fragments among segments, in their order. */
  private def grouped: Vector[Set[Long]] = {
    val groups = scala.collection.mutable.ArrayBuffer.empty[Set[Long]]
    var rows = 0L
    work.dataset.fragmentRows.filter { case (id, _) => work.fragments(id) }.foreach { case (id, count) =>
      if (groups.isEmpty || rows + count > segmentRows) {
        groups += Set(id)
        rows = count
      } else {
        groups(groups.size - 1) += id
        rows += count
      }
    }
    groups.toVector
  }
}

private object VectorJobs {

  /** Writes a segment in a task. Returns its number with it. */
  private def writeSegment(
      place: SegmentPlace,
      column: VectorColumn,
      model: IvfModel,
      threads: Int,
      chunks: Iterator[(Long, Array[Byte])]
  ): Iterator[Array[Byte]] =
    if (chunks.isEmpty) Iterator.empty
    else {
      val own = place.ofAttempt(TaskContext.get().taskAttemptId())
      val context = TaskContext.get()
      val writer = new VectorSegmentWriter(
        own.store,
        own.directory,
        own.version,
        model,
        column,
        math.min(threads, Runtime.getRuntime.availableProcessors),
        () => if (context.isInterrupted()) throw new TaskKilledException
      )
      val files = UnfinishedFile.writing(writer) { writer =>
        chunks.foreach { case (key, bytes) =>
          Cancelled.check()
          writer.append(key.toInt, bytes)
        }
        writer.finish()
      }
      files.foreach(Cancelled.check(_, own))
      Iterator(TaskBytes.of((TaskContext.getPartitionId(), BuiltSegment(own.uuid, files))))
    }
}

/** Assigns and encodes the rows of a split, in a task. */
final private class EncodedRows(location: TableLocation, split: Split, column: VectorColumn, model: IvfModel)
    extends Iterator[PartitionChunk] {
  private val rows = KeyRanges.vectors(location, split, column)
  private val encoded = new PartitionedRows(model, column)
  private var ready = Iterator.empty[PartitionChunk]
  private var hasMore = true

  def hasNext: Boolean = {
    while (!ready.hasNext && (hasMore || !encoded.isEmpty)) {
      while (hasMore && encoded.hasRoom) {
        Cancelled.check()
        hasMore = rows.next()
        if (hasMore) encoded.add(rows)
      }
      ready = encoded.drain().iterator
    }
    ready.hasNext
  }

  def next(): PartitionChunk = {
    if (!hasNext) throw new NoSuchElementException
    ready.next()
  }
}

/** Sends the rows of a segment to one task. */
final private class SegmentPartitioner(segments: Int) extends Partitioner {
  def numPartitions: Int = segments
  def getPartition(key: Any): Int = key match {
    case number: Long => (number >>> 32).toInt
    case other => throw new IllegalStateException(s"the key $other")
  }
}
