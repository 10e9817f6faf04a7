package io.sparklance.spark.procedures

import org.apache.spark.SparkThrowable

import io.sparklance.LanceUsageException

/** There is no such procedure. Spark passes errors of its own kind on; of others it says only that a routine could not be loaded. */
final private class UnknownProcedureException(cause: LanceUsageException)
    extends RuntimeException(cause.getMessage, cause)
    with SparkThrowable {
  override def getCondition: String = "ROUTINE_NOT_FOUND"
}
