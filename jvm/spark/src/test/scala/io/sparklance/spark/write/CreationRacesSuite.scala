package io.sparklance.spark.write

import java.nio.file.{Files, Path}
import java.util.concurrent.atomic.AtomicReference

import org.apache.spark.sql.functions.{col, expr}
import org.apache.spark.sql.{DataFrame, SaveMode}

import io.sparklance.data.FileVersion
import io.sparklance.dataset.write.WriteSchema
import io.sparklance.dataset.{Dataset, TableDefinition}
import io.sparklance.io.LocalStore
import io.sparklance.namespace.{TableDirectory, TableName}
import io.sparklance.spark.catalog.DirectoryCatalogs
import io.sparklance.spark.types.SchemaConverter
import io.sparklance.{LanceException, LanceUsageException, RetryableCommitConflictException}

/** Statements that begin while there is no table, and end when another writer has created it. */
final class CreationRacesSuite extends DirectoryCatalogs {

  /** Two rows; the task that computes them first lets another writer create the table. */
  private def mine(other: => Any): DataFrame = {
    CreationRaces.other.set { () =>
      val _ = other
    }
    val _ = spark.udf.register("meanwhile", (id: Long) => CreationRaces.run(id))
    spark.range(0, 2, 1, 1).select(expr("meanwhile(id)").as("id"))
  }

  private def create(root: String): Unit = {
    val schema = WriteSchema.forVersion(
      SchemaConverter.toLance(spark.range(1).schema),
      FileVersion.default
    )
    val _ = Dataset.create(LocalStore, root, TableDefinition(schema, FileVersion.default), Vector.empty)
  }

  private def failure(body: => Any): Option[LanceException] =
    try { val _ = body; None }
    catch {
      case e: Throwable => Iterator.iterate(e)(_.getCause).takeWhile(_ != null)
          .collectFirst { case ours: LanceException => ours }.orElse(throw e)
    }

  private def isTheirs(root: String): Boolean = {
    val table = Dataset.open(LocalStore, root)
    table.version == 1 && table.countRows == 0 && dataFiles(root).isEmpty &&
    Files.list(Path.of(root, "_transactions")).count() == 1
  }

  private def isRetryable(failed: Option[LanceException]): Boolean = failed.exists {
    case e: RetryableCommitConflictException => e.getMessage.contains("already")
    case _ => false
  }

  test("ignore does nothing, append and overwrite are retryable conflicts, error says that there is a table") {
    for (mode <- SaveMode.values) {
      val path = freshPath()
      val failed = failure(mine(create(path)).write.format("lance").mode(mode).save(path))
      mode match {
        case SaveMode.Ignore => assert(failed.isEmpty, failed)
        case SaveMode.Append | SaveMode.Overwrite => assert(isRetryable(failed), s"$mode: $failed")
        case SaveMode.ErrorIfExists =>
          assert(failed.exists(_.isInstanceOf[LanceUsageException]), failed)
          assert(failed.exists(_.getMessage.contains("There is a Lance table at")), failed)
      }
      assert(isTheirs(path), mode)
      mine(()).write.format("lance").mode(SaveMode.Append).save(path)
      assert(load(path).count() == 2)
    }
  }

  test("by name: ignore and IF NOT EXISTS do nothing, the others are retryable conflicts") {
    withCatalog { (lake, root) =>
      sql(s"CREATE NAMESPACE $lake.ns")
      val directory = new TableDirectory(LocalStore, root)
      for (name <- Seq("t", "ns.t")) {
        val table = TableName(name.split('.').toVector.init, "t")
        def others(): Unit = {
          val made = directory.place(table)
          create(made.place.root)
          directory.enter(table, made)
        }
        def rows = mine(others())
        val statements: Seq[(Boolean, String => Any)] = Seq(
          true -> (t => rows.write.format("lance").mode("ignore").saveAsTable(t)),
          true -> { t =>
            rows.createOrReplaceTempView("mine")
            sql(s"CREATE TABLE IF NOT EXISTS $t AS SELECT * FROM mine")
          },
          false -> (t => rows.write.format("lance").mode("append").saveAsTable(t)),
          false -> (t => rows.write.format("lance").mode("overwrite").saveAsTable(t)),
          false -> (t => rows.write.format("lance").saveAsTable(t)),
          false -> (t => rows.writeTo(t).using("lance").create()),
          false -> (t => rows.writeTo(t).using("lance").createOrReplace())
        )
        for (((isIdle, statement), i) <- statements.zipWithIndex) {
          val failed = failure(statement(s"$lake.$name"))
          assert(if (isIdle) failed.isEmpty else isRetryable(failed), s"$name $i: $failed")
          assert(isTheirs(directory.find(table).collect {
            case io.sparklance.namespace.FoundTable.Made(place) => place.root
          }.get))
          assert(spark.table(s"$lake.$name").where(col("id") >= 0).count() == 0)
          assert(directory.tables(table.namespace) == Vector("t"))
          sql(s"DROP TABLE $lake.$name")
        }
      }
    }
  }

  test("in the session catalog a table that is created at the location meanwhile stays") {
    withTable { t =>
      val failed = failure(mine(create(root(t))).write.format("lance").mode("append").saveAsTable(t))
      assert(isRetryable(failed), failed)
      assert(isTheirs(root(t)))
      assert(spark.table(t).count() == 0)
    }
    withTable { t =>
      mine(create(root(t))).write.format("lance").mode("ignore").saveAsTable(t)
      assert(isTheirs(root(t)))
      assert(spark.table(t).count() == 0)
    }
  }
}

/** The other writer's step, which runs once, in a task. */
object CreationRaces {
  val other: AtomicReference[() => Unit] = new AtomicReference(() => ())

  def run(id: Long): Long = {
    other.getAndSet(() => ())()
    id
  }
}
