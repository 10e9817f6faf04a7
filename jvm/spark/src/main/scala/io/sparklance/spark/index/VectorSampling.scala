package io.sparklance.spark.index

import io.sparklance.dataset.scan.Split
import io.sparklance.index.vector.build._
import io.sparklance.spark.session.{Session, TableLocation}
import io.sparklance.spark.write.TaskBytes
import io.sparklance.vector.{Metric, VectorColumn}

/** The jobs that train models from samples of the rows. */
final private[index] class VectorSampling(work: IndexWork, column: VectorColumn, settings: VectorSettings) {
  private val location = work.forTasks
  private val partitionCount = settings.partitionsFor(work.rows)

  /** Trains the centroids of the partitions. */
  def partitions(): TrainedPartitions =
    run(math.max(partitionCount.toLong * settings.sampleRate, settings.rowsOfCodes)) {
      val (column, metric, count, rounds) =
        (this.column, settings.metric, partitionCount, settings.maxIterations)
      val most = count.toLong * settings.sampleRate
      sample => Training.partitions(sample, column, metric, count, most, rounds)
    }

  /** Looks at the vectors for partitions whose centroids are given. */
  def bounds(centroids: Array[Float]): TrainedPartitions =
    run(math.max(settings.rowsOfCodes, settings.leastRows.toLong))(sample =>
      Training.described(sample, centroids)
    )

  /** Trains the codebook of a model, some parts of a vector in each task. */
  def codebook(model: IvfModel): IvfModel = {
    val tasks = math.max(1, math.min(settings.parts, Session.minSplits))
    val ranges =
      Vector.tabulate(tasks)(i => i * settings.parts / tasks until (i + 1) * settings.parts / tasks)
    val splits = work.sampled(capped(settings.rowsOfCodes))
    val (location, column, capacity) = (this.location, this.column, capped(settings.rowsOfCodes).toInt)
    val (rounds, normalizes) = (settings.maxIterations, settings.metric == Metric.Cosine)
    val trained = work.partitions(ranges).map { parts =>
      val sample = VectorSampling.read(location, splits, column, normalizes, capacity)
      TaskBytes.of(Training.codebook(sample, model, parts, rounds))
    }
    IvfModel.withCodebook(model, column, trained.collect().toVector.map(TaskBytes.read[Array[Float]](_)))
  }

  private def run(rows: Long)(train: VectorSample => TrainedPartitions): TrainedPartitions = {
    val splits = work.sampled(capped(rows))
    val (location, column, capacity) = (this.location, this.column, capped(rows).toInt)
    val normalizes = settings.metric == Metric.Cosine
    val trained = work.partitions(Vector(splits)).map { splits =>
      TaskBytes.of(train(VectorSampling.read(location, splits, column, normalizes, capacity)))
    }
    TaskBytes.read[TrainedPartitions](trained.collect().head)
  }

  /** Rows of a sample that fits the memory of a task. */
  private def capped(rows: Long): Long =
    math.max(1L, math.min(rows, VectorSampling.MostBytes / (4L * column.dimension)))
}

private object VectorSampling {
  final private val MostBytes = 256L << 20

  /** Reads a sample in a task. */
  private def read(
      location: TableLocation,
      splits: Vector[Split],
      column: VectorColumn,
      normalizes: Boolean,
      capacity: Int
  ): VectorSample = {
    val sample = new VectorSample(column, normalizes, capacity)
    splits.foreach { split =>
      val rows = KeyRanges.vectors(location, split, column)
      while (rows.next()) {
        Cancelled.check()
        sample.add(rows)
      }
    }
    sample
  }
}
