package io.sparklance.table.transaction

import com.google.protobuf.ByteString

import io.sparklance.data.FileVersion
import io.sparklance.proto.{file, table => pb}
import io.sparklance.table.Fragment

/** The change that a transaction makes. */
sealed trait Operation {

  /** As the format's documents call it. */
  def name: String

  /** The fragments whose files were written for it. */
  def added: Vector[Fragment] = Vector.empty
}

object Operation {

  /** Adds fragments; their ids are given at commit. */
  final case class Append(fragments: Vector[Fragment]) extends Operation {
    def name: String = "Append"
    override def added: Vector[Fragment] = fragments
  }

  /** Replaces all rows and the schema, or creates the table.
    *
    * @param fields flattened in pre-order
    * @param configUpserts merged into the config that is there
    * @param initialBases only when it creates the table
    * @param fileVersion what new data files are written in from now on; the message leaves it to the fragments' files,
    *   so it is not stored with the transaction
    */
  final case class Overwrite(
      fragments: Vector[Fragment],
      fields: Vector[file.Field],
      schemaMetadata: Map[String, ByteString],
      configUpserts: Map[String, String] = Map.empty,
      initialBases: Vector[pb.BasePath] = Vector.empty,
      fileVersion: Option[FileVersion] = None
  ) extends Operation {
    def name: String = "Overwrite"
    override def added: Vector[Fragment] = fragments
  }

  /** One that others commit and we do not: its name suffices to see a conflict. */
  final case class Other(name: String) extends Operation
}
