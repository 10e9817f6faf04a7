package io.sparklance.spark.catalog

import org.apache.spark.sql.types.{Metadata, MetadataBuilder, StructType}

/** SHOW CREATE TABLE shows a statement that runs, and creates such a table. */
final class ShowCreateSuite extends DirectoryCatalogs {

  private def shown(table: String): String = sql(s"SHOW CREATE TABLE $table").head().getString(0)

  /** Columns with their metadata, but for the time of a default. */
  private def columns(table: String): Seq[(String, String, Boolean, Metadata)] =
    spark.table(table).schema.map { column =>
      val metadata = new MetadataBuilder().withMetadata(column.metadata).remove("EXISTS_DEFAULT").build()
      (column.name, column.dataType.json, column.nullable, metadata)
    }

  private def isSame(table: String, again: String): Unit = {
    val statement = shown(table)
    sql(statement.replaceFirst("^CREATE TABLE .* \\(\n", s"CREATE TABLE $again (\n"))
    assert(columns(again) == columns(table), statement)
    val described = Seq(table, again).map(t => sql(s"DESCRIBE TABLE $t").collect().toSeq)
    assert(described.distinct.size == 1, statement)
    val _ = assert(shown(again).split("\n").tail.toSeq == statement.split("\n").tail.toSeq)
  }

  test("columns of all types and names, with comments, defaults and properties") {
    val properties = "k = 'it\\'s', 'a b' = 'x', 'lance.write.maxRowsPerFile' = '5'"
    Seq(
      "`a b` INT, `c``d` STRING NOT NULL, `select` DATE, `Größe` DOUBLE",
      "a INT COMMENT 'it\\'s \"q\"', s STRUCT<x: INT NOT NULL COMMENT 'it\\'s', `y z`: MAP<STRING, INT>>",
      "a STRING DEFAULT 'it\\'s', b TIMESTAMP DEFAULT current_timestamp(), c ARRAY<INT> DEFAULT array(1, 2)",
      "a CHAR(3), b VARCHAR(5), c DECIMAL(38, 10), d BINARY, e TIMESTAMP_NTZ, f INTERVAL HOUR TO MINUTE, g VOID"
    ).foreach { columns =>
      withCatalog { (c, _) =>
        sql(s"CREATE TABLE $c.t ($columns) USING lance COMMENT 'it\\'s' TBLPROPERTIES ($properties)")
        isSame(s"$c.t", s"$c.again")
        withTable(t => isSame(s"$c.t", t))
      }
    }
  }

  test("vectors, blobs, JSON, half floats, keys and hints for encoders") {
    val settings = Map(
      "v.arrow.fixed-size-list.size" -> "3",
      "h.arrow.fixed-size-list.size" -> "2",
      "h.arrow.float16" -> "true",
      "s.v.arrow.fixed-size-list.size" -> "4",
      "l.item.arrow.fixed-size-list.size" -> "2",
      "blob.lance-encoding:blob" -> "true",
      "j.ARROW:extension:name" -> "arrow.json",
      "z.lance-encoding:compression" -> "zstd",
      "id.lance-schema:unenforced-primary-key" -> "true"
    )
    val properties = settings.map { case (key, value) => s"'$key' = '$value'" }.mkString(", ")
    val columns =
      "id INT NOT NULL, v ARRAY<FLOAT>, h ARRAY<FLOAT>, s STRUCT<v: ARRAY<FLOAT>>, l ARRAY<ARRAY<FLOAT>>, " +
        "blob BINARY, j STRING, z STRING"
    withCatalog { (c, _) =>
      sql(s"CREATE TABLE $c.t ($columns) USING lance TBLPROPERTIES ($properties)")
      withTable { t =>
        isSame(s"$c.t", t)
        isSame(t, s"$c.again")
        // A blob is shown as one of the newest kind.
        val same = settings.keySet - "blob.lance-encoding:blob" - "j.ARROW:extension:name"
        assert((same + "blob.ARROW:extension:name").forall(shown(t).contains(_)), shown(t))
        // The metastore remembers the settings of columns that are gone.
        Seq("v", "h", "blob").foreach(column => sql(s"ALTER TABLE $t DROP COLUMN $column"))
        isSame(t, s"$c.fewer")
        assert(spark.table(s"$c.fewer").schema == StructType(spark.table(t).schema))
      }
    }
  }

  test("a table by path, or with a location, is created where it was") {
    val path = freshPath()
    withTable { t =>
      sql(s"CREATE TABLE $t (a INT) USING lance LOCATION '$path'")
      Seq(t, s"lance.`$path`").foreach { table =>
        val statement = shown(table)
        sql(s"DROP TABLE IF EXISTS $t")
        new org.apache.hadoop.fs.Path(path).getFileSystem(spark.sparkContext.hadoopConfiguration)
          .delete(new org.apache.hadoop.fs.Path(path), true)
        sql(statement)
        assert(load(path).columns.toSeq == Seq("a"))
      }
    }
  }
}
