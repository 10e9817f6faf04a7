package io.sparklance.dataset.statistics

import java.util.Arrays

import io.sparklance.dataset.predicate.{BytesTest, NumberTest, ValueTest}

/** Tests whether a zone may hold values that pass, or values that fail, by its bounds. */
private[sparklance] object ZoneTest {

  def mayPass(bounds: ZoneFacts, zone: Int, test: ValueTest): Boolean = (bounds, test) match {
    case (numbers: ZoneFacts.Numbers, test: NumberTest) =>
      numbers.nans(zone) > 0 || numberPasses(numbers.least(zone), numbers.most(zone), test)
    case (bytes: ZoneFacts.Bytes, test: BytesTest) => bytesPass(bytes.least(zone), bytes.most(zone), test)
    case _ => true
  }

  def mayFail(bounds: ZoneFacts, zone: Int, test: ValueTest): Boolean = (bounds, test) match {
    case (numbers: ZoneFacts.Numbers, test: NumberTest) =>
      numbers.nans(zone) > 0 || numberFails(numbers.least(zone), numbers.most(zone), test)
    case (bytes: ZoneFacts.Bytes, test: BytesTest) => bytesFail(bytes.least(zone), bytes.most(zone), test)
    case _ => true
  }

  private def numberPasses(least: Long, most: Long, test: NumberTest): Boolean = test match {
    case NumberTest.Within(from, to) => math.max(least, from) <= math.min(most, to)
    case set: NumberTest.OneOf =>
      val at = Arrays.binarySearch(set.sorted, least)
      val next = if (at < 0) -at - 1 else at
      next < set.sorted.length && set.sorted(next) <= most
  }

  private def numberFails(least: Long, most: Long, test: NumberTest): Boolean = test match {
    case NumberTest.Within(from, to) => least < from || most > to
    case set: NumberTest.OneOf => least != most || Arrays.binarySearch(set.sorted, least) < 0
  }

  private def bytesPass(least: Array[Byte], most: ZoneFacts.UpperBound, test: BytesTest): Boolean = {
    def isWithin(value: Array[Byte]): Boolean = compare(least, value) <= 0 && reaches(most, value)
    test match {
      case BytesTest.SameAs(value) => isWithin(value.toArray)
      case BytesTest.Before(value) => compare(least, value.toArray) < 0
      case BytesTest.NotAfter(value) => compare(least, value.toArray) <= 0
      case BytesTest.StartsWith(part) =>
        compare(least.take(part.length), part.toArray) <= 0 && reaches(most, part.toArray)
      case set: BytesTest.OneOf =>
        val next = search(set.sorted, least)
        val from = if (next < 0) -next - 1 else next
        from < set.sorted.length && reaches(most, set.sorted(from))
      case BytesTest.EndsWith(_) | BytesTest.Contains(_) => true
    }
  }

  private def bytesFail(least: Array[Byte], most: ZoneFacts.UpperBound, test: BytesTest): Boolean =
    test match {
      case BytesTest.SameAs(value) => !isAll(least, most, value.toArray)
      case BytesTest.Before(value) => reaches(most, value.toArray)
      case BytesTest.NotAfter(value) => passes(most, value.toArray)
      case BytesTest.StartsWith(part) =>
        !least.startsWith(part) || !upTo(most, _.startsWith(part))
      case set: BytesTest.OneOf => search(set.sorted, least) < 0 || !isAll(least, most, least)
      case BytesTest.EndsWith(_) | BytesTest.Contains(_) => true
    }

  private def isAll(least: Array[Byte], most: ZoneFacts.UpperBound, value: Array[Byte]): Boolean =
    Arrays.equals(least, value) && upTo(most, Arrays.equals(_, value))

  private def upTo(most: ZoneFacts.UpperBound, is: Array[Byte] => Boolean): Boolean = most match {
    case ZoneFacts.Unbounded => false
    case ZoneFacts.AtMost(bytes) => is(bytes)
  }

  private def reaches(most: ZoneFacts.UpperBound, value: Array[Byte]): Boolean =
    most == ZoneFacts.Unbounded || upTo(most, compare(_, value) >= 0)

  private def passes(most: ZoneFacts.UpperBound, value: Array[Byte]): Boolean =
    most == ZoneFacts.Unbounded || upTo(most, compare(_, value) > 0)

  private def search(sorted: Array[Array[Byte]], value: Array[Byte]): Int =
    Arrays.binarySearch(sorted, value, (a: Array[Byte], b: Array[Byte]) => compare(a, b))

  private def compare(a: Array[Byte], b: Array[Byte]): Int = Arrays.compareUnsigned(a, b)
}
