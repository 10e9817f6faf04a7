package io.sparklance.spark.read

import io.sparklance.spark.errors.SparkErrors
import io.sparklance.spark.types.LossyValues
import io.sparklance.{
  LanceException,
  LanceFormatException,
  LanceUsageException,
  Location,
  UnsupportedLanceFeatureException
}

/** Handles values that do not fit a column's Spark type.
  *
  * @param column
  *   name of the column
  * @param place
  *   describes the position of the value at an index, for messages
  */
final private[read] class LossyReads(column: String, val lossy: LossyValues, place: Int => String) {

  /** Whether excess precision is cut off. */
  val truncates: Boolean = lossy == LossyValues.Truncate

  /** Error for values with too many digits after the point. */
  def tooFine(index: Int, value: String, spark: String): Throwable =
    refuse(
      index,
      value,
      spark,
      "'truncate' cuts off what does not fit, and 'raw' shows values as they are stored"
    )

  /** Error for values that no rounding makes fit. */
  def tooLarge(index: Int, value: String, spark: String): Throwable =
    refuse(
      index,
      value,
      spark,
      "'raw' shows columns of finer units or more digits than Spark's as they are stored"
    )

  private def refuse(index: Int, value: String, spark: String, cure: String): Throwable =
    SparkErrors.translated(new LanceUsageException(
      s"Column '$column' holds $value in ${place(index)}, which Spark's type $spark cannot show. " +
        (lossy match {
          case LossyValues.Refuse =>
            "The statement rewrites whole rows, and would change this value. Exclude such rows by the " +
              "condition, or change them with other software."
          case LossyValues.Fail | LossyValues.Truncate | LossyValues.Raw =>
            s"Set the option 'lossyValues': $cure. Or filter such rows when the table is written."
        })
    ))

  /** Adds the position of the value to format errors of `body`, which decodes it. */
  def decoding[A](index: Int)(body: => A): A =
    try body
    catch {
      case e: LanceFormatException => throw corrupt(index, e)
      case e: UnsupportedLanceFeatureException =>
        throw SparkErrors.translated(new UnsupportedLanceFeatureException(
          s"${e.feature} in ${place(index)}",
          e.location.within(Location(column = Some(column))),
          e
        ))
      case e: LanceException => throw SparkErrors.translated(e)
    }

  /** Error for values that cannot be decoded. */
  def corrupt(index: Int, cause: LanceFormatException): Throwable =
    SparkErrors.translated(new LanceFormatException(
      s"${cause.reason} in ${place(index)}",
      cause.location.within(Location(column = Some(column))),
      cause
    ))

  /** Returns the handler for the items of lists of length `size`. */
  def ofItems(size: Int): LossyReads =
    new LossyReads(column, lossy, index => s"item ${index % size} of ${place(index / size)}")
}
