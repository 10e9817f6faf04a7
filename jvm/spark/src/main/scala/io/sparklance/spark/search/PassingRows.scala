package io.sparklance.spark.search

import io.sparklance.dataset.Dataset
import io.sparklance.spark.session.TableLocation

/** The rows of a table that pass a search's filter. */
private[search] trait PassingRows {
  def rows: RowsToSearch

  /** Their addresses, sorted; None without a filter. */
  def addresses: Option[Array[Long]]
}

private[search] object PassingRows {

  /** Rows that are found when they are asked for. */
  def of(dataset: Dataset, location: TableLocation, filter: Option[SearchCondition]): PassingRows =
    new PassingRows {
      private lazy val planned = filter.map(new SearchFilter(dataset, location, _))
      def rows: RowsToSearch = planned.fold(RowsToSearch.all)(_.rows)
      def addresses: Option[Array[Long]] = planned.map(_.addresses)
    }

  /** Rows that are known, for tasks. */
  final case class Known(rows: RowsToSearch, addresses: Option[Array[Long]]) extends PassingRows
}
