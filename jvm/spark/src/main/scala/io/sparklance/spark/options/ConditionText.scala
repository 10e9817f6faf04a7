package io.sparklance.spark.options

import io.sparklance.LanceUsageException

/** A condition in SQL, as a user gives it. */
private[spark] object ConditionText {

  /** Returns the condition. Refuses a blank one: it is none, and not one for all rows.
    *
    * @param name
    *   what the user calls it
    */
  def checked(name: String)(text: String): String =
    if (text.isBlank)
      throw new LanceUsageException(
        s"'$name' is an empty condition. Give 'true' for all rows, or leave it out."
      )
    else text
}
