package io.sparklance.spark.options

import io.sparklance.spark.read.CountedDisk
import io.sparklance.spark.{LanceCatalog, SparkSuite}

/** Reads of a catalog's table by jobs of our own, which go by its path. */
class OwnReadsSuite extends SparkSuite {

  test("a catalog's own file system serves jobs of our own, searches and their filters") {
    val catalog = "ownstore"
    val settings = Map(
      s"spark.sql.catalog.$catalog" -> classOf[LanceCatalog].getName,
      s"spark.sql.catalog.$catalog.root" -> s"counted://x${freshPath()}",
      s"spark.sql.catalog.$catalog.fs.counted.impl" -> classOf[CountedDisk].getName,
      s"spark.sql.catalog.$catalog.commitHandler" -> "unguarded"
    )
    settings.foreach { case (key, value) => spark.conf.set(key, value) }
    sql(s"CREATE SCHEMA $catalog.own")
    val table = s"$catalog.own.t"
    sql(
      s"CREATE TABLE $table (id BIGINT, v ARRAY<FLOAT>) USING lance " +
        "TBLPROPERTIES ('v.arrow.fixed-size-list.size' = '2')"
    )
    sql(s"INSERT INTO $table SELECT id, array(id, id) FROM range(9)").collect()
    assert(sql(s"ANALYZE TABLE $table COMPUTE STATISTICS FOR ALL COLUMNS").count() == 1)
    val found = sql(
      s"SELECT id FROM lance_vector_search('$table', 'v', array(0, 0), k => 2, filter => 'id IN (SELECT 3) OR id > 6')"
    )
    assert(found.collect().map(_.getLong(0)).toSeq == Seq(3, 7))
  }
}
