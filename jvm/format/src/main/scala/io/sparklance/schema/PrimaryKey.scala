package io.sparklance.schema

import io.sparklance.LanceUsageException
import io.sparklance.proto.file.{Field => ProtoField}

/** The unenforced primary key, from the metadata of fields.
  *
  * Its columns have no children and are in no list or map; neither they nor the structs around them are
  * nullable.
  */
private[sparklance] object PrimaryKey {

  /** Marks a column of the key. */
  val Flag = "lance-schema:unenforced-primary-key"

  /** Marks a column of the key and gives its position, from 1 on. */
  val Position: String = s"$Flag:position"

  /** Says where a column stands in the key by which rows are clustered. */
  val ClusteringPosition = "lance-schema:unenforced-clustering-key:position"

  /** Returns a field's position in the key; 0 if it has only the flag. */
  def position(metadata: Map[String, String]): Option[Int] =
    metadata.get(Position).flatMap(_.toIntOption).filter(_ >= 0)
      .orElse(metadata.get(Flag).filter(Field.isTrue).map(_ => 0))

  /** Returns the names of the key's columns, `struct.field`, in order; columns without a position come last.
    */
  def of(schema: LanceSchema): Vector[String] = columns(schema.fields, Vector.empty)
    .sortBy { case (path, position) => (position == 0, position, path.last.id) }
    .map { case (path, _) => path.map(_.name).mkString(".") }

  /** Refuses marked columns that cannot be in a key. */
  def check(schema: LanceSchema): Unit = columns(schema.fields, Vector.empty).foreach { case (path, _) =>
    if (!canBeKey(path))
      throw new LanceUsageException(
        s"Column '${path.map(_.name).mkString(".")}' cannot be in the primary key: a key column must " +
          "have a plain type, be NOT NULL like the structs around it, and be outside of lists and maps. " +
          "Declare it so, or choose another."
      )
  }

  /** Removes the marks of columns that cannot be in a key: a copy's columns may be nullable where the table's
    * were not.
    */
  def whereValid(schema: LanceSchema): LanceSchema =
    schema.copy(fields = schema.fields.map(whereValid(_, Vector.empty)))

  private def whereValid(field: Field, around: Vector[Field]): Field = {
    val path = around :+ field
    val kept = if (canBeKey(path)) field.metadata else field.metadata -- Seq(Flag, Position)
    field.copy(metadata = kept, children = field.children.map(whereValid(_, path)))
  }

  /** Copies the key's metadata to the fields of the message. */
  def mirrored(field: ProtoField, metadata: Map[String, String]): ProtoField = {
    val inKey = position(metadata)
    field.copy(
      unenforcedPrimaryKey = inKey.isDefined,
      unenforcedPrimaryKeyPosition = inKey.getOrElse(0),
      unenforcedClusteringKeyPosition = metadata.get(ClusteringPosition).flatMap(_.toIntOption).getOrElse(0)
    )
  }

  /** Returns the paths of the marked columns. */
  private def columns(fields: Vector[Field], around: Vector[Field]): Vector[(Vector[Field], Int)] =
    fields.flatMap { field =>
      val path = around :+ field
      position(field.metadata).map(path -> _).toVector ++ columns(field.children, path)
    }

  private def canBeKey(path: Vector[Field]): Boolean =
    path.last.children.isEmpty && path.forall(!_.nullable) &&
      path.init.forall(_.logicalType == LogicalType.Struct)
}
