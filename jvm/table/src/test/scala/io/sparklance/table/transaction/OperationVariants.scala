package io.sparklance.table.transaction

import com.google.protobuf.ByteString

import io.sparklance.data.RowRanges
import io.sparklance.proto.file.Field
import io.sparklance.proto.table.{BasePath, DataFile, DataFragment, IndexMetadata, UUID}
import io.sparklance.proto.transaction.Transaction
import io.sparklance.proto.transaction.Transaction.{
  BloomFilter,
  DataReplacementGroup,
  ExactKeySetFilter,
  KeyExistenceFilter,
  UpdateMap,
  UpdateMapEntry,
  UpdateMode
}
import io.sparklance.table.Fragment
import io.sparklance.table.deletion.DeletionVector
import io.sparklance.table.transaction.Operation._
import io.sparklance.testkit.TableFixtures._

/** Each operation in the shapes that make a difference to its conflicts; and the conditions of
  * docs/design/conflicts.md that are more than one expression.
  */
object OperationVariants {

  private def there(id: Long, path: String = "f"): DataFragment = fragment(s"$path$id", 10).withId(id).message

  private def affected(id: Long) =
    AffectedRows(Fragment(there(id)), 10, DeletionVector.of(RowRanges(0, 3)))

  private val deletes: Seq[Operation] = Seq(
    Delete(Transaction.Delete(updatedFragments = Seq(there(0)))),
    Delete(Transaction.Delete(updatedFragments = Seq(there(1)), deletedFragmentIds = Seq(0))),
    Delete(Transaction.Delete(deletedFragmentIds = Seq(2))),
    Delete(Transaction.Delete(), Vector(affected(0))),
    Delete(Transaction.Delete(), Vector(affected(1), affected(2)))
  )

  private def exact(field: Int, hashes: Long*) =
    Some(KeyExistenceFilter(Seq(field), KeyExistenceFilter.Data.Exact(ExactKeySetFilter(hashes))))

  private val bloom =
    Some(KeyExistenceFilter(Seq(0), KeyExistenceFilter.Data.Bloom(BloomFilter(numberOfItems = 9))))

  private val updates: Seq[Operation] = Seq(
    Update(Transaction.Update(updatedFragments = Seq(there(0)), newFragments = Seq(there(0, "new")))),
    Update(
      Transaction.Update(
        updatedFragments = Seq(there(1, "rewritten")),
        fieldsModified = Seq(7),
        updateMode = UpdateMode.REWRITE_COLUMNS
      )
    ),
    Update(Transaction.Update(removedFragmentIds = Seq(0, 1), newFragments = Seq(there(0, "new")))),
    Update(Transaction.Update(insertedRows = exact(0, 1, 2))),
    Update(Transaction.Update(insertedRows = exact(0, 3))),
    Update(Transaction.Update(insertedRows = exact(1, 3), removedFragmentIds = Seq(2))),
    Update(Transaction.Update(insertedRows = bloom)),
    Update(Transaction.Update(insertedRows = bloom), comparesKeys = true),
    Update(Transaction.Update(newFragments = Seq(there(0, "new"))), Vector(affected(0), affected(2)))
  )

  private def index(name: String, uuid: Int, field: Int, covered: Option[Int]) = IndexMetadata(
    uuid = Some(UUID(ByteString.copyFrom(Array(uuid.toByte)))),
    name = name,
    fields = Seq(field),
    fragmentBitmap = covered.fold(ByteString.EMPTY)(id =>
      ByteString.copyFrom(io.sparklance.table.index.RoaringSetSuite.bytes(id))
    )
  )

  private val indices: Seq[Operation] = Seq(
    CreateIndex(Transaction.CreateIndex(Seq(index("a", 1, 0, Some(0))))),
    CreateIndex(Transaction.CreateIndex(Seq(index("b", 2, 7, Some(1))))),
    CreateIndex(Transaction.CreateIndex(Seq(index("a", 3, 0, Some(9))), Seq(index("a", 1, 0, Some(0))))),
    CreateIndex(Transaction.CreateIndex(Seq(index("c", 4, 8, None)), Seq(index("b", 2, 7, Some(1))))),
    CreateIndex(Transaction.CreateIndex(Nil, Seq(index("a", 1, 0, Some(0))))),
    CreateIndex(
      Transaction.CreateIndex(
        Seq(index("__lance_frag_reuse", 5, 50, Some(9))),
        Seq(index("__lance_frag_reuse", 6, 50, Some(9)))
      )
    ),
    CreateIndex(Transaction.CreateIndex(Seq(index("__lance_frag_reuse", 7, 50, Some(9)))))
  )

  private val rewrites: Seq[Operation] = Seq(
    Rewrite(Transaction.Rewrite(groups = Seq(moving(Seq(there(0), there(1)), Seq(there(8)))))),
    Rewrite(Transaction.Rewrite(groups = Seq(moving(Seq(there(2)), Nil)))),
    Rewrite(Transaction.Rewrite(oldFragments = Seq(there(1))))
  )

  private def moving(old: Seq[DataFragment], now: Seq[DataFragment]) =
    Transaction.Rewrite.RewriteGroup(old, now)

  private val fields = Seq(Field(id = 0), Field(id = 7))

  private val schemaChanges: Seq[Operation] = Seq(
    Merge(Transaction.Merge(Seq(there(0)), fields)),
    Merge(Transaction.Merge(Seq(there(0)), fields, preservesNullability = true)),
    Project(Transaction.Project(fields)),
    Project(Transaction.Project(fields, preservesNullability = true)),
    Project(Transaction.Project(fields.take(1), preservesNullability = true))
  )

  private def map(entries: (String, Option[String])*) =
    Some(UpdateMap(entries.map { case (key, value) => UpdateMapEntry(key, value) }))

  private val configs: Seq[Operation] = Seq(
    Transaction.UpdateConfig(configUpdates = map("k" -> Some("1"))),
    Transaction.UpdateConfig(configUpdates = map("k" -> None, "l" -> None)),
    Transaction.UpdateConfig(configUpdates = map("l" -> None, "m" -> Some("2"))),
    Transaction.UpdateConfig(upsertValues = Map("k" -> "3")),
    Transaction.UpdateConfig(tableMetadataUpdates = map("k" -> Some("1"))),
    Transaction.UpdateConfig(tableMetadataUpdates = map("n" -> Some("1"))),
    Transaction.UpdateConfig(tableMetadataUpdates = Some(UpdateMap(replace = true))),
    Transaction.UpdateConfig(schemaMetadataUpdates = map("k" -> Some("1"))),
    Transaction.UpdateConfig(schemaMetadataUpdates = Some(UpdateMap())),
    Transaction.UpdateConfig(fieldMetadataUpdates = Map(0 -> map("k" -> Some("1")).get)),
    Transaction.UpdateConfig(fieldMetadataUpdates = Map(7 -> map("k" -> None).get))
  ).map(UpdateConfig(_))

  private def replacement(fragment: Long, field: Int): Operation = DataReplacement(
    Transaction.DataReplacement(
      Seq(DataReplacementGroup(fragment, Some(DataFile(s"r$fragment$field", Seq(field)))))
    )
  )

  private val bases: Seq[Operation] = Seq(
    BasePath(path = "/a"),
    BasePath(id = 2, path = "/b"),
    BasePath(id = 2, path = "/c", name = Some("n")),
    BasePath(path = "/d", name = Some("n")),
    BasePath(path = "/a", id = 3)
  ).map(base => UpdateBases(Transaction.UpdateBases(Seq(base))))

  val all: Seq[Operation] =
    Seq(append("a"), overwrite("b"), overwrite("b").copy(configUpserts = Map("k" -> "0"))) ++
      deletes ++ updates ++ indices ++ rewrites ++ schemaChanges ++ configs ++ bases ++
      Seq(Restore(1), ReserveFragments(3), Clone(Transaction.Clone(refVersion = 1))) ++
      Seq(replacement(0, 0), replacement(0, 7), replacement(1, 7), replacement(1, 8)) ++
      Seq(Other("DataOverlay"), Other("unknown operation"))

  def touched(operation: Operation): Set[Long] = operation match {
    case Delete(m, rows) =>
      (m.updatedFragments.map(_.id) ++ m.deletedFragmentIds ++ rows.map(_.asRead.id)).toSet
    case Update(m, rows, _) =>
      (m.updatedFragments.map(_.id) ++ m.removedFragmentIds ++ rows.map(_.asRead.id)).toSet
    case Rewrite(m) => (m.oldFragments ++ m.groups.flatMap(_.oldFragments)).map(_.id).toSet
    case DataReplacement(m) => m.replacements.map(_.fragmentId).toSet
    case _ => Set.empty
  }

  def removed(operation: Operation): Set[Long] = operation match {
    case Delete(m, _) => m.deletedFragmentIds.toSet
    case Update(m, _, _) => m.removedFragmentIds.toSet
    case _ => Set.empty
  }

  def tightens(operation: Operation): Boolean = operation match {
    case Merge(m, _) => !m.preservesNullability
    case Project(m) => !m.preservesNullability
    case _ => false
  }

  /** In the variants, data files that theirs changed are those that are called so. */
  def rowsWord(mine: Operation, theirs: Operation): String = {
    val known = mine match {
      case Delete(_, rows) => rows.map(_.asRead.id).toSet
      case Update(_, rows, _) => rows.map(_.asRead.id).toSet
      case _ => Set.empty[Long]
    }
    val rewritten = theirs match {
      case Update(m, _, _) =>
        m.updatedFragments.filter(_.files.exists(_.path.startsWith("rewritten"))).map(_.id)
      case _ => Nil
    }
    val free = known -- removed(theirs) -- rewritten
    if ((touched(mine) -- free).exists(touched(theirs))) "R" else "ok"
  }

  def keysWord(mine: Operation, theirs: Operation): String = (mine, theirs) match {
    case (Update(m, _, compares), _) if m.insertedRows.isEmpty || compares => "ok"
    case (Update(m, _, _), Update(t, _, _)) =>
      val apart = for {
        a <- m.insertedRows
        b <- t.insertedRows if a.fieldIds == b.fieldIds
        x <- a.data.exact
        y <- b.data.exact
      } yield x.keyHashes.intersect(y.keyHashes).isEmpty
      if (apart.contains(true)) "ok" else "R"
    case _ => "R"
  }

  def indexedFields(a: Operation, b: Operation): Set[Int] = Seq(a, b).collect { case CreateIndex(m) =>
    m.newIndices.flatMap(_.fields)
  }.flatten.toSet

  def changedFields(a: Operation, b: Operation): Set[Int] = Seq(a, b).flatMap {
    case DataReplacement(m) => m.replacements.flatMap(_.getNewFile.fields)
    case Update(m, _, _) => m.fieldsModified
    case _ => Nil
  }.toSet

  /** In the variants, segments cover the fragment whose number is that of their name's letter; `c` does not
    * say.
    */
  def coveredWord(mine: Operation, theirs: Operation): String = {
    val (index, rewrite, mineMoves) = (mine, theirs) match {
      case (CreateIndex(m), other) => (m, other, false)
      case (other, CreateIndex(m)) => (m, other, true)
      case _ => throw new IllegalArgumentException(s"$mine / $theirs")
    }
    val names = index.newIndices.map(_.name)
    if (mineMoves && names.contains("__lance_frag_reuse")) {
      if (index.removedIndices.size == 1) "ok" else "X"
    } else if (index.newIndices.exists(_.fragmentBitmap.isEmpty)) "R"
    else {
      val covered =
        index.newIndices.map(i => if (i.uuid.get.uuid.byteAt(0) == 1) 0L else if (i.name == "b") 1L else 9L)
      if (covered.exists(touched(rewrite))) "R" else "ok"
    }
  }

  def sameIndex(a: Transaction.CreateIndex, b: Transaction.CreateIndex): Boolean = {
    val dropped = b.removedIndices.filter(i => !b.newIndices.exists(_.name == i.name)) ++ b.removedIndices
    val adds = a.newIndices.filterNot(i => a.removedIndices.exists(_.name == i.name))
    a.newIndices.exists(i => b.newIndices.exists(_.name == i.name)) ||
    adds.exists(i => dropped.exists(_.name == i.name)) ||
    a.newIndices.exists(i =>
      a.removedIndices.exists(r => r.name == i.name && b.removedIndices.exists(_.uuid == r.uuid))
    )
  }

  private def ofSchema(m: Transaction.UpdateConfig): Boolean =
    (m.schemaMetadataUpdates ++ m.fieldMetadataUpdates.values).exists(_.updateEntries.nonEmpty)

  def schemaWord(mine: Operation, theirs: Operation): String = (mine, theirs) match {
    case (UpdateConfig(m, _), _: Merge) => if (ofSchema(m)) "R" else "ok"
    case (_: Merge, UpdateConfig(m, _)) => if (ofSchema(m)) "R" else "ok"
    case (UpdateConfig(m, _), _: Restore) => if (ofSchema(m)) "X" else "ok"
    case (_: Restore, UpdateConfig(m, _)) => if (ofSchema(m)) "X" else "ok"
    case _ => "ok"
  }

  private def set(operation: Operation): Set[String] = operation match {
    case overwrite: Overwrite => overwrite.configUpserts.keySet
    case UpdateConfig(m, _) =>
      m.configUpdates.toSeq.flatMap(_.updateEntries).filter(_.value.nonEmpty).map(_.key).toSet ++
        m.upsertValues.keySet
    case _ => Set.empty
  }

  private def dropped(operation: Operation): Set[String] = operation match {
    case UpdateConfig(m, _) =>
      m.configUpdates.toSeq.flatMap(_.updateEntries).filter(_.value.isEmpty).map(_.key).toSet
    case _ => Set.empty
  }

  private def sameConfig(a: Operation, b: Operation): Boolean =
    set(a).exists(set(b) ++ dropped(b)) || set(b).exists(dropped(a))

  def configWord(mine: Operation, theirs: Operation): String = {
    val replaced = mine match {
      case UpdateConfig(m, _) => m.schemaMetadataUpdates.isDefined || m.fieldMetadataUpdates.nonEmpty
      case _ => false
    }
    if (replaced || sameConfig(mine, theirs)) "X" else "ok"
  }

  def sameMetadata(a: Transaction.UpdateConfig, b: Transaction.UpdateConfig): Boolean = {
    val tables = for (x <- a.tableMetadataUpdates; y <- b.tableMetadataUpdates)
      yield x.replace || y.replace || x.updateEntries.map(_.key).exists(y.updateEntries.map(_.key).contains)
    sameConfig(UpdateConfig(a), UpdateConfig(b)) || tables.contains(true) ||
    a.schemaMetadataUpdates.isDefined && b.schemaMetadataUpdates.isDefined ||
    a.fieldMetadataUpdates.keys.exists(b.fieldMetadataUpdates.contains)
  }

  def movedWord(mine: Operation, theirs: Operation): String = (mine, theirs) match {
    case (DataReplacement(m), Update(t, _, _)) =>
      val stale = m.replacements.exists { r =>
        t.updatedFragments.exists(_.id == r.fragmentId) &&
        (t.newFragments.nonEmpty || r.getNewFile.fields.exists(t.fieldsModified.contains))
      }
      if (stale) "R" else "ok"
    case _ => "ok"
  }
}
