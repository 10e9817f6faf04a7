package io.sparklance.index.vector

import scala.collection.mutable
import scala.util.Using

import io.sparklance.data.{RowRange, RowRanges}
import io.sparklance.dataset.snapshot.{RowAddress, Snapshot}
import io.sparklance.index.Footers
import io.sparklance.index.search.BrokenIndices
import io.sparklance.io.{IoScheduler, IoTask}
import io.sparklance.vector.{Metric, NearestHeap, NearestSpec, Neighbors, VectorColumn}
import io.sparklance.{LanceFormatException, UnsupportedLanceFeatureException}

/** The rows that a vector index found.
  *
  * @param answers
  *   the nearest rows of the covered fragments, for each query; distances may be estimates
  * @param index
  *   name of the index, and of its kind
  * @param uncovered
  *   addresses of the rows of fragments that no segment covers
  * @param compared
  *   stored vectors compared with queries
  * @param probed
  *   partitions searched
  */
final private[sparklance] case class VectorIndexAnswer(
    answers: Vector[Neighbors],
    index: (String, String),
    segments: Int,
    uncovered: RowRanges,
    compared: Long,
    probed: Long
)

/** Searches the vector index of a column. Each segment answers for the fragments that it covers. */
final private[sparklance] class VectorIndexSearch private (
    snapshot: Snapshot,
    column: VectorColumn,
    segments: Vector[VectorSegment],
    broken: BrokenIndices
) {
  import VectorIndexSearch._

  private lazy val files = segments.map(new VectorIndexFiles(snapshot.store, _, column.single))

  private def tasked[A](body: IoTask => A): A =
    Using.resource(IoScheduler.shared.task(snapshot.store.profile))(body)

  /** Reads the models of all segments side by side. */
  private def load(io: IoTask): Unit = {
    Footers.begin(snapshot, io)
    io.map(files)(_.model).foreach(_.get)
  }

  /** The metric of the index; None if the index cannot be used. */
  lazy val metric: Option[Metric] =
    segments.head.metric.orElse(guarded(files.head.model.metric)).filter(column.item.metrics.contains)

  /** The feature for which the index cannot be read, if there is one. */
  lazy val unread: Option[UnsupportedLanceFeatureException] = guarded(
    try {
      tasked(load)
      None
    } catch { case e: UnsupportedLanceFeatureException => Some(e) }
  ).flatten

  private def uncovered: RowRanges = RowRanges.of(
    snapshot.fragments.filterNot(f => segments.exists(_.fragments.contains(f.id))).map { fragment =>
      RowAddress.ofFragment(fragment.id, snapshot.physicalRows(fragment)): RowRange
    }
  )

  /** Description for plans, without reading index files. */
  def describe: String = {
    val rest = snapshot.fragments.filterNot(f => segments.exists(_.fragments.contains(f.id)))
    val left = rest.iterator.map(snapshot.physicalRows).sum
    val parts = if (segments.size == 1) "1 segment" else s"${segments.size} segments"
    s"index ${segments.head.index} of $parts" + (if (left == 0) "" else s", $left rows outside of it")
  }

  /** Returns the nearest rows; None if the index cannot be used.
    *
    * @param k
    *   number of rows to find for each query
    * @param among
    *   addresses of the rows among which to search, sorted; all rows if None
    */
  def find(spec: NearestSpec, k: Int, probes: Probes, among: Option[Array[Long]]): Option[VectorIndexAnswer] =
    guarded(tasked { io =>
      val masks = io.fork(
        io.map(segments)(segment => RowMask.of(snapshot, segment.files, segment.fragments, among)).map(_.get)
      )
      load(io)
      if (files.exists(_.model.metric != spec.metric))
        throw new LanceFormatException(s"not all of its segments are by ${spec.metric.name}")
      val searches = files.zip(IoTask.result(masks)).map { case (files, mask) =>
        new SegmentSearch(files, spec, mask, k, probes)
      }
      val heaps = spec.queries.map(_ => new NearestHeap(k))
      val ordered = searches.map(search => (search, search.orders))
      PartitionFeed.run(
        io,
        ordered.iterator.flatMap { case (search, orders) => first(search, orders, heaps) }
      )
      searchRest(ordered, heaps, k)
      val answers = heaps.map(_.drain())
      VectorIndexAnswer(
        answers,
        (segments.head.index, files.head.model.kind),
        segments.size,
        uncovered,
        searches.map(_.compared).sum,
        searches.map(_.probed).sum
      )
    })

  /** The partitions that queries look at in any case, each once for all its queries. The nearest ones come
    * first: then few of the other rows are near enough to be looked at closely.
    */
  private def first(
      search: SegmentSearch,
      orders: Vector[PartitionOrder],
      heaps: Vector[NearestHeap]
  ): Iterator[PartitionLoad] =
    orders.indices.grouped(search.together).flatMap { queries =>
      val nearest = asked(search, orders, queries, order => 0 until math.min(1, order.first))
      val others = asked(search, orders, queries, order => 1 until order.first)
      val all = (nearest ++ others).keys.toVector.sorted
      def run(some: Map[Int, Array[Int]])(number: Int, data: StoredPartition): Unit =
        some.get(number).foreach(search.search(number, data, _, heaps))
      def sorted(some: Map[Int, Array[Int]]) = some.keys.toVector.sorted
      val loads =
        if (PartitionLoad.fitting(search.files, all) >= all.size)
          Iterator.single(new PartitionLoad(
            search.files,
            all,
            data =>
              Vector(nearest, others).foreach(some => sorted(some).foreach(n => run(some)(n, data(n))))
          ))
        else
          Iterator(nearest, others).flatMap(some => PartitionLoad.of(search.files, sorted(some))(run(some)))
      loads ++ Iterator.single(new PartitionLoad(search.files, Vector.empty, _ => search.clear(queries)))
    }

  /** Returns the queries that look at partitions by some of their ranks. */
  private def asked(
      search: SegmentSearch,
      orders: Vector[PartitionOrder],
      queries: Range,
      ranks: PartitionOrder => Range
  ): Map[Int, Array[Int]] = {
    val asked = mutable.HashMap.empty[Int, mutable.ArrayBuilder.ofInt]
    for (query <- queries; rank <- ranks(orders(query)))
      asked.getOrElseUpdate(orders(query).partitions(rank), new mutable.ArrayBuilder.ofInt) += query
    asked.iterator.collect { case (number, some) if !search.isEmpty(number) => number -> some.result() }.toMap
  }

  private def guarded[A](body: => A): Option[A] =
    try Some(body)
    catch {
      case _: UnsupportedLanceFeatureException => None
      case e: LanceFormatException =>
        broken match {
          case BrokenIndices.Scan => None
          case BrokenIndices.Fail =>
            throw new LanceFormatException(
              s"the index '${segments.head.index}' cannot be read: ${e.reason}; drop it, or set the option " +
                "brokenIndices to scan",
              e.location,
              e
            )
        }
    }
}

private[sparklance] object VectorIndexSearch {

  /** Partitions that are read together, at most, to find more rows in a distant store. */
  final private val MostTogether = 32

  /** Searches further partitions for each query that has too few rows: those of a distant store more and more
    * at a time.
    */
  private[vector] def searchRest(
      searches: Vector[(SegmentSearch, Vector[PartitionOrder])],
      heaps: Vector[NearestHeap],
      k: Int
  ): Unit =
    heaps.indices.foreach { query =>
      searches.foreach { case (search, orders) =>
        val order = orders(query)
        var left = order.partitions.drop(order.first).filterNot(search.isEmpty).toVector
        var together = if (search.files.isDistant) 4 else 1
        while (left.nonEmpty && heaps(query).size < k) {
          val (next, later) = left.splitAt(PartitionLoad.fitting(search.files, left.take(together)))
          val data = search.files.partitions(next)
          next.iterator.takeWhile(_ => heaps(query).size < k)
            .foreach(number => search.search(number, data(number), Array(query), heaps))
          left = later
          if (search.files.isDistant) together = math.min(2 * together, MostTogether)
        }
        search.clear(query to query)
      }
    }

  /** Returns a search of the index that a column has. */
  def of(snapshot: Snapshot, column: VectorColumn, broken: BrokenIndices): Option[VectorIndexSearch] = {
    val segments = VectorSegment.of(snapshot, column.field.id)
    Option.when(segments.nonEmpty)(new VectorIndexSearch(snapshot, column, segments, broken))
  }
}
