package io.sparklance.encoding

import org.scalatest.funsuite.AnyFunSuite

import io.sparklance.LanceUsageException
import io.sparklance.encoding.EncodingHints._
import io.sparklance.proto.encodings.{BufferCompression, CompressionScheme}
import io.sparklance.schema.{Field, LogicalType}

class EncodingHintsSuite extends AnyFunSuite {
  private def field(metadata: (String, String)*): Field =
    Field(0, "c", LogicalType.Bool, nullable = true, metadata = metadata.toMap)
  private def hints(metadata: (String, String)*): EncodingHints =
    EncodingHints.of(field(metadata: _*), field())
  private def zstd(level: Option[Int]) =
    Some(General(BufferCompression(CompressionScheme.COMPRESSION_ALGORITHM_ZSTD, level)))

  test("without metadata nothing is asked for") {
    assert(hints() == EncodingHints.Free)
    assert(hints("other" -> "zstd") == EncodingHints.Free)
  }

  test("every key of the format is understood") {
    val all = EncodingHints.of(
      field(
        "lance-encoding:compression" -> "zstd",
        "lance-encoding:compression-level" -> "7",
        "lance-encoding:rle-threshold" -> "0.25",
        "lance-encoding:minichunk-size" -> "1024",
        "lance-encoding:dict-divisor" -> "3",
        "lance-encoding:dict-size-ratio" -> "0.5",
        "lance-encoding:dict-max-size" -> "1000",
        "lance-encoding:dict-values-compression" -> "none",
        "lance-encoding:bss" -> "on"
      ),
      field("lance-encoding:structural-encoding" -> "fullzip")
    )
    val dictionary = DictionaryHints(3, 0.5, 1000, Some(Uncompressed))
    assert(all ==
      EncodingHints(
        zstd(Some(7)),
        Some(0.25),
        Some(1024),
        dictionary,
        ByteStreamSplitMode.On,
        Some(FullZip)
      ))
  }

  test("compressions have names, and zstd a level") {
    assert(parseCompression("none").contains(Uncompressed))
    assert(parseCompression("fsst").contains(Fsst))
    assert(parseCompression("Zstd") == zstd(None))
    assert(parseCompression("zstd:19") == zstd(Some(19)))
    assert(hints("lance-encoding:compression" -> "zstd:3").general.map(_.level).contains(Some(3)))
    assert(Seq("", "zip", "zstd:x", "zstd:23", "lz4:1").flatMap(parseCompression).isEmpty)
  }

  test("invalid hints are refused with column, key and value") {
    for (
      (key, value) <- Seq(
        "compression" -> "snappy",
        "compression-level" -> "high",
        "rle-threshold" -> "many",
        "minichunk-size" -> "0",
        "dict-divisor" -> "-1",
        "dict-size-ratio" -> "1.5",
        "dict-values-compression" -> "gzip",
        "bss" -> "maybe"
      )
    ) {
      val e = intercept[LanceUsageException](hints(s"lance-encoding:$key" -> value))
      assert(e.getMessage.contains(s"column 'c' have lance-encoding:$key = '$value'"))
    }
  }
}
