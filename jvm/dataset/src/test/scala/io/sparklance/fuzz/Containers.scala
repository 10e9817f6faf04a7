package io.sparklance.fuzz

import io.sparklance.fuzz.WireValue._
import io.sparklance.proto.{table => pb}

/** Takes a file's messages out, and puts others in their place so that the reader finds them. */
trait Container {

  /** Type of the message at each index. */
  def names: Vector[String]
  def message(index: Int): Array[Byte]
  def replaced(index: Int, message: Array[Byte]): Array[Byte]

  /** Positions and sizes of the page buffers of a data file. */
  def buffers: Vector[(Int, Int)] = Vector.empty

  /** Positions of the statistics. */
  def statistics: Vector[(Int, Int)] = Vector.empty
}

object Container {
  def of(path: String, file: Array[Byte]): Option[Container] =
    if (path.endsWith(".lance"))
      Some(if (LegacyFileParts.isOne(file)) new LegacyFileParts(file) else new DataFileParts(file))
    else if (path.endsWith(".manifest")) Some(new ManifestParts(file))
    else if (path.endsWith(".txn")) Some(new SoleMessage(file))
    else None
}

/** A data file, in the form of FileReader. Message 0 is the schema, later ones are the columns' metadata. */
final class DataFileParts(file: Array[Byte]) extends Container {
  private val footer = file.length - 40
  private val columnStart = long(footer)
  private val columns = Numbers.read(file, footer + 28, 4).toInt
  private val globals = Numbers.read(file, footer + 24, 4).toInt
  private val schema = entry(long(footer + 16))
  private val metadata = Vector.tabulate(columns)(i => entry(long(footer + 8) + 16 * i))

  def names: Vector[String] = "schema" +: Vector.tabulate(columns)(i => s"column $i")

  def message(index: Int): Array[Byte] = if (index == 0) part(schema) else part(metadata(index - 1))

  def replaced(index: Int, message: Array[Byte]): Array[Byte] = {
    val data = file.take(columnStart)
    val parts = metadata.indices.map(i => if (i + 1 == index) message else part(metadata(i)))
    val newSchema = if (index == 0) message else Array.emptyByteArray
    val start = data.length + newSchema.length
    val starts = parts.scanLeft(start)(_ + _.length)
    val columnTable = starts.zip(parts).map { case (at, part) => words(at, part.length) }
    val firstGlobal = if (index == 0) words(data.length, message.length) else words(schema._1, schema._2)
    val otherGlobals = file.slice(long(footer + 16) + 16, long(footer + 16) + 16 * globals)
    val table = starts.last
    val newFooter =
      words(start, table) ++ word(table + 16 * columns) ++ file.slice(footer + 24, file.length)
    Array.concat(
      Seq(data, newSchema) ++ parts ++ columnTable ++ Seq(firstGlobal, otherGlobals, newFooter): _*
    )
  }

  override lazy val buffers: Vector[(Int, Int)] = for {
    column <- metadata
    page <- Wire.parse(part(column)).getOrElse(Vector.empty).filter(_.number == 2)
    range <- ranges(fields(page), 1, 2)
  } yield range

  override lazy val statistics: Vector[(Int, Int)] =
    metadata.flatMap(column => ranges(Wire.parse(part(column)).getOrElse(Vector.empty), 3, 4))

  private def fields(page: WireField): Vector[WireField] = page.value match {
    case Bytes(bytes) => Wire.parse(bytes).getOrElse(Vector.empty)
    case Varint(_) | Fixed(_) => Vector.empty
  }

  private def ranges(fields: Vector[WireField], positions: Int, sizes: Int): Vector[(Int, Int)] =
    numbers(fields, positions).zip(numbers(fields, sizes)).collect {
      case (at, size) if size > 0 => (at.toInt, size.toInt)
    }

  private def numbers(fields: Vector[WireField], number: Int): Vector[Long] =
    fields.filter(_.number == number).map(_.value).flatMap {
      case Bytes(packed) => Wire.varints(packed).getOrElse(Vector.empty)
      case Varint(single) => Vector(single)
      case Fixed(_) => Vector.empty
    }

  private def long(at: Int): Int = Numbers.read(file, at, 8).toInt
  private def entry(at: Int): (Int, Int) = (long(at), long(at + 8))
  private def part(range: (Int, Int)): Array[Byte] = file.slice(range._1, range._1 + range._2)
  private def word(value: Int): Array[Byte] = Numbers.written(new Array[Byte](8), 0, 8, value.toLong)
  private def words(first: Int, second: Int): Array[Byte] = word(first) ++ word(second)
}

/** A manifest file, in the form of ManifestCodec. Message 0 is the manifest, those behind are the sections
  * before it.
  */
final class ManifestParts(file: Array[Byte]) extends Container {
  private val end = file.length - 16
  private val at = Numbers.read(file, end, 8).toInt
  private val manifest = pb.Manifest.parseFrom(file.slice(at + 4, end))
  private val sections = Vector(
    manifest.indexSection.map(at => (at.toInt, (where: Long) => manifest.copy(indexSection = Some(where)))),
    manifest.transactionSection.map(at =>
      (at.toInt, (where: Long) => manifest.copy(transactionSection = Some(where)))
    )
  ).flatten

  def names: Vector[String] = "manifest" +: sections.map(s => s"section at ${s._1}")

  def message(index: Int): Array[Byte] = {
    val start = if (index == 0) at else sections(index - 1)._1
    file.slice(start + 4, start + 4 + Numbers.read(file, start, 4).toInt)
  }

  /** A new section stands behind the old ones. */
  def replaced(index: Int, message: Array[Byte]): Array[Byte] =
    if (index == 0) file.take(at) ++ sized(message) ++ file.drop(end)
    else {
      val before = file.take(at) ++ sized(message)
      val pointing = sections(index - 1)._2(at.toLong).toByteArray
      before ++ sized(pointing) ++ Numbers.written(file.drop(end), 0, 8, before.length.toLong)
    }

  private def sized(message: Array[Byte]): Array[Byte] =
    Numbers.written(new Array[Byte](4), 0, 4, message.length.toLong) ++ message
}

final class SoleMessage(file: Array[Byte]) extends Container {
  def names: Vector[String] = Vector("message")
  def message(index: Int): Array[Byte] = file
  def replaced(index: Int, message: Array[Byte]): Array[Byte] = message
}
