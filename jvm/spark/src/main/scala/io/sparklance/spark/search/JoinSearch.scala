package io.sparklance.spark.search

import java.util.Arrays

import scala.collection.mutable
import scala.util.Using

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.DataType

import io.sparklance.data.RowRanges
import io.sparklance.dataset.Dataset
import io.sparklance.dataset.scan.{ReadStats, ScanPlan, Split}
import io.sparklance.dataset.snapshot.MetadataColumn
import io.sparklance.index.search.BrokenIndices
import io.sparklance.spark.read.{LanceInputPartition, LanceReaderFactory}
import io.sparklance.spark.session.TableLocation
import io.sparklance.spark.types.SchemaConverter
import io.sparklance.vector.{NearestSpec, Query}

/** Searches a table in the tasks of a join; serializable. Each JVM opens the table's version once.
  *
  * @param search
  *   without queries
  * @param among
  *   the rows that pass its filter
  * @param stored
  *   reads columns of rows, the last of which is the address
  */
final private[search] class JoinSearch(
    location: TableLocation,
    version: Long,
    search: ResolvedSearch,
    among: PassingRows.Known,
    broken: BrokenIndices,
    stored: LanceReaderFactory
) extends Serializable {
  @transient private lazy val dataset = Dataset.open(location.store, location.root, Some(version))

  def spec: NearestSpec = search.spec

  /** Types of the columns that [[rows]] reads. */
  val types: Vector[DataType] = stored.projection.map(SchemaConverter.plainType(_, stored.readTypes))

  /** Rows that are searched for at once, at most. */
  def batch: Int = math.max(1, math.min(JoinSearch.MostQueries, JoinSearch.MostFound / spec.k))

  def answers(queries: Vector[Query], place: SearchPlace): SearchOutcome =
    if (queries.isEmpty) SearchOutcome(Vector.empty, 0, ReadStats.none, 0)
    else {
      // No index tells how far NaN is.
      val isUnknown = queries.map(query => search.index.isDefined && query.vectors.exists(_.exists(_.isNaN)))
      if (!isUnknown.contains(true)) answers(search, queries, place)
      else merged(queries, isUnknown, place)
    }

  private def answers(search: ResolvedSearch, queries: Vector[Query], place: SearchPlace): SearchOutcome =
    new SearchRun(dataset, location, search.copy(spec = spec.copy(queries = queries)), among, place, broken)
      .result()

  /** Searches for some of the queries without an index. */
  private def merged(queries: Vector[Query], isExact: Vector[Boolean], place: SearchPlace): SearchOutcome = {
    val (exact, others) = queries.zip(isExact).partition(_._2)
    val first = answers(search.copy(index = None), exact.map(_._1), place)
    val second =
      if (others.isEmpty) SearchOutcome(Vector.empty, 0, ReadStats.none, 0)
      else answers(search, others.map(_._1), place)
    val (a, b) = (first.answers.iterator, second.answers.iterator)
    SearchOutcome(
      isExact.map(if (_) a.next() else b.next()),
      first.compared + second.compared,
      first.stats + second.stats,
      first.tasks + second.tasks,
      second.probed
    )
  }

  /** Reads rows of the table, by their addresses; nothing if no column is wanted. */
  def rows(addresses: Array[Long]): mutable.LongMap[InternalRow] =
    if (types.size == 1 || addresses.isEmpty) mutable.LongMap.empty
    else {
      val wanted = RowRanges.ofRows(addresses)
      val split =
        Split(ScanPlan.splits(dataset, stored.projection, SearchPlace.Whole, wanted).flatMap(_.tasks))
      Using.resource(stored.createReader(LanceInputPartition(split)))(RowsByAddress.read(_, types.toArray))
    }
}

private[search] object JoinSearch {
  final private val MostQueries = 8192

  /** Rows that are found at once, at most. */
  final private val MostFound = 1 << 22

  /** Prepares a search for tasks: finds the rows that pass its filter.
    *
    * @param columns
    *   of the table
    */
  def of(source: JoinSource, columns: Vector[String]): JoinSearch = {
    import source.search
    import source.table.{dataset, location, read}
    val filtered = PassingRows.of(dataset, location, search.filter)
    val among = PassingRows.Known(filtered.rows, search.index.flatMap(_ => filtered.addresses))
    val known = dataset.schema.fields ++ MetadataColumn.all.map(_.field)
    val fields = columns.map(name => known.find(_.name == name).getOrElse(missing(name)))
    val place = if (fields.flatMap(_.preOrder).exists(_.isBlob)) location else location.forTasks(dataset)
    val tuned = place.copy(tuning = read.tuning)
    new JoinSearch(
      tuned,
      dataset.version,
      search.copy(filter = None),
      among,
      source.table.broken,
      LanceReaderFactory(tuned, fields :+ MetadataColumn.RowAddr.field, read.batchSize, read.readTypes)
    )
  }

  private def missing(name: String) = throw new IllegalStateException(s"no column '$name'")

  /** Returns addresses without those that occur before, sorted. */
  def distinct(addresses: Array[Long]): Array[Long] = {
    val sorted = addresses.clone()
    Arrays.sort(sorted)
    sorted.distinct
  }
}
