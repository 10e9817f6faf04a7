package io.sparklance

import com.google.protobuf.InvalidProtocolBufferException

import scalapb.{GeneratedMessage, GeneratedMessageCompanion}

/** Parses messages from bytes that nobody has checked. */
object ProtoBytes {

  /** The runtime's own exception is an IOException, which callers would take for a failure of the disk; and
    * it does not count how deep messages are nested.
    */
  def parse[A <: GeneratedMessage](
      companion: GeneratedMessageCompanion[A],
      bytes: Array[Byte],
      what: String
  ): A =
    try companion.parseFrom(bytes)
    catch {
      case e: InvalidProtocolBufferException =>
        throw new LanceFormatException(s"$what is not a valid message: ${e.getMessage}", cause = e)
      case e: StackOverflowError => throw new LanceFormatException(s"$what is nested too deep", cause = e)
    }
}
