package io.sparklance.spark

import java.nio.file.{Files, Path}
import java.util.Comparator
import java.util.concurrent.atomic.AtomicInteger

import org.apache.spark.sql.{DataFrame, Row, SparkSession}
import org.scalatest.concurrent.Eventually
import org.scalatest.funsuite.AnyFunSuite
import org.scalatest.time.{Seconds, Span}
import org.scalatest.{Failed, Outcome}

/** Tests with Spark: one session for all of them, with nothing configured that users would have to configure.
  */
abstract class SparkSuite extends AnyFunSuite with Eventually {

  /** Spark reports a failed job before the last of its tasks is gone. */
  implicit override val patienceConfig: PatienceConfig = PatienceConfig(timeout = Span(20, Seconds))

  protected def spark: SparkSession = SparkSuite.session

  /** Fails a test that leaves the description of a job behind: the next jobs of its thread would bear it. */
  override def withFixture(test: NoArgTest): Outcome = {
    val outcome = super.withFixture(test)
    val left = Option(spark.sparkContext.getLocalProperty("spark.job.description"))
    spark.sparkContext.setJobDescription(null)
    left.filter(_ => outcome.isSucceeded).fold(outcome)(text =>
      Failed(s"the test leaves the job description '$text'")
    )
  }

  /** A path at which there is nothing. */
  protected def freshPath(): String =
    SparkSuite.scratch.resolve(java.util.UUID.randomUUID().toString).toString

  protected def sql(text: String): DataFrame = spark.sql(text)

  protected def load(path: String): DataFrame = spark.read.format("lance").load(path)

  protected def rows(frame: DataFrame): Set[Row] = frame.collect().toSet

  /** Data files under a table's root, committed or not. */
  protected def dataFiles(root: String): Vector[String] = {
    val directory = Path.of(root.stripPrefix("file:"), "data")
    if (!Files.exists(directory)) Vector.empty
    else {
      val listing = Files.list(directory)
      try listing.toArray.toVector.map(_.toString)
      finally listing.close()
    }
  }

  /** The message of the first of our errors in what `body` throws; Spark wraps some. */
  protected def refusal(body: => Any): String = {
    val thrown = intercept[Throwable](body)
    val ours = Iterator.iterate(thrown)(
      _.getCause
    ).takeWhile(_ != null).find(_.isInstanceOf[io.sparklance.LanceException])
    ours.fold(throw thrown)(_.getMessage)
  }

  /** Runs a test with the name of a table that does not exist, and drops the table afterwards. */
  protected def withTable[A](body: String => A): A = {
    val name = s"lance_t${SparkSuite.tables.incrementAndGet()}"
    try body(name)
    finally { val _ = sql(s"DROP TABLE IF EXISTS $name") }
  }

  /** Location of a managed table of the session catalog. */
  protected def root(table: String): String =
    SparkSuite.scratch.resolve("warehouse").resolve(table).toString

  protected def withSetting[A](key: String, value: String)(body: => A): A = {
    val before = spark.conf.getOption(key)
    spark.conf.set(key, value)
    try body
    finally before.fold(spark.conf.unset(key))(spark.conf.set(key, _))
  }
}

object SparkSuite {
  private val tables = new AtomicInteger

  lazy val scratch: Path = {
    val made = Files.createTempDirectory("sparklance-tests")
    Runtime.getRuntime.addShutdownHook(new Thread(() => delete(made)))
    made
  }

  lazy val session: SparkSession = SparkSession
    .builder()
    .master("local[2]")
    .config("spark.ui.enabled", value = false)
    .config("spark.sql.warehouse.dir", scratch.resolve("warehouse").toString)
    .config("spark.sql.shuffle.partitions", 2)
    .getOrCreate()

  private def delete(directory: Path): Unit = {
    val all = Files.walk(directory)
    try all.sorted(Comparator.reverseOrder[Path]).forEach { p =>
        val _ = Files.deleteIfExists(p)
      }
    finally all.close()
  }
}
