package io.sparklance.dataset.schemachange

import scala.util.Using

import io.sparklance.data.{Column, ListBlock, StructBlock}
import io.sparklance.dataset.Dataset
import io.sparklance.dataset.scan.{FragmentReader, FragmentTask, ScanPlan, SplitTarget}
import io.sparklance.io.Concurrently

/** Searches for nulls of a field on the driver, several fragments at a time. */
private[sparklance] object NullSearch {
  final private val BatchRows = 4096

  /** Whether the field has a null where its ancestors are valid. */
  def finds(dataset: Dataset, id: Int): Boolean = {
    val path = SchemaEdit.path(dataset.schema, id)
    val projection =
      path.init.foldRight(path.last)((around, inside) => around.copy(children = Vector(inside)))
    val tasks = ScanPlan.splits(dataset, Vector(projection), SplitTarget.Rows(Long.MaxValue)).flatMap(_.tasks)
    val threads = Runtime.getRuntime.availableProcessors()
    Concurrently.map(tasks, threads)(finds(dataset, _, path.size)).contains(true)
  }

  private def finds(dataset: Dataset, task: FragmentTask, depth: Int): Boolean =
    Using.resource(FragmentReader.open(dataset.store, task, BatchRows)) { reader =>
      var found = false
      while (!found && reader.next()) found = hasNull(reader.columns.head, 0, reader.rowCount, depth)
      found
    }

  /** @param depth number of columns from this one down to the field */
  private def hasNull(column: Column, from: Int, until: Int, depth: Int): Boolean = (from until until).exists {
    i =>
      if (column.nulls.isNull(i)) depth == 1
      else
        depth > 1 &&
        (column.values match {
          case structs: StructBlock => hasNull(structs.children.head, i, i + 1, depth - 1)
          case lists: ListBlock => hasNull(lists.items, lists.offsets(i), lists.offsets(i + 1), depth - 1)
          case other => throw new IllegalStateException(s"nothing is in a ${other.getClass}")
        })
  }
}
