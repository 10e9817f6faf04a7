package io.sparklance.table.transaction

import com.google.protobuf.ByteString
import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.LanceFormatException
import io.sparklance.data.FileVersion
import io.sparklance.proto.transaction.Transaction.{Operation => Wire}
import io.sparklance.proto.{file, table => pb, transaction => txn}
import io.sparklance.testkit.TableFixtures.{append, fragment, golden, overwrite}

class OperationCodecSuite extends AnyFunSuite {

  private def decoded(name: String) = OperationCodec.decode(golden(name), name)

  test("transactions of the reference") {
    assert(decoded("create.txn").readVersion == 0)
    assert(decoded("append.txn").fileName == s"1-${decoded("append.txn").uuid}.txn")
    val Operation.Append(fragments) = decoded("append.txn").operation: @unchecked
    assert(fragments.map(_.id) == Vector(0) && fragments.flatMap(_.physicalRows) == Vector(10))
    val create = decoded("create.txn").operation.asInstanceOf[Operation.Overwrite]
    assert(create.fields.map(_.name) == Vector("id", "s"))
    assert(create.fileVersion.contains(FileVersion.V2_2))
    assert(Seq("index.txn", "config.txn", "delete.txn").map(decoded(_).operation.name) ==
      Seq("CreateIndex", "UpdateConfig", "Delete"))
  }

  test("ours are decoded as they were encoded") {
    val operations = Seq(
      append("a", "b"),
      overwrite("c").copy(
        fields = Vector(file.Field(name = "x", parentId = -1, logicalType = "int32")),
        schemaMetadata = Map("k" -> ByteString.copyFromUtf8("v")),
        configUpserts = Map("a" -> "b"),
        initialBases = Vector(pb.BasePath(id = 1, path = "/b"))
      )
    )
    operations.foreach { operation =>
      val transaction = Transaction(3, "u", operation, "tag", Map("p" -> "q"))
      val again = OperationCodec.decode(OperationCodec.encode(transaction).toByteArray, "x")
      assert(again == transaction)
    }
  }

  test("an operation that no field of ours holds is unknown, not an error") {
    val later = txn.Transaction.parseFrom(Array[Byte](0xba.toByte, 0x0b, 0x01, 0x00))
    assert(later.operation == Wire.Empty)
    assert(OperationCodec.decode(later).operation == Operation.Other("unknown operation"))
  }

  test("bytes that are not a message are an error that names the file") {
    val e = intercept[LanceFormatException](OperationCodec.decode(Array[Byte](-1, -1), "3-x.txn"))
    assert(e.getMessage.startsWith("3-x.txn is not a valid message"))
    assert(fragment("a", 1).id == 0)
  }
}
