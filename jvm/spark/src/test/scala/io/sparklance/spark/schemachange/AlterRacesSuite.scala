package io.sparklance.spark.schemachange

import org.apache.spark.sql.Row
import org.apache.spark.sql.connector.catalog.TableChange
import org.apache.spark.sql.types.{IntegerType, LongType}

import io.sparklance.LanceException
import io.sparklance.spark.history.Statement
import io.sparklance.spark.options.StoreOptions
import io.sparklance.table.transaction.{KeyChanges, Operation}

/** Changes of columns while others commit. */
final class AlterRacesSuite extends AlteredTables {
  test("concurrent changes stay, and the statement is repeated where necessary") {
    withColumns { t =>
      val stale = dataset(t)
      sql(s"ALTER TABLE $t ADD COLUMN a INT")
      // Begun before: both stand, since each changes keys of its own.
      stale.commit(Operation.UpdateConfig.ofConfig(KeyChanges.Merging(Map("k" -> Some("v")))))
      sql(s"ALTER TABLE $t DROP COLUMN a")
      assert(dataset(t).config == Map("k" -> "v") && names(t) == Seq("id", "name", "s"))
    }
  }

  /** Changes columns, and has something else committed between plan and commit, the first time. */
  private def interrupted(t: String, change: TableChange.ColumnChange)(other: => Any): Int = {
    var plans = 0
    AlterTableCommit.columns(StoreOptions.locate(root(t)), Statement("ADD COLUMNS")) { now =>
      plans += 1
      val planned = new SparkColumnChanges(now).applied(Seq(change))
      if (plans == 1) { val _ = other }
      planned
    }
    plans
  }

  test("a change that writes a column is repeated if rows were added meanwhile, and leaves no file behind") {
    withColumns { t =>
      val toLong = TableChange.updateColumnType(Array("id"), LongType).asInstanceOf[TableChange.ColumnChange]
      assert(interrupted(t, toLong)(sql(s"INSERT INTO $t VALUES (3, 'three', NULL)")) == 2)
      assert(rows(sql(s"SELECT id, name FROM $t")) == Set(Row(1L, "one"), Row(2L, null), Row(3L, "three")))
      assert(dataFiles(root(t)).size == 6)
      val more = TableChange.addColumn(Array("more"), IntegerType).asInstanceOf[TableChange.ColumnChange]
      assert(interrupted(t, more)(sql(s"DELETE FROM $t WHERE id = 1")) == 2)
      assert(rows(sql(s"SELECT id, more FROM $t")) == Set(Row(2L, null), Row(3L, null)))
    }
  }

  test(
    "columns are dropped and renamed beside rows that come and go, and not beside other changes of columns"
  ) {
    withColumns { t =>
      val drop = TableChange.deleteColumn(Array("name"), false).asInstanceOf[TableChange.ColumnChange]
      assert(interrupted(t, drop)(sql(s"INSERT INTO $t VALUES (3, 'three', NULL)")) == 1)
      assert(rows(sql(s"SELECT id FROM $t")) == Set(Row(1), Row(2), Row(3)) && names(t) == Seq("id", "s"))
      val rename = TableChange.renameColumn(Array("s"), "struct").asInstanceOf[TableChange.ColumnChange]
      assert(interrupted(t, rename)(sql(s"ALTER TABLE $t ADD COLUMN more INT")) == 2)
      assert(names(t) == Seq("id", "struct", "more"))
      val gone = intercept[LanceException](interrupted(t, rename)(sql(s"ALTER TABLE $t DROP COLUMN more")))
      assert(gone.getMessage.contains("no column 's'"))
    }
  }
}
