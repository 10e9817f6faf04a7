package io.sparklance.spark.read

import org.apache.spark.sql.Row

import io.sparklance.dataset.{Dataset, TableRefs}
import io.sparklance.spark.SparkSuite
import io.sparklance.spark.options.StoreOptions

/** A table on the machine's disk whose files are in another store, of which only the session's settings tell:
  * tasks find them.
  */
class OtherBasesSuite extends SparkSuite {

  /** The path of a clone of a table of two fragments. */
  private def withClone[A](body: String => A): A =
    withSetting("fs.counted.impl", classOf[CountedDisk].getName) {
      // Otherwise tasks would be given the file system that the driver made.
      withSetting("fs.counted.impl.disable.cache", "true") {
        val (path, clone) = (freshPath(), freshPath())
        (0 until 2).foreach { i =>
          spark.range(10L * i, 10L * i + 10).coalesce(1).selectExpr("cast(id AS int) AS id", "id * 10 AS x")
            .write.format("lance").mode("append").save(path)
        }
        val (source, target) = (StoreOptions.locate(s"counted://bases$path"), StoreOptions.locate(clone))
        new TableRefs(Dataset.open(source.store, source.root)).shallowClone(target.root, target.store)
        body(clone)
      }
    }

  private val all = (0 until 20).map(i => Row(i, i * 10L)).toSet

  test("scans and aggregates") {
    withClone { clone =>
      assert(rows(load(clone)) == all)
      assert(load(clone).selectExpr("count(x)", "min(id)", "max(x)").head() == Row(20, 0, 190))
    }
  }

  test("compaction") {
    withClone { clone =>
      sql(s"CALL lance.system.compact(table => '$clone')").collect()
      assert(rows(load(clone)) == all && dataFiles(clone).size == 1)
    }
  }

  test("columns of another type, and new ones") {
    withClone { clone =>
      sql(s"ALTER TABLE lance.`$clone` ALTER COLUMN id TYPE BIGINT")
      sql(s"CALL lance.system.add_columns('$clone', map('y', 'id + x'))").collect()
      sql(s"CALL lance.system.update_columns('$clone', map('x', '1'), where => 'id = 3')").collect()
      val changed = (0L until 20L).map(i => Row(i, if (i == 3) 1L else i * 10, i * 11)).toSet
      assert(rows(load(clone)) == changed)
    }
  }

  test("the metadata of files") {
    withClone { clone =>
      assert(sql(s"SELECT sum(rows) FROM lance.`$clone`.columns_on_disk").head() == Row(40))
    }
  }
}
