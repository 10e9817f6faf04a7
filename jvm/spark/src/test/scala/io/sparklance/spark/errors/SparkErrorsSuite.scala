package io.sparklance.spark.errors

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, ObjectInputStream, ObjectOutputStream}

import scala.jdk.CollectionConverters._
import scala.reflect.ClassTag

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.AnalysisException

import io.sparklance.spark.SparkSuite
import io.sparklance.{
  CatalogErrorException,
  CatalogForbiddenException,
  CatalogThrottledException,
  CatalogUnauthenticatedException,
  CatalogUnavailableException,
  CommitStateUnknownException,
  ErasureIncompleteException,
  IncompatibleCommitConflictException,
  IndicesMissingException,
  LanceException,
  LanceFileSystemNotFoundException,
  LanceFormatException,
  LanceStorageException,
  LanceTableNotFoundException,
  LanceUsageException,
  Location,
  RetryableCommitConflictException,
  ServerError,
  UnsupportedLanceFeatureException
}

/** Errors as Spark gets them: of a kind that it knows, with condition, SQLSTATE and cause. */
class SparkErrorsSuite extends SparkSuite {

  private val problems = Vector[LanceException](
    new LanceTableNotFoundException("p"),
    new LanceFormatException("p", Location(Some("f"), Some("c"), Some(2), Some(3), Some(-1))),
    new UnsupportedLanceFeatureException("p"),
    new LanceUsageException("p"),
    new LanceFileSystemNotFoundException("p"),
    new LanceStorageException("p"),
    new RetryableCommitConflictException("p"),
    new IncompatibleCommitConflictException("p"),
    new CommitStateUnknownException("p"),
    new IndicesMissingException("p"),
    new ErasureIncompleteException("p"),
    new CatalogForbiddenException("p"),
    new CatalogUnauthenticatedException("p"),
    new CatalogThrottledException("p"),
    new CatalogUnavailableException("p"),
    new CatalogErrorException(ServerError.Internal, "p")
  )

  private def thrown[E <: Throwable: ClassTag](problem: LanceException): E =
    intercept[E](SparkErrors.translating(throw problem))

  test("every exception has a condition of its own, and keeps its message and cause") {
    assert(problems.map(ErrorCondition.of) == ErrorCondition.all)
    assert(ErrorCondition.all.map(_.name).distinct == ErrorCondition.all.map(_.name))
    problems.foreach { problem =>
      val condition = ErrorCondition.of(problem)
      val shown = thrown[Exception with SparkThrowable](problem)
      assert(shown.getMessage == s"[${condition.name}] ${problem.getMessage} SQLSTATE: ${condition.sqlState}")
      assert(shown.getCondition == condition.name)
      assert(shown.getSqlState == condition.sqlState)
      assert(shown.getMessageParameters.get("message") == problem.getMessage)
      assert(shown.getCause eq problem)
    }
  }

  test("PySpark knows the kinds of the exceptions") {
    val (usage, others) = problems.partition(_.isInstanceOf[LanceUsageException])
    val (unsupported, analysis) = others.partition(_.isInstanceOf[UnsupportedLanceFeatureException])
    usage.foreach(thrown[IllegalArgumentException](_))
    unsupported.foreach(thrown[UnsupportedOperationException](_))
    analysis.foreach(thrown[AnalysisException](_))
    assert(usage.nonEmpty && unsupported.nonEmpty && analysis.nonEmpty)
  }

  test("the place of corrupt bytes is among the parameters") {
    val shown = thrown[Exception with SparkThrowable](problems(1))
    assert(
      shown.getMessageParameters.asScala.toMap - "message" ==
        Map(
          "file" -> "f",
          "column" -> "c",
          "page" -> "2",
          "offset" -> "3",
          "version" -> "18446744073709551615"
        )
    )
  }

  test("a task's exception survives the way to the driver") {
    problems.map(LanceThrowable.of).foreach { shown =>
      val bytes = new ByteArrayOutputStream
      new ObjectOutputStream(bytes).writeObject(shown)
      val copy = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray)).readObject()
      copy match {
        case copied: Throwable with SparkThrowable =>
          assert(copied.getMessage == shown.getMessage && copied.getCondition == shown.getCondition)
        case other => fail(s"$other")
      }
    }
  }

  test("exceptions of others, and those that are translated already, pass as they are") {
    val own = LanceThrowable.of(problems.head)
    Vector(own, new IllegalStateException("x")).foreach { other =>
      assert(intercept[Exception](SparkErrors.translating(throw other)) eq other)
    }
  }

  test("an error stays itself where Spark knows the position in the query") {
    val error = intercept[AnalysisException](sql("SELECT *\n  FROM lance.`/no/such`").collect())
    assert(error.getClass == LanceThrowable.of(problems.head).getClass)
    assert(error.getQueryContext.isEmpty)
    assert(error.getCondition == "LANCE_TABLE_NOT_FOUND" && error.getMessage.contains("no Lance table"))
  }

  test("the jar of a file system that is missing is named") {
    val error = intercept[AnalysisException](spark.read.format("lance").load("s3a://bucket/t"))
    assert(error.getCondition == "LANCE_FILE_SYSTEM_NOT_FOUND")
    assert(error.getMessage.contains("--packages org.apache.hadoop:hadoop-aws:3."))
  }
}
