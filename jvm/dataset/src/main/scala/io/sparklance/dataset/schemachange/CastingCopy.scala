package io.sparklance.dataset.schemachange

import java.util.IdentityHashMap

import io.sparklance.data.{Column, ColumnCopy, ListBlock, StructBlock}
import io.sparklance.schema.{Field, LogicalType, LogicalTypes}
import io.sparklance.{LanceUsageException, UnsupportedLanceFeatureException}

/** Rows whose values are cast. */
sealed private[schemachange] trait CastRows

private[schemachange] object CastRows {
  case object Deleted extends CastRows

  /** @param first offset in the fragment of the source's first row */
  final case class Live(first: Long) extends CastRows
}

/** Appends columns to others of the same structure, and casts leaves with another type.
  *
  * @param origin
  *   origin of the rows, for messages
  */
final private[schemachange] class CastingCopy(
    from: Vector[Field],
    to: Vector[Field],
    targets: Vector[Column],
    origin: String
) {
  private val leaves = new IdentityHashMap[Column, CastLeaf]
  from.indices.foreach(i => plan(from(i), to(i), targets(i), to(i).name, ValuePlace.Row))
  private var rows: CastRows = CastRows.Deleted

  def append(sources: Vector[Column], from: Int, until: Int, of: CastRows): Unit = {
    rows = of
    targets.zip(sources).foreach { case (target, source) => copy.append(source, from, until, target) }
  }

  private def plan(from: Field, to: Field, target: Column, name: String, place: ValuePlace): Unit =
    target.values match {
      case structs: StructBlock =>
        from.children.indices.foreach { i =>
          plan(
            from.children(i),
            to.children(i),
            structs.children(i),
            s"$name.${to.children(i).name}",
            place
          )
        }
      case lists: ListBlock =>
        plan(
          from.children.head,
          to.children.head,
          lists.items,
          s"$name.${to.children.head.name}",
          ValuePlace.List
        )
      case _ =>
        val cast = CastingCopy.cast(from, to, name)
        val _ = leaves.put(target, CastLeaf(cast, name, to.logicalType, place))
    }

  private val copy = new ColumnCopy {
    override def append(source: Column, from: Int, until: Int, target: Column): Unit =
      Option(leaves.get(target)) match {
        case None => super.append(source, from, until, target)
        case Some(leaf) =>
          target.nulls.append(source.nulls, from, until - from)
          leaf.cast.append(source, from, until, target.values, lossy(leaf))
      }
  }

  private def lossy(leaf: CastLeaf): LossyValueHandler = rows match {
    case CastRows.Deleted => IgnoreLossyValues
    case CastRows.Live(first) => new LossyValueHandler {
        override def found(value: String, at: Int): Unit = refuse(s"the value $value", at)
        override def foundLength(items: Int, at: Int): Unit =
          refuse(if (items == 1) "a list of 1 item" else s"a list of $items items", at)

        private def refuse(value: String, at: Int): Unit = {
          val where = leaf.place match {
            case ValuePlace.Row => s"in row ${first + at} of $origin"
            case ValuePlace.List => s"in a list in $origin"
          }
          throw new LanceUsageException(
            s"Column '${leaf.name}' cannot be changed to ${LogicalTypes.print(leaf.to)}: it has $value, $where, " +
              "which that type cannot represent. Change such values first, or round them into another column, by CAST " +
              "(docs/alter-table.md). Nothing was committed."
          )
        }
      }
  }
}

/** Position of a value, for messages. */
sealed private[schemachange] trait ValuePlace

private[schemachange] object ValuePlace {
  case object Row extends ValuePlace
  case object List extends ValuePlace
}

final private[schemachange] case class CastLeaf(
    cast: ValueCast,
    name: String,
    to: LogicalType,
    place: ValuePlace
)

private[schemachange] object CastingCopy {
  def cast(from: Field, to: Field, name: String): ValueCast =
    ValueCast.of(
      from.logicalType,
      to.logicalType
    ).orElse(ListToVectorCast.of(from, to.logicalType)).getOrElse(
      throw new UnsupportedLanceFeatureException(
        s"changing the type of column '$name' from ${LogicalTypes.print(from.logicalType)} to " +
          LogicalTypes.print(to.logicalType)
      )
    )
}
