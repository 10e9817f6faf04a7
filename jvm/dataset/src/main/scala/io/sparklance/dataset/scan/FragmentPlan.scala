package io.sparklance.dataset.scan

import io.sparklance.data.{RowRange, RowRanges}
import io.sparklance.dataset.order.RowOrder
import io.sparklance.dataset.predicate.{LeafChunkFilter, Predicate}
import io.sparklance.dataset.snapshot.{HiddenColumn, MetadataColumn}
import io.sparklance.encoding.logical.LeafColumn
import io.sparklance.file.{ChunkFilter, ColumnRequest, FileColumns}
import io.sparklance.schema.{Field, Leaf, LogicalType, LogicalTypes}
import io.sparklance.table.rowid.RowNumbers
import io.sparklance.{LanceFormatException, Location, UnsupportedLanceFeatureException}

/** Plan of reading a [[FragmentTask]]: which leaves come from which file, in which stage, and which are null.
  * Computed without I/O.
  *
  * @param leaves
  *   stored leaves that the projection or the filters need
  * @param missing
  *   projected fields of which no leaf is stored; they are null
  * @param missingTested
  *   leaves that filters need and no file has; they are null
  * @param numbers
  *   metadata columns that the manifest has
  */
final private case class FragmentPlan(
    task: FragmentTask,
    stages: FilterStages,
    leaves: Vector[SourcedLeaf],
    missing: Vector[Field],
    missingTested: Vector[Field],
    numbers: Map[MetadataColumn, RowNumbers]
) {

  /** The offsets of the rows to read, before statistics rule out any. */
  val rows: RowRanges = task.rows.intersect(RowRange(0, task.physicalRows))

  /** Ids of the leaves that batches need; others only decide which rows are wanted. */
  lazy val projected: Set[Int] = FragmentPlan.projected(task).map(_.field.id).toSet

  /** The first row that has one of `numbers`. */
  def firstNumbered: Long = task.numbered.fold(0L)(_.start)

  /** Plans the same read without some of the predicate's operands, which are true for all rows. */
  def testing(rest: Predicate): FragmentPlan =
    if (rest == task.predicate) this
    else {
      val left = FilterStages.of(rest, stages.order)
      copy(task.copy(predicate = rest), left, leaves = FragmentPlan.storedLeaves(task, left))
    }

  /** The files to open. */
  def files: Vector[PlannedFile] =
    leaves.filterNot(_.leaf.isEmpty).groupMap(_.source)(_.leaf).toVector.map { case (source, leaves) =>
      PlannedFile(source, leaves, stages)
    }

  /** Leaves for structs without fields, which occupy no bytes in their file. */
  def emptyStructs: Vector[SourcedLeaf] = leaves.filter(_.leaf.isEmpty)

  /** The hidden column that holds a metadata column in data files. */
  def hiddenOf(column: MetadataColumn): Option[HiddenColumn] = task.hidden.find(_.shows == column)

  /** The location of a projected field for format errors. Its leaves may come from several files; then no
    * file is named.
    */
  def location(field: Field): Location = {
    val id = MetadataColumn.of(field).flatMap(hiddenOf).fold(field)(_.field).id
    val paths = leaves.filter(_.leaf.root.id == id).map(_.source.path).distinct
    Location(file = paths.headOption.filter(_ => paths.size == 1), column = Some(field.name))
  }
}

/** A leaf and the file that stores it. */
final private case class SourcedLeaf(leaf: Leaf, source: FileSource)

private object FragmentPlan {

  /** Fails if the schema forbids nulls where no file has values, or if a field is stored in a way that cannot
    * be read.
    *
    * @param order
    *   the order of a top-N read
    */
  def of(task: FragmentTask, order: Option[RowOrder]): FragmentPlan = {
    val stages = FilterStages.of(task.predicate, order)
    val leaves = storedLeaves(task, stages)
    val present = leaves.map(_.leaf.field.id).toSet
    val missing = missingIn(task, leaves.map(_.leaf))
    val missingTested = stages.leaves.map(_.field).filterNot(field => present(field.id))
    (missing ++ missingTested).foreach(checkNulls)
    val numbered = task.numbered.getOrElse(RowRange(0, task.physicalRows))
    val numbers = task.numbers.map(source => source.column -> source.parse(numbered.length)).toMap
    FragmentPlan(task, stages, leaves, missing, missingTested, numbers)
  }

  private def storedLeaves(task: FragmentTask, stages: FilterStages): Vector[SourcedLeaf] = for {
    leaf <- (projected(task) ++ stages.leaves).distinctBy(_.field.id)
    source <- task.files.find(_.columnOf(leaf.field.id).isDefined)
  } yield SourcedLeaf(leaf, source)

  private def projected(task: FragmentTask): Vector[Leaf] =
    (stored(task) ++ task.hidden.map(_.field) ++ task.witnesses).flatMap(FileColumns.leaves)

  /** Projected fields other than metadata columns. */
  private def stored(task: FragmentTask): Vector[Field] =
    task.projection.filter(MetadataColumn.of(_).isEmpty)

  private def missingIn(task: FragmentTask, leaves: Vector[Leaf]): Vector[Field] = {
    val present = leaves.flatMap(leaf => leaf.around ++ leaf.field.preOrder).map(_.id).toSet
    def within(field: Field): Vector[Field] =
      if (present(field.id)) field.children.flatMap(within)
      else {
        task.files.find(_.columnOf(field.id).isDefined).foreach(refuseInOne(field, _))
        Vector(field)
      }
    stored(task).flatMap(within)
  }

  /** Only leaves and packed structs are stored as one column. */
  private def refuseInOne(field: Field, source: FileSource): Unit =
    throw new UnsupportedLanceFeatureException(
      s"type ${LogicalTypes.print(field.logicalType)} in one column",
      Location(file = Some(source.path), column = Some(field.name))
    )

  private def checkNulls(field: Field): Unit =
    LanceFormatException.locating(Location(column = Some(field.name))) {
      val _ = LeafColumn.ofNulls(field)
      if (!field.nullable)
        throw new LanceFormatException(
          s"no data file has column '${field.name}', whose schema does not allow nulls"
        )
    }
}

/** A file to open, and its leaves by the stage that decodes them.
  *
  * @param streamed
  *   leaves decoded for every row: those of the first filter and the order, or all if every row is wanted.
  *   Leaves in fixed-size lists, which have several values for each row, are always streamed.
  * @param tested
  *   leaves of the second filter, decoded for the rows that pass the first
  * @param rest
  *   all others, decoded for the rows that pass both
  */
final private case class PlannedFile(
    source: FileSource,
    streamed: Vector[Leaf],
    tested: Vector[Leaf],
    rest: Vector[Leaf],
    stages: FilterStages
) {

  /** Requests for streamed leaves, with what the first filter alone demands of their values. */
  def streamedRequests: Vector[ColumnRequest] =
    requests(streamed).map(request => request.copy(chunkFilter = chunkFilter(request.leaf)))

  def testedRequests: Vector[ColumnRequest] = requests(tested)
  def restRequests: Vector[ColumnRequest] = requests(rest)

  private def requests(leaves: Vector[Leaf]): Vector[ColumnRequest] =
    for (leaf <- leaves; column <- source.columnOf(leaf.field.id))
      yield ColumnRequest(
        column,
        leaf,
        leaf.around.filter(PlannedFile.isList).flatMap(f => source.columnOf(f.id))
      )

  private def chunkFilter(leaf: Leaf): Option[ChunkFilter] =
    LeafChunkFilter.of(stages.first, leaf).filter(_ => leaf.rowsPerRow == 1).map(s =>
      values => s.mayPass(values)
    )
}

private object PlannedFile {
  def apply(source: FileSource, leaves: Vector[Leaf], stages: FilterStages): PlannedFile =
    if (!stages.areSelective) PlannedFile(source, leaves, Vector.empty, Vector.empty, stages)
    else {
      val first = stages.streamed.map(_.field.id).toSet
      val second = stages.second.leaves.map(_.field.id).toSet
      val streamed = leaves.filter(leaf => first(leaf.field.id) || leaf.rowsPerRow != 1)
      val tested = leaves.filter(leaf => second(leaf.field.id))
      PlannedFile(source, streamed, tested, leaves.diff(streamed).diff(tested), stages)
    }

  private def isList(field: Field): Boolean = field.logicalType match {
    case LogicalType.List(_, _) | LogicalType.Map => true
    case _ => false
  }
}
