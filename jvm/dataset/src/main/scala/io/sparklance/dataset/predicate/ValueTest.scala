package io.sparklance.dataset.predicate

import java.util.Arrays

import scala.collection.immutable.ArraySeq

/** A test of a non-null value. Other comparisons are negations of these. */
sealed private[sparklance] trait ValueTest extends Product with Serializable

/** A test of numbers by their [[NumberKeys]]. */
sealed private[sparklance] trait NumberTest extends ValueTest

private[sparklance] object NumberTest {

  /** Whether a key is between `least` and `most`; false for all keys if these are reversed. */
  final case class Within(least: Long, most: Long) extends NumberTest

  /** Whether a key is one of `keys`, which increase. */
  final case class OneOf(keys: ArraySeq[Long]) extends NumberTest {
    @transient private[sparklance] lazy val sorted: Array[Long] = keys.toArray
  }

  /** A test that no number passes. */
  val Never: NumberTest = Within(1, 0)

  def oneOf(keys: Iterable[Long]): NumberTest = {
    val sorted = keys.toArray.distinct
    Arrays.sort(sorted)
    sorted match {
      case Array() => Never
      case Array(key) => Within(key, key)
      case _ => OneOf(ArraySeq.unsafeWrapArray(sorted))
    }
  }
}

/** A test of byte strings (strings, binary), ordered by unsigned bytes. */
sealed private[sparklance] trait BytesTest extends ValueTest

private[sparklance] object BytesTest {
  final case class SameAs(value: ArraySeq[Byte]) extends BytesTest
  final case class Before(value: ArraySeq[Byte]) extends BytesTest
  final case class NotAfter(value: ArraySeq[Byte]) extends BytesTest
  final case class StartsWith(part: ArraySeq[Byte]) extends BytesTest
  final case class EndsWith(part: ArraySeq[Byte]) extends BytesTest
  final case class Contains(part: ArraySeq[Byte]) extends BytesTest

  /** Whether a value is one of `values`, which increase. */
  final case class OneOf(values: Vector[ArraySeq[Byte]]) extends BytesTest {
    @transient private[sparklance] lazy val sorted: Array[Array[Byte]] = values.map(_.toArray).toArray
  }

  def oneOf(values: Iterable[Array[Byte]]): BytesTest = {
    val sorted = values.toArray
    Arrays.sort(sorted, (a: Array[Byte], b: Array[Byte]) => Arrays.compareUnsigned(a, b))
    OneOf(sorted.iterator.map(bytes).toVector.distinct)
  }

  def bytes(value: Array[Byte]): ArraySeq[Byte] = ArraySeq.unsafeWrapArray(value)
}
