package io.sparklance.spark.index

import java.util.UUID

import org.apache.spark.sql.SparkSession

import io.sparklance.LanceUsageException
import io.sparklance.dataset.Dataset
import io.sparklance.index.build.{IndexEntries, IndexedColumn, NewSegment, StoredSegment, WrittenIndexFile}
import io.sparklance.spark.history.Statement
import io.sparklance.spark.options.LanceOptions
import io.sparklance.spark.schemachange.ColumnPaths
import io.sparklance.spark.session.{JobDescription, TableLocation}
import io.sparklance.table.transaction.Operation

/** An index after a request.
  *
  * @param dataset
  *   the table afterwards
  * @param fragments
  *   ids of the fragments that were indexed; None if the index existed
  */
final private[spark] case class BuiltIndex(dataset: Dataset, name: String, fragments: Option[Set[Long]])

/** Builds an index of a table's latest version by a Spark job, and commits it. A failed build removes its
  * files. The commit fails if others move or change indexed values meanwhile.
  */
final private[spark] class IndexBuild(location: TableLocation) {

  def create(request: IndexRequest): BuiltIndex = {
    val dataset = Dataset.open(location.store, location.root)
    val column = IndexBuild.column(dataset, request.column)
    val recipe = IndexRecipe.of(request.kind)
    recipe.check(column)
    val name = request.name.getOrElse(s"${column.name}_idx")
    IndexBuild.checkName(name)
    val existing = IndexEntries.of(dataset).filter(_.index == name)
    if (existing.nonEmpty && request.existing == ExistingIndex.Keep) BuiltIndex(dataset, name, None)
    else {
      if (existing.nonEmpty) checkReplaces(request, name, column, existing)
      val work = new IndexWork(location, dataset, column, recipe.numbers, fragments(dataset, request))
      BuiltIndex(run(name, "CREATE INDEX", recipe, work, existing), name, Some(work.fragments))
    }
  }

  /** Builds a segment and commits it.
    *
    * @param command
    *   the statement, for the history
    * @param replaced
    *   segments to drop in the same commit
    */
  private[index] def run(
      name: String,
      command: String,
      recipe: IndexRecipe,
      work: IndexWork,
      replaced: Vector[StoredSegment]
  ): Dataset = {
    val version = work.dataset.version
    val title =
      s"lance $location version $version, build index $name (${recipe.name}) on ${work.column.name}"
    val parameters = Map("name" -> name, "column" -> work.column.name, "type" -> recipe.name)
    val statement = Statement(command, parameters)
    new UncommittedSegment(work.files).committing {
      val built = JobDescription.during(SparkSession.active.sparkContext, title)(recipe.segments(work))
      val details = recipe.details(work.dataset)
      val segments = described(built).map { case (uuid, fragments, files) =>
        NewSegment(
          name,
          uuid,
          details,
          work.column.field.id,
          version,
          fragments.getOrElse(work.fragments),
          files
        )
      }
      (built, IndexEntries.change(segments, replaced))
    }(IndexBuild.commit(work.dataset, statement, _))
  }

  /** An index without a row has an entry without files, which covers no fragment. */
  private def described(built: Vector[BuiltSegment])
      : Vector[(UUID, Option[Set[Long]], Vector[WrittenIndexFile])] =
    if (built.isEmpty) Vector((UUID.randomUUID(), Some(Set.empty[Long]), Vector.empty))
    else built.map(segment => (segment.uuid, segment.fragments, segment.files))

  private def fragments(dataset: Dataset, request: IndexRequest): Set[Long] = {
    val all = dataset.fragments.map(_.id).toSet
    request.fragments.foreach { chosen =>
      chosen.diff(all).minOption.foreach { missing =>
        throw new LanceUsageException(
          s"The table at $location has no fragment $missing in version ${dataset.version}. Give ids of its fragments."
        )
      }
    }
    if (request.trains) request.fragments.getOrElse(all) else Set.empty
  }

  private def checkReplaces(
      request: IndexRequest,
      name: String,
      column: IndexedColumn,
      existing: Vector[StoredSegment]
  ): Unit = {
    if (request.existing != ExistingIndex.Replace) throw IndexExists(name, location.uri)
    if (existing.exists(_.fieldIds != Vector(column.field.id)))
      throw new LanceUsageException(
        s"The index '$name' of the table at $location is on another column than '${column.name}'. Choose another " +
          "name, or drop that index."
      )
  }
}

private[spark] object IndexBuild {

  /** Commits a change of indices with its statement in the history. */
  private[index] def commit(dataset: Dataset, statement: Statement, operation: Operation): Dataset = {
    val options = LanceOptions.sessionWrite.commit.properties
    dataset.commit(operation, statement.properties(operation, Some(dataset)) ++ options).dataset
  }

  private def column(dataset: Dataset, path: String): IndexedColumn = {
    val field = ColumnPaths.ofText(dataset.schema, path)
    IndexedColumn.of(dataset.schema, field.id).getOrElse(
      throw new LanceUsageException(
        s"'$path' is inside a list, a map or a packed struct, where no index can be. Index the column around it."
      )
    )
  }

  private def checkName(name: String): Unit =
    if (name.isEmpty || name.startsWith("__lance_"))
      throw new LanceUsageException(
        s"'$name' cannot name an index: it must not be empty, and names that begin with __lance_ are internal. " +
          "Choose another name."
      )
}
