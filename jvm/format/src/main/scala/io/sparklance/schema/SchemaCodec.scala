package io.sparklance.schema

import scala.collection.mutable

import com.google.protobuf.ByteString

import io.sparklance.LanceFormatException
import io.sparklance.proto.file.{Encoding, Field => ProtoField}
import io.sparklance.schema.LogicalType._

/** Schemas as data files and manifests store them: a list of `lance.file.Field`, each with its parent's id
  * (-1 at the top) and after its parent.
  */
private[sparklance] object SchemaCodec {

  /** Deeper schemas are refused, because walks of a schema recurse. No real schema is as deep. */
  private val MaxDepth = 100

  private val ExtensionName = "ARROW:extension:name"

  def decode(
      fields: Seq[ProtoField],
      metadata: Predef.Map[String, ByteString] = Predef.Map.empty
  ): LanceSchema = {
    val depth = mutable.HashMap(-1 -> 0)
    fields.foreach { f =>
      val parent = depth.getOrElse(
        f.parentId,
        malformed(s"the parent ${f.parentId} of ${describe(f)} does not precede it")
      )
      if (parent >= MaxDepth) malformed(s"${describe(f)} is nested more than $MaxDepth levels deep")
      if (depth.put(f.id, parent + 1).isDefined) malformed(s"${describe(f)} has an id that is taken")
    }
    // Parents come before their children, so a backward pass finds all children of a field complete.
    val waiting = mutable.HashMap.empty[Int, scala.List[Field]].withDefaultValue(Nil)
    fields.reverseIterator.foreach { f =>
      val field = decodeField(f, waiting.remove(f.id).getOrElse(Nil).toVector)
      waiting(f.parentId) = field :: waiting(f.parentId)
    }
    LanceSchema(waiting(-1).toVector, decodeText(metadata))
  }

  def encodeFields(schema: LanceSchema): Vector[ProtoField] =
    schema.fields.flatMap(encodeField(_, parent = -1))

  /** Encodes a schema that derives from a stored one. Unchanged fields keep their messages, including parts
    * that this version does not know.
    */
  def encodeOver(stored: Seq[ProtoField], schema: LanceSchema): Vector[ProtoField] = {
    val there = stored.map(field => field.id -> field).toMap
    encodeFields(schema).map { now =>
      there.get(now.id).fold(now) { old =>
        val metadata =
          if (decodeText(old.metadata) == decodeText(now.metadata)) old.metadata else now.metadata
        old.copy(name = now.name, nullable = now.nullable, metadata = metadata)
      }
    }
  }

  def encodeMetadata(schema: LanceSchema): Predef.Map[String, ByteString] = encodeText(schema.metadata)

  private def decodeField(f: ProtoField, children: Vector[Field]): Field = {
    val logicalType = LogicalTypes.parse(f.logicalType)
    val fits = logicalType match {
      case Struct | _: Unknown => true
      case _: List | Map | FixedSizeList(Struct, _) => children.size == 1
      case FixedSizeList(_, _) | Null | Bool | Date32 | Date64 | BFloat16 | Json | Blob | _: Integer |
          _: FloatingPoint | _: Utf8 | _: Binary | _: FixedSizeBinary | _: Decimal | _: Time | _: Timestamp |
          _: Duration | _: Dictionary =>
        children.isEmpty
    }
    if (!fits) malformed(s"${describe(f)} of type ${f.logicalType} has ${children.size} child fields")
    Field(f.id, f.name, logicalType, f.nullable, children, decodeText(f.metadata))
  }

  private def encodeField(field: Field, parent: Int): Vector[ProtoField] =
    PrimaryKey.mirrored(protoField(field, parent), field.metadata) +:
      field.children.flatMap(encodeField(_, field.id))

  private def protoField(field: Field, parent: Int): ProtoField =
    ProtoField(
      name = field.name,
      id = field.id,
      parentId = parent,
      logicalType = LogicalTypes.print(field.logicalType),
      nullable = field.nullable,
      encoding = legacyEncoding(field.logicalType),
      extensionName = field.metadata.getOrElse(ExtensionName, ""),
      metadata = encodeText(field.metadata)
    )

  /** Not needed to read 2.x files; pylance fills it in. */
  private def legacyEncoding(logicalType: LogicalType): Encoding = logicalType match {
    case _: Utf8 | _: Binary | Json | Blob => Encoding.VAR_BINARY
    case _: Dictionary => Encoding.DICTIONARY
    case Struct | Null | _: Unknown => Encoding.NONE
    case Bool | Date32 | Date64 | BFloat16 | Map | _: Integer | _: FloatingPoint | _: FixedSizeBinary | _: Decimal |
        _: Time | _: Timestamp | _: Duration | _: FixedSizeList | _: List =>
      Encoding.PLAIN
  }

  private def decodeText(metadata: Predef.Map[String, ByteString]): Predef.Map[String, String] =
    metadata.view.mapValues(_.toStringUtf8).toMap

  private def encodeText(metadata: Predef.Map[String, String]): Predef.Map[String, ByteString] =
    metadata.view.mapValues(ByteString.copyFromUtf8).toMap

  private def describe(f: ProtoField): String = s"field ${f.id} (${f.name})"

  private def malformed(reason: String): Nothing = throw new LanceFormatException(s"bad schema: $reason")
}
