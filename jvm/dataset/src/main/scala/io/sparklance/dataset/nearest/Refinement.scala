package io.sparklance.dataset.nearest

import scala.collection.mutable
import scala.util.Using

import io.sparklance.data.{BlockRange, Column, ColumnCopy, Fixed64Block, FixedSizeListBlock}
import io.sparklance.dataset.scan.{ReadStats, Split, SplitReader}
import io.sparklance.io.ObjectStore
import io.sparklance.vector.{NearestHeap, NearestSpec, Neighbors, VectorTile}

/** Exact distances of the rows that an index found for queries. A row is read once for all queries that found
  * it.
  */
private[sparklance] object Refinement {

  /** Returns the `k` nearest of the rows found for each query.
    *
    * @param splits
    *   of all found rows, with the columns of [[NearestReader.splits]]
    * @param found
    *   for each query of `spec`
    */
  def answers(
      store: ObjectStore,
      splits: Vector[Split],
      spec: NearestSpec,
      found: Vector[Neighbors]
  ): (Vector[Neighbors], ReadStats) = {
    val (rows, stats) = read(store, splits, found.iterator.map(_.size).sum)
    val refined = rows.fold(found.map(_ => Neighbors.none)) { rows =>
      val tile = VectorTile.of(spec.column, spec.metric, spec.queries.flatMap(_.vectors))
      found.zipWithIndex.map { case (candidates, query) => rows.nearest(tile, spec, query, candidates) }
    }
    (refined, stats)
  }

  private def read(
      store: ObjectStore,
      splits: Vector[Split],
      most: Int
  ): (Option[FoundVectors], ReadStats) = {
    var rows = Option.empty[FoundVectors]
    var stats = ReadStats.none
    splits.foreach { split =>
      Using.resource(new SplitReader(store, split, math.max(64, math.min(most, BatchRows)))) { reader =>
        while (reader.next()) {
          val all = rows.getOrElse(new FoundVectors(empty(reader.columns.head)))
          all.add(reader.columns.head, reader.columns(1), reader.rowCount)
          rows = Some(all)
        }
        stats = stats + reader.stats
      }
    }
    (rows, stats)
  }

  final private val BatchRows = 4096

  private[nearest] def empty(like: Column): Column = new Column(BlockRange.copy(like.values, 0, 0))
}

/** Vectors of rows, by the rows' addresses. Belongs to one thread. */
final private class FoundVectors(vectors: Column) {
  private val places = mutable.LongMap.empty[Int]

  def add(more: Column, addresses: Column, count: Int): Unit = {
    val first = vectors.length
    ColumnCopy.append(more, 0, count, vectors)
    addresses.values match {
      case block: Fixed64Block =>
        var i = 0
        while (i < count) { places.update(block.values(i), first + i); i += 1 }
      case other => throw new IllegalStateException(s"row addresses in a ${other.getClass}")
    }
  }

  /** Returns the nearest of some rows to a query. */
  def nearest(tile: VectorTile, spec: NearestSpec, query: Int, rows: Neighbors): Neighbors = {
    val best = new NearestHeap(spec.k)
    val distances = new Array[Float](tile.capacity)
    rows.addresses.grouped(tile.capacity).foreach { addresses =>
      val known = addresses.filter(places.contains)
      val some = gathered(known)
      some.values match {
        case lists: FixedSizeListBlock =>
          tile.load(lists.items, 0, known.length)
          tile.distances(query, distances)
          known.indices.foreach { i =>
            val isWhole = !some.nulls.isNull(i) && !NearestRows.isPartial(lists.itemNulls, i, lists.dimension)
            if (isWhole && spec.range.contains(distances(i))) best.offer(distances(i), known(i))
          }
        case other => throw new IllegalStateException(s"vectors in a ${other.getClass}")
      }
    }
    best.drain()
  }

  private def gathered(addresses: Array[Long]): Column = {
    val some = Refinement.empty(vectors)
    addresses.foreach { address =>
      val place = places(address)
      ColumnCopy.append(vectors, place, place + 1, some)
    }
    some
  }
}
