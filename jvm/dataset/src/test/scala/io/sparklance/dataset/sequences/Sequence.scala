package io.sparklance.dataset.sequences

import scala.collection.mutable
import scala.util.{Failure, Random, Success, Try}

import io.sparklance.CommitConflictException
import io.sparklance.data.{FileVersion, RowRanges}
import io.sparklance.dataset.cleanup.{Cleanup, CleanupPolicy}
import io.sparklance.dataset.compaction.{Compaction, CompactionOptions, GroupRewriter}
import io.sparklance.dataset.validation.Validation
import io.sparklance.dataset.write.{RewriteSettings, WriteSchema, WrittenFile}
import io.sparklance.dataset.{Dataset, MovedRows, RowOperations, TableDefinition, TableRefs}
import io.sparklance.proto.transaction.{Transaction => Wire}
import io.sparklance.schema.LanceSchema
import io.sparklance.table.transaction.Operation
import io.sparklance.table.{RowIdentity, WriteId}
import io.sparklance.testkit.MemoryStore

/** A table, what each of its versions must hold, and random changes of both. Some are begun on a version that
  * is no longer the latest: they end in a conflict that changes nothing, or in what they would have made of
  * the latest version.
  */
final private[sequences] class Sequence(version: FileVersion, identity: RowIdentity, seed: Long) {
  private val random = new Random(seed)
  private val store = new MemoryStore
  private val kept = mutable.SortedMap.empty[Long, Content]
  private val steps = mutable.ArrayBuffer.empty[String]

  /** The first word of the step that made a version. */
  private val kinds = mutable.Map.empty[Long, String]
  private var table: Dataset = _
  private var nextId = 0L
  private var nextRowId = 0L
  private var tags = Set.empty[Long]

  /** Lists the steps so far, for the message of a failure. */
  def told: String =
    steps.zipWithIndex.map { case (s, i) => s"  $i. $s" }.mkString(
      s"$version $identity seed $seed\n",
      "\n",
      ""
    )

  def run(length: Int): Unit = {
    create()
    (0 until length).foreach(_ => step())
    kept.foreach { case (number, content) =>
      check(Dataset.open(store, ModelTable.Root, Some(number)), content)
    }
    val changes = new SequenceChanges(store, kept.toMap, kinds.toMap)
    (0 until 4).foreach(_ => changes.check(random))
  }

  private def create(): Unit = {
    val content = Content(Vector("a", "b"), Map.empty)
    val schema = WriteSchema.forNewTable(
      LanceSchema((ModelTable.Id +: content.columns).map(ModelTable.field))
    )
    val rows = fresh(content, 30)
    table = Dataset.create(
      store,
      ModelTable.Root,
      TableDefinition(schema, version, identity = identity),
      files(schema, rows)
    )
    settle(content.having(made(rows)))
  }

  private def latest: Content = kept.last._2

  private def step(): Unit = random.nextInt(20) match {
    case 0 | 1 | 2 => append(base())
    case 3 | 4 | 5 => change(base(), some(), Set.empty, 0)
    case 6 | 7 | 8 => change(base(), Set.empty, some(), 0)
    case 9 | 10 | 11 => change(base(), some(), some(), random.nextInt(4))
    case 12 | 13 => compact(base())
    case 14 => restore()
    case 15 => overwrite()
    case 16 => widen()
    case 17 => narrow()
    case 18 => tag()
    case _ => cleanUp()
  }

  /** The latest version or, now and then, one before. */
  private def base(): Dataset =
    if (random.nextInt(4) > 0) table
    else Dataset.open(store, ModelTable.Root, Some(kept.keys.takeRight(3).head))

  private def some(): Set[Long] = random.shuffle(latest.ids).take(random.nextInt(15)).toSet

  private def fresh(content: Content, count: Int): Vector[ModelRow] = Vector.fill(count) {
    nextId += 1
    ModelRow(nextId, values(content), None)
  }

  private def values(content: Content): Map[String, Long] =
    content.columns.filter(_ => random.nextInt(5) > 0).map(_ -> random.nextLong(1000)).toMap

  /** One file of these rows, or a few. */
  private def files(schema: LanceSchema, rows: Vector[ModelRow]): Vector[WrittenFile] =
    if (rows.isEmpty) Vector.empty
    else rows.grouped(1 + random.nextInt(rows.size)).map(ModelTable.write(store, schema, version, _)).toVector

  /** Rows that the version which comes next makes; in tables with stable row ids, each gets the next one. */
  private def made(rows: Vector[ModelRow]): Vector[ModelRow] = rows.map { row =>
    val lineage = stable.map(_ => ModelLineage(nextRowId, nextVersion, nextVersion))
    nextRowId += 1
    row.copy(lineage = lineage)
  }

  private def stable: Option[RowIdentity] = Option.when(identity == RowIdentity.StableId)(identity)

  private def nextVersion: Long = kept.lastOption.fold(1L)(_._1 + 1)

  private def append(from: Dataset): Unit = {
    val rows = fresh(contentOf(from), 1 + random.nextInt(20))
    steps += s"append ${rows.size} at ${from.version}"
    committing(from)(Dataset.appending(files(from.schema, rows))) {
      latest.having(made(rows.map(visible(_, latest))))
    }
  }

  /** Deletes and updates rows, and adds some. */
  private def change(from: Dataset, deleted: Set[Long], touched: Set[Long], added: Int): Unit = {
    val before = contentOf(from)
    val places = ModelTable.addresses(from)
    val (gone, updated) =
      (deleted.intersect(before.rows.keySet), (touched -- deleted).intersect(before.rows.keySet))
    val moved = updated.toVector.sorted.map(id => before.rows(id).copy(values = values(before)))
    val inserted = fresh(before, added)
    steps += s"at ${from.version}: delete ${gone.toVector.sorted}, update ${moved.map(_.id)}, insert $added"
    val all = gone ++ updated
    if (all.nonEmpty) {
      val addresses = RowRanges.ofRows(all.toArray.map(places))
      val operation =
        if (moved.isEmpty && inserted.isEmpty) RowOperations.delete(from, addresses, "some")
        else RowOperations.update(from, addresses, movedRows(from.schema, moved, inserted))
      committing(from)(operation) {
        val now = ModelTable.addresses(Dataset.open(store, ModelTable.Root, Some(kept.lastKey)))
        assert(
          all.forall(id => now.get(id).contains(places(id))),
          "rows were changed that others had changed"
        )
        val kin = moved.map(row => row.copy(lineage = row.lineage.map(_.copy(updated = nextVersion))))
        latest.without(gone).having((kin ++ made(inserted)).map(visible(_, latest)))
      }
    }
  }

  /** Rows that are moved stand before new ones, in a file or in files of their own. */
  private def movedRows(
      schema: LanceSchema,
      moved: Vector[ModelRow],
      inserted: Vector[ModelRow]
  ): Vector[MovedRows] = {
    def file(rows: Vector[ModelRow], ids: Vector[ModelRow]) =
      MovedRows(ModelTable.write(store, schema, version, rows), ids.flatMap(_.lineage).map(_.rowId).toArray)
    if (random.nextBoolean() || moved.isEmpty || inserted.isEmpty) Vector(file(moved ++ inserted, moved))
    else Vector(file(moved, moved), file(inserted, Vector.empty))
  }

  /** A row that was written for an older version, as the latest shows it. */
  private def visible(row: ModelRow, content: Content): ModelRow =
    row.copy(values = row.values.filter { case (name, _) => content.columns.contains(name) })

  private def compact(from: Dataset): Unit = {
    val options = CompactionOptions(
      targetRowsPerFragment = Seq(5L, 20L, 1000L)(random.nextInt(3)),
      materializeDeletionsThreshold = Seq(0f, 0.1f, 0.9f)(random.nextInt(3))
    )
    steps += s"compact ${from.version} to ${options.targetRowsPerFragment}"
    val plan = Compaction.plan(from, options)
    val done = plan.groups.zip(Compaction.tasks(plan, options, WriteId.random())).map { case (group, task) =>
      group.into(new GroupRewriter(store, ModelTable.Root, task, RewriteSettings(1 << 20), _ => ()).run())
    }
    if (done.nonEmpty) attempting(from)(Compaction.commit(from, done).dataset)(latest)
  }

  private def restore(): Unit = {
    val old = kept.keys.toVector(random.nextInt(kept.size))
    steps += s"restore $old"
    committing(table)(Operation.Restore(old))(kept(old))
  }

  private def overwrite(): Unit = {
    val content = Content(Vector("a", "b"), Map.empty)
    val schema = WriteSchema.forNewTable(
      LanceSchema((ModelTable.Id +: content.columns).map(ModelTable.field))
    )
    val rows = fresh(content, random.nextInt(30))
    steps += s"overwrite by ${rows.size}"
    committing(table)(Dataset.replacing(
      TableDefinition(schema, version, identity = identity),
      files(schema, rows)
    ))(content.having(made(rows)))
  }

  /** Adds a column, null in all existing rows, and some rows with values. */
  private def widen(): Unit = {
    val content = latest.copy(columns = latest.columns :+ s"c${steps.size}")
    val schema = table.numbered(LanceSchema(table.schema.fields :+ ModelTable.field(content.columns.last)))
    val rows = fresh(content, random.nextInt(10))
    steps += s"add ${content.columns.last} and ${rows.size}"
    committing(table)(table.merging(schema, files(schema, rows)))(content.having(made(rows)))
  }

  private def narrow(): Unit = if (latest.columns.nonEmpty) {
    val name = latest.columns(random.nextInt(latest.columns.size))
    val dropped = table.schema.fields.filter(_.name == name).map(_.id)
    val fields = table.manifest.message.fields.filterNot(field => dropped.contains(field.id))
    steps += s"drop $name"
    committing(table)(Operation.Project(Wire.Project(fields, preservesNullability = true))) {
      val content = latest.copy(columns = latest.columns.filter(_ != name))
      content.having(content.rows.values.map(visible(_, content)))
    }
  }

  private def tag(): Unit = {
    val number = kept.keys.toVector(random.nextInt(kept.size))
    steps += s"tag $number"
    val refs = new TableRefs(Dataset.open(store, ModelTable.Root, Some(number)))
    val _ = refs.createTag(s"t${steps.size}")
    tags += number
  }

  private def cleanUp(): Unit = {
    val last = 1 + random.nextInt(5)
    steps += s"clean up all but $last"
    val policy = CleanupPolicy(retainVersions = Some(last.toLong), errorIfTagged = false)
    val _ = new Cleanup(table, policy).run()
    val left = kept.keys.filter(number => kept.keys.count(_ > number) < last || tags(number)).toSet
    kept --= kept.keys.filterNot(left)
    assert(
      Dataset.open(store, ModelTable.Root).versions.map(_.version).toSet == left,
      "versions that are left"
    )
  }

  private def contentOf(dataset: Dataset): Content = kept(dataset.version)

  private def committing(from: Dataset)(operation: Operation)(after: => Content): Unit =
    attempting(from)(from.commit(operation).dataset)(after)

  /** Makes a change. One of the latest version cannot fail.
    *
    * @param after
    *   what it must make of the latest version
    */
  private def attempting(from: Dataset)(change: => Dataset)(after: => Content): Unit = {
    val before = kept.lastKey
    Try(change) match {
      case Success(made) =>
        table = made
        settle(after)
        kinds(table.version) = steps.last.takeWhile(_ != ' ')
      case Failure(_: CommitConflictException) if from.version < before =>
        steps(steps.size - 1) += ": conflict"
        table = Dataset.open(store, ModelTable.Root)
        settle(latest)
      case Failure(e) => throw e
    }
  }

  /** Versions on the way, as of a compaction that reserves numbers of fragments, hold what was there before.
    */
  private def settle(after: Content): Unit = {
    val before = kept.lastOption
    before.foreach { case (last, content) => (last + 1 until table.version).foreach(kept(_) = content) }
    kept(table.version) = after
    check(table, after)
  }

  private def check(dataset: Dataset, expected: Content): Unit = {
    val found = ModelTable.read(dataset)
    assert(
      dataset.schema.fields.map(_.name) == ModelTable.Id +: expected.columns,
      s"columns of ${dataset.version}"
    )
    assert(found.map(_.id).sorted == expected.ids, s"rows of version ${dataset.version}")
    found.foreach(row => assert(row == expected.rows(row.id), s"version ${dataset.version}"))
    assert(dataset.countRows == expected.rows.size)
    val problems = Validation.problems(dataset)
    assert(problems.isEmpty, s"version ${dataset.version}")
  }

  private def assert(condition: Boolean, what: => String = ""): Unit =
    if (!condition) throw new AssertionError(what)
}
