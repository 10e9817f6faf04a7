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

/** What a vector does with values that its Spark type has no room for.
  *
  * @param column
  *   its name
  * @param place
  *   says where the value at an index stands, for messages
  */
final private[read] class LossyValueHandler(column: String, val lossy: LossyValues, place: Int => String) {

  /** Whether what is too fine is cut off. */
  val truncates: Boolean = lossy == LossyValues.Truncate

  /** For values that have too many digits behind the point, so to speak. */
  def tooFine(index: Int, value: String, spark: String): Throwable =
    refuse(
      index,
      value,
      spark,
      "'truncate' cuts off what does not fit, and 'raw' shows values as they are stored"
    )

  /** For values that nothing makes fit. */
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
            "Rows are written again as a whole, and this would not be what it was. Leave such rows out by the condition, or " +
              "change them where they can be read."
          case LossyValues.Fail | LossyValues.Truncate | LossyValues.Raw =>
            s"Set the option 'lossyValues': $cure. Or filter such rows where the table is written."
        })
    ))

  /** Says of failures in `body`, which decodes the value at an index, where that is. */
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

  /** For values that cannot be decoded. */
  def corrupt(index: Int, cause: LanceFormatException): Throwable =
    SparkErrors.translated(new LanceFormatException(
      s"${cause.reason} in ${place(index)}",
      cause.location.within(Location(column = Some(column))),
      cause
    ))

  /** For the items of lists of `size`. */
  def ofItems(size: Int): LossyValueHandler =
    new LossyValueHandler(column, lossy, index => s"item ${index % size} of ${place(index / size)}")
}
