package io.sparklance.spark.schemachange

import org.apache.spark.sql.Row

/** Columns of lists that become columns of vectors, by a property or by alter_columns. */
final class VectorConversionSuite extends AlteredTables {
  private val size = "v.arrow.fixed-size-list.size"

  private def isVector(t: String, column: String): Boolean =
    spark.table(t).schema(column).metadata.contains("arrow.fixed-size-list.size")

  private def alter(t: String, alterations: String): Unit =
    sql(s"CALL spark_catalog.system.alter_columns('$t', '$alterations')").collect().foreach(_ => ())

  for (version <- Seq("2.0", "2.1", "2.2"))
    test(s"a property makes vectors of lists of one length, in files of version $version") {
      withTable { t =>
        sql(s"CREATE TABLE $t (id INT, v ARRAY<FLOAT>, w ARRAY<DOUBLE>, note STRING) USING lance " +
          s"OPTIONS (dataStorageVersion '$version', maxRowsPerFile '30')")
        sql(
          s"INSERT INTO $t SELECT id, array(float(id), 0.5F), array(id / 2, 1D, -id), 'x' FROM range(0, 50, 1, 1)"
        )
        sql(s"INSERT INTO $t VALUES (50, NULL, NULL, NULL)")
        sql(
          s"INSERT INTO $t VALUES (60, array(1F), array(), 'too short, and deleted'), (61, array(1F, 2F), array(1D, 2D, 3D), NULL)"
        )
        sql(s"DELETE FROM $t WHERE id = 60")
        val values = rows(sql(s"SELECT * FROM $t"))
        val before = dataFiles(root(t)).toSet
        sql(s"ALTER TABLE $t SET TBLPROPERTIES ('$size' = '2')")
        alter(t, """[{"path": "w", "data_type": "fixed_size_list:float:3"}]""")
        assert(isVector(t, "v") && isVector(t, "w"))
        val after = dataFiles(root(t)).toSet
        assert(before.subsetOf(after) && (after -- before).size == 2 * dataset(t).fragments.size)
        assert(rows(sql(s"SELECT id, v, CAST(w AS ARRAY<DOUBLE>), note FROM $t")) == values)
        sql(s"INSERT INTO $t VALUES (70, array(7F, 7F), array(1F, 2F, 3F), 'later')")
        val near = sql(s"SELECT id FROM lance_vector_search('$t', 'v', array(7F, 7F), k => 1)")
        assert(rows(near) == Set(Row(70)))
      }
    }

  test("lists of another length, and other items, are refused by their row, and nothing stays") {
    withTable { t =>
      sql(
        s"CREATE TABLE $t (id INT, v ARRAY<FLOAT>, texts ARRAY<STRING>, s ARRAY<STRUCT<a: INT>>) USING lance"
      )
      sql(
        s"INSERT INTO $t SELECT id, IF(id = 7, array(1F, 2F, 3F), array(1F, 0.1F)), array('a'), NULL FROM range(0, 20, 1, 1)"
      )
      val before = versionAndFiles(t)
      val message = refusal(sql(s"ALTER TABLE $t SET TBLPROPERTIES ('$size' = '2')"))
      assert(message.contains(
        "Column 'v' cannot be changed to fixed_size_list:float:2: it has a list of 3 items, in row 7 of fragment 0"
      ))
      Seq(
        """{"path": "v", "data_type": "fixed_size_list:halffloat:2"}""" -> "the value 0.1",
        """{"path": "texts", "data_type": "fixed_size_list:string:1"}""" ->
          "changing the type of column 'texts'",
        """{"path": "s", "data_type": "fixed_size_list:struct:1"}""" -> "changing the type of column 's'",
        """{"path": "v", "data_type": "fixed_size_list:int32:2"}""" ->
          "which cannot be changed to fixed_size_list:int32:2 in place. Write"
      ).foreach { case (change, said) =>
        val text = refusal(alter(t, s"[$change]"))
        assert(text.contains(said), text)
      }
      val both = refusal(sql(s"ALTER TABLE $t SET TBLPROPERTIES ('$size' = '2', 'team' = 'me')"))
      assert(both.contains("write two statements"))
      assert(versionAndFiles(t) == before)
    }
  }

  test("lists of lists become lists of vectors, and fields of structs vectors") {
    withTable { t =>
      sql(s"CREATE TABLE $t (v ARRAY<ARRAY<FLOAT>>, s STRUCT<e: ARRAY<FLOAT>, n: INT>) USING lance")
      sql(
        s"INSERT INTO $t VALUES (array(array(1F, 2F), NULL), named_struct('e', array(3F), 'n', 1)), (array(), NULL), (NULL, named_struct('e', NULL, 'n', 2))"
      )
      val values = rows(spark.table(t))
      sql(
        s"ALTER TABLE $t SET TBLPROPERTIES ('v.item.arrow.fixed-size-list.size' = '2', 's.e.arrow.fixed-size-list.size' = '1')"
      )
      assert(rows(spark.table(t)) == values)
      assert(spark.table(t).schema("v").metadata.contains("item.arrow.fixed-size-list.size"))
      assert(sql(s"SELECT * FROM lance_vector_search('$t', 'v', array(1F, 2F), k => 3)").count() == 1)
    }
  }

  test("a search of lists, an index and a setting that comes late name the cure, which helps") {
    withTable { t =>
      sql(s"CREATE TABLE $t (id INT, v ARRAY<FLOAT>) USING lance")
      sql(s"INSERT INTO $t VALUES (1, array(1F, 2F)), (2, array(3F, 4F))")
      val search = s"SELECT id FROM lance_vector_search('$t', 'v', array(3F, 3F), k => 1)"
      val statement = s"SET TBLPROPERTIES ('$size' = '<length>')"
      Seq[() => Any](
        () => sql(search).collect(),
        () => sql(search.replace("'v'", "'nothing'")).collect(),
        () => sql(s"CALL spark_catalog.system.create_index('$t', 'v', 'IVF_FLAT')").collect(),
        () =>
          sql("SELECT 1 AS id, array(1F, 2F) AS v").write.format("lance").mode("append").option(
            size,
            2
          ).save(root(t))
      ).foreach { run =>
        val message = refusal(run())
        assert(message.contains(statement), message)
      }
      sql(s"ALTER TABLE $t ${statement.replace("<length>", "2")}")
      assert(rows(sql(search)) == Set(Row(2)))
      sql(s"ALTER TABLE $t ADD COLUMN later ARRAY<FLOAT>")
      sql(
        s"ALTER TABLE $t SET TBLPROPERTIES ('later.arrow.fixed-size-list.size' = '2', 'later.arrow.float16' = 'true')"
      )
      assert(dataset(t).schema.fields.last.logicalType.toString == "FixedSizeList(FloatingPoint(16),2)")
    }
  }
}
