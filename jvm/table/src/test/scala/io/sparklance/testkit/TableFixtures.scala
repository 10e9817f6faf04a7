package io.sparklance.testkit

import com.google.protobuf.ByteString

import io.sparklance.data.FileVersion
import io.sparklance.proto.{table => pb}
import io.sparklance.schema.{Field, LanceSchema, LogicalType}
import io.sparklance.table.transaction.{Operation, TableState}
import io.sparklance.table.{Fragment, Manifest}

import scalapb.UnknownFieldSet

/** Small tables and parts of them. */
object TableFixtures {

  /** A file that the reference wrote: see golden/table/generate.py. */
  def golden(name: String): Array[Byte] = {
    val in = getClass.getResourceAsStream(s"/golden/table/$name")
    try in.readAllBytes()
    finally in.close()
  }

  val schema: LanceSchema =
    LanceSchema(Vector(Field(0, "id", LogicalType.Integer(32, signed = true), nullable = true)))

  def fragment(path: String, rows: Long, major: Int = 2, minor: Int = 2): Fragment = Fragment(
    pb.DataFragment(
      files = Vector(
        pb.DataFile(
          path,
          fields = Vector(0),
          columnIndices = Vector(0),
          fileMajorVersion = major,
          fileMinorVersion = minor
        )
      ),
      physicalRows = rows
    )
  )

  def append(paths: String*): Operation.Append = Operation.Append(paths.map(fragment(_, 10)).toVector)

  def overwrite(paths: String*): Operation.Overwrite = Operation.Overwrite(
    paths.map(fragment(_, 10)).toVector,
    Vector.empty,
    Map.empty,
    fileVersion = Some(FileVersion.V2_2)
  )

  /** Fields that no version of the messages has. */
  val unknownFields: UnknownFieldSet = UnknownFieldSet.empty.withField(
    9999,
    UnknownFieldSet.Field(varint = Seq(42L), lengthDelimited = Seq(ByteString.copyFromUtf8("later")))
  )

  /** A release with correct manifests; row counts of manifests without a writer are not trusted. */
  val writer: Option[pb.Manifest.WriterVersion] = Some(pb.Manifest.WriterVersion("lance", "14.0.2"))

  def manifest(message: pb.Manifest): TableState = TableState(Manifest(message), None)
}
