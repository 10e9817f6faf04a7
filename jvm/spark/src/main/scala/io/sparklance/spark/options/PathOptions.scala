package io.sparklance.spark.options

import org.apache.spark.sql.util.CaseInsensitiveStringMap

import io.sparklance.LanceUsageException
import io.sparklance.spark.session.TableLocation

/** Location and version in the options of `load` and `save`. */
private[spark] object PathOptions {

  def location(options: CaseInsensitiveStringMap): TableLocation = StoreOptions.of(options).locate(
    pathIfAny(options).getOrElse(
      throw new LanceUsageException(
        "No path was given for the Lance table. Give it to load() or save(), or as option 'path'."
      )
    )
  )

  def pathIfAny(options: CaseInsensitiveStringMap): Option[String] = {
    if (options.containsKey("paths"))
      throw new LanceUsageException(
        s"A Lance table has one path, but load() was given several: ${options.get("paths")}. " +
          "Load each by itself and combine them with union()."
      )
    Option(options.get("path")).filter(_.nonEmpty)
  }

  /** Refuses options that are invalid for reading a path. */
  def checkRead(options: CaseInsensitiveStringMap): Unit = {
    Seq(
      "versionAsOf" -> "use option 'version' instead",
      "timestampAsOf" -> "use option 'asOfTimestamp' instead"
    )
      .find { case (name, _) => options.containsKey(name) }
      .foreach { case (name, cure) =>
        throw new LanceUsageException(s"Spark does not apply option '$name' to a path; $cure.")
      }
    val _ = LanceOptions.forRead(options)
  }
}
