package io.sparklance.spark.options

import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.util.CaseInsensitiveStringMap

import io.sparklance.data.FileVersion
import io.sparklance.dataset.Reference
import io.sparklance.dataset.scan.SplitTarget
import io.sparklance.index.search.BrokenIndices
import io.sparklance.io.ReadTuning
import io.sparklance.spark.SparkSuite
import io.sparklance.spark.types.{BlobHandling, LossyValues, ReadTypeOptions}

final class LanceOptionsSuite extends SparkSuite {
  private def options(entries: (String, String)*): CaseInsensitiveStringMap = {
    spark
    new CaseInsensitiveStringMap(entries.toMap.asJava)
  }

  test("options are typed, whatever their case") {
    assert(LanceOptions.forRead(options("VERSION" -> " 3 ", "batchsize" -> "10")) ==
      ReadOptions(
        Some(Reference.version(3)),
        10,
        ReadTypeOptions.default,
        None,
        ReadTuning(),
        pushDownFilters = true
      ))
    assert(
      LanceOptions.forWrite(options("dataStorageVersion" -> "2.1", "maxRowsPerFile" -> "7")) ==
        WriteOptions(WriteLimits(7, 90L << 30, 256L << 20), CreationOptions(Some(FileVersion.V2_1)))
    )
  }

  test("without options there are defaults") {
    assert(LanceOptions.forRead(options()) ==
      ReadOptions(None, 4096, ReadTypeOptions.default, None, ReadTuning(), pushDownFilters = true))
    assert(LanceOptions.forWrite(options()) ==
      WriteOptions(WriteLimits(1L << 20, 90L << 30, 256L << 20)))
  }

  test("indices are used or not, and broken ones are skipped if the option says so") {
    assert(LanceOptions.forRead(options("useScalarIndex" -> "false")).indices.isEmpty)
    assert(
      LanceOptions.forRead(options("brokenIndices" -> "SCAN")).indices.contains(BrokenIndices.Scan)
    )
  }

  test("splits are given in rows or in bytes") {
    assert(LanceOptions.forRead(options("splitRows" -> "7")).split.contains(SplitTarget.Rows(7)))
    assert(LanceOptions.forRead(options("splitBytes" -> "64m")).split.contains(SplitTarget.Bytes(64 << 20)))
    assert(
      refusal(LanceOptions.forRead(options("splitBytes" -> "many"))) ==
        "Option 'splitBytes' cannot be 'many': it must be a number of bytes, such as 64m."
    )
    for (text <- Seq("67108864", "67108864b", "65536k", "64 MB", " 64mb "))
      assert(LanceOptions.forRead(options("splitBytes" -> text)).split.contains(SplitTarget.Bytes(64 << 20)))
    for (text <- Seq("64x", "64 mbits", "-1", "1.5g", "16777217t", "m"))
      assert(refusal(LanceOptions.forRead(options("splitBytes" -> text))).contains("such as 64m"), text)
    assert(
      refusal(LanceOptions.forRead(options("splitRows" -> "1", "splitBytes" -> "1"))).contains("one of them")
    )
  }

  test("how much is read at a time, and ahead, may differ from what suits the store") {
    val tuning = LanceOptions.forRead(options("maxRequests" -> "4", "readAheadBytes" -> "8m")).tuning
    assert(tuning == ReadTuning(Some(4), Some(8L << 20)))
    assert(LanceOptions.forRead(options("metadataCacheBytes" -> "1g")).tuning ==
      ReadTuning(metadataCache = Some(1L << 30)))
    assert(LanceOptions.forRead(options("readAheadBytes" -> "0")).tuning == ReadTuning(None, Some(0)))
    assert(refusal(LanceOptions.forRead(options("maxRequests" -> "0"))).contains("a number of requests"))
    assert(LanceOptions.forRead(options("minRequests" -> "3")).tuning == ReadTuning(minRequests = Some(3)))
    assert(
      refusal(LanceOptions.forRead(options("minRequests" -> "5", "maxRequests" -> "4")))
        .contains("minRequests is 5, which is more than maxRequests, 4")
    )
    val path = freshPath()
    spark.range(5000).write.format("lance").save(path)
    for (ahead <- Seq("0", "1k", "64m")) {
      val read = spark.read.format("lance").option("readAheadBytes", ahead).option("maxRequests", 2)
      assert(read.load(path).selectExpr("sum(id)").head().getLong(0) == 4999L * 2500)
    }
  }

  test("'lossyValues' takes one of three words") {
    assert(LanceOptions.forRead(options("lossyValues" -> "Truncate")).readTypes.lossyValues ==
      LossyValues.Truncate)
    assert(
      refusal(LanceOptions.forRead(options("lossyValues" -> "round"))) ==
        "Option 'lossyValues' cannot be 'round': it must be one of error, truncate, raw."
    )
  }

  test("blobs are descriptors or bytes") {
    assert(LanceOptions.forRead(options("blobHandling" -> "BYTES")).readTypes.blobs == BlobHandling.Bytes)
    assert(
      refusal(LanceOptions.forRead(options("blobHandling" -> "all_binary"))) ==
        "Option 'blobHandling' cannot be 'all_binary': it must be one of descriptors, bytes."
    )
  }

  test("versions have other names, too") {
    assert(LanceOptions.forWrite(
      options("dataStorageVersion" -> "Stable")
    ).creation.dataStorageVersion.contains(FileVersion.V2_2))
    for ((name, version) <- Seq("legacy" -> "0.1", "next" -> "2.3"))
      assert(
        refusal(LanceOptions.forWrite(options("dataStorageVersion" -> name))) ==
          s"Option 'dataStorageVersion' cannot be '$name': it must be one of 2.0, 2.1, 2.2, and this is $version."
      )
  }

  test("an unknown option is named, with the nearest known one") {
    assert(
      refusal(LanceOptions.forRead(options("versoin" -> "3"))) ==
        "Option 'versoin' is not known for reading Lance tables. Did you mean 'version'? " +
        "Known: version, tag, asOfTimestamp, metadataTable, nearest, fullTextQuery, hybridSearch, schema, batchSize, splitRows, splitBytes, minRequests, maxRequests, readAheadBytes, metadataCacheBytes, pushDownFilters, useScalarIndex, approximateOrder, localResultBytes, brokenIndices, lossyValues, blobHandling, startingVersion, startingTimestamp, endingVersion, endingTimestamp, readChangeFeed, netChanges, maxFilesPerTrigger, maxBytesPerTrigger, maxRowsPerTrigger, minRowsPerTrigger, maxTriggerDelay, ignoreDeletes, skipChangeCommits, allowAddedColumns, failOnDataLoss, branch, commitHandler (docs/options.md)."
    )
    assert(
      refusal(LanceOptions.forWrite(options("max_rows_per_fil" -> "3"))).contains("mean 'maxRowsPerFile'")
    )
    // What is like none is not made one.
    assert(
      refusal(LanceOptions.forRead(options("nope" -> "3")))
        .startsWith("Option 'nope' is not known for reading Lance tables. Known: version, tag,")
    )
    assert(refusal(LanceOptions.forRead(options("tga" -> "3"))).contains("reading Lance tables. Known"))
    assert(refusal(LanceOptions.forRead(options("ta" -> "3"))).contains("Did you mean 'tag'?"))
  }

  test("an option for writing is not known for reading, and the other way round") {
    assert(
      refusal(LanceOptions.forRead(options("datastorageversion" -> "2.1"))) ==
        "Option 'dataStorageVersion' is for writing Lance tables, but this statement reads. Leave it out (docs/options.md)."
    )
    assert(refusal(
      LanceOptions.forRead(options("commit.job" -> "1"))
    ).startsWith("Option 'commit.job' is for writing"))
    assert(
      refusal(
        LanceOptions.forRead(options("v.arrow.float16" -> "true"))
      ).startsWith("Option 'v.arrow.float16' is for")
    )
    assert(
      refusal(LanceOptions.forWrite(options("version" -> "1"))) ==
        "Option 'version' is for reading Lance tables, but this statement writes. Leave it out (docs/options.md)."
    )
  }

  test("a value that cannot be read is refused with what it must be") {
    assert(
      refusal(LanceOptions.forRead(options("version" -> "new"))) ==
        "Option 'version' cannot be 'new': it must be a version of a table, 1 or higher."
    )
    assert(refusal(LanceOptions.forRead(options("batchSize" -> "0"))).contains("a number of rows"))
    assert(
      refusal(LanceOptions.forWrite(options("dataStorageVersion" -> "0.1"))).contains("one of 2.0, 2.1, 2.2")
    )
  }

  test("options that Spark adds are accepted") {
    val _ = LanceOptions.forRead(options("path" -> "/a", "__partition_columns" -> "[]", "versionAsOf" -> "3"))
  }

  test("the session's defaults count where a statement sets no option") {
    withSetting("spark.datasource.lance.batchSize", "17") {
      assert(LanceOptions.forRead(options()).batchSize == 17)
      assert(LanceOptions.forRead(options("BATCHSIZE" -> "18")).batchSize == 18)
      assert(LanceOptions.forWrite(options()).limits.maxRowsPerFile == 1L << 20)
    }
    withSetting("spark.datasource.lance.batchsiz", "17") {
      assert(
        refusal(LanceOptions.forRead(options())).contains("Did you mean 'spark.datasource.lance.batchSize'?")
      )
    }
  }

  test("settings of a statement replace those of its catalog") {
    val catalog = StoreOptions(Map("fs.a" -> "catalog", "fs.b" -> "catalog"), Some("one"))
    val statement = StoreOptions(Map("fs.b" -> "statement", "fs.c" -> "statement"), Some("other"))
    val settings = Map("fs.a" -> "catalog", "fs.b" -> "statement", "fs.c" -> "statement")
    assert(statement.over(catalog) == StoreOptions(settings, Some("other")))
    assert(StoreOptions.none.over(catalog) == catalog)
  }

  test("docs/options.md lists every option with its default") {
    val sections = Files.readString(Path.of("docs/options.md")).split("\n## ").toVector.tail
    def documented(headings: String*) = for {
      section <- sections if headings.contains(section.linesIterator.next())
      row <- section.linesIterator if row.startsWith("| `")
    } yield row.split('|').map(_.trim).slice(1, 3).mkString(" ")
    def known(options: Seq[LanceOption[_]]) = options.toVector.map { o =>
      val default = o.defaultText.fold(if (o.name == "version") "the latest" else "")(d => s"`$d`")
      s"`${o.name}` $default"
    }
    assert(documented("Reading", "Reading changes and streams") == known(LanceOptions.reading))
    assert(documented("Writing") == known(LanceOptions.writing))
    assert(documented("Reading and writing") == known(LanceOptions.both))
  }

  test("every option that is defined is listed, and can be given the text of its default") {
    val homes = Vector[AnyRef](LanceOptions, RangeOptions, StreamOptions, SinkOptions)
    val defined =
      homes.flatMap(home => Class.forName(home.getClass.getName.stripSuffix("$")).getDeclaredClasses)
        .filter(classOf[LanceOption[_]].isAssignableFrom)
        .map(_.getField("MODULE$").get(null).asInstanceOf[LanceOption[_]])
    assert(defined.size > 30)
    assert(defined.map(_.name).sorted == LanceOptions.all.map(_.name).sorted)
    LanceOptions.all.foreach {
      case option: Defaulted[_] =>
        assert(
          option.in(options(option.name -> option.defaultText.get)).contains(option.default),
          option.name
        )
      case option => assert(option.defaultText.isEmpty, option.name)
    }
  }
}
