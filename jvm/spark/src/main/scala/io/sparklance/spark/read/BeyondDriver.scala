package io.sparklance.spark.read

import scala.util.control.NoStackTrace

/** Tells that rows are more than the driver may hold, so that tasks must read them. */
private[spark] object BeyondDriver
    extends RuntimeException("more rows than the driver may hold")
    with NoStackTrace
