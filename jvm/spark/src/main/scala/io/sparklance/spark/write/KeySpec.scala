package io.sparklance.spark.write

import io.sparklance.dataset.write.KeyFilter
import io.sparklance.schema.{LanceSchema, PrimaryKey}
import io.sparklance.spark.isolation.{Phantoms, StatementReads}
import io.sparklance.table.transaction.Operation

/** The primary key of the rows that a MERGE inserts, of types that the reference hashes.
  *
  * @param fields
  *   ids of the key's fields, in its order
  * @param columns
  *   for each, its position in Spark's rows and how its values become bytes
  */
final private[spark] case class KeySpec(fields: Vector[Int], columns: Vector[(Int, KeyValue)]) {

  /** Returns an update that tells other software the keys that it inserts.
    *
    * @param filters
    *   filter of each task
    */
  def in(update: Operation.Update, filters: Vector[Array[Byte]]): Operation.Update =
    KeyFilter.union(filters).fold(update)(update.inserting(fields, _))
}

private[spark] object KeySpec {

  /** Returns the key if a MERGE compares exactly the columns of the table's primary key, and the reference
    * hashes their types. It would take the filter of other keys for an empty one.
    *
    * @param ordinals
    *   position in Spark's rows of each top-level field
    */
  def of(reads: StatementReads, schema: LanceSchema, ordinals: Vector[Int]): Option[KeySpec] = {
    val key = PrimaryKey.of(schema)
    val isCompared = reads.phantoms match {
      // Columns of a primary key are never null, so `<=>` is `=`.
      case Phantoms.SameKey(columns, _) =>
        columns.forall(_.path.size == 1) && columns.map(_.path.head).toSet == key.toSet
      case Phantoms.Added | Phantoms.Changed | Phantoms.Matching(_) | Phantoms.Satisfying(_) => false
    }
    val found = for {
      name <- key
      at = schema.fields.indexWhere(_.name == name)
      if at >= 0
      value <- KeyValue.of(schema.fields(at))
    } yield schema.fields(at).id -> (ordinals(at) -> value)
    Option.when(isCompared && key.nonEmpty && found.size == key.size)(KeySpec(
      found.map(_._1),
      found.map(_._2)
    ))
  }
}
