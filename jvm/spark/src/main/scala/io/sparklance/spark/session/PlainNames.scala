package io.sparklance.spark.session

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.internal.SQLConf

/** Names of tables that are taken as they are. */
private[spark] object PlainNames {

  /** Runs `body`, which gives names to Spark. Its parser would put the value of a variable into a name with
    * `${…}`, and rows would go to another path.
    */
  def keeping[A](body: => A): A = {
    // The first analyzer of a session sets our catalogs, which the copy of the settings must have.
    val _ = SparkSession.active.sessionState.analyzer
    val settings = SQLConf.get.clone()
    settings.setConfString("spark.sql.variable.substitute", "false")
    SQLConf.withExistingConf(settings)(body)
  }
}
