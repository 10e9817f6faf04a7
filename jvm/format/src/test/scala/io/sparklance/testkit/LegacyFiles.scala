package io.sparklance.testkit

import java.io.ByteArrayOutputStream
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.{ByteBuffer, ByteOrder}

import io.sparklance.proto.file.{Dictionary, Metadata, Schema}
import io.sparklance.schema.{Field, LanceSchema, SchemaCodec}

/** Puts together files of version 0.1, which we do not write, page by page. */
object LegacyFiles {

  /** @param length
    *   what the page table says
    * @param bytes
    *   of the page, given where it starts
    * @param at
    *   where in these the page's position points
    */
  final case class Page(length: Long, bytes: Long => Array[Byte], at: Int = 0)

  def ints(values: Int*): Page = Page(values.size.toLong, _ => words(4, values.map(_.toLong)))
  def bytes(values: Int*): Page = Page(values.size.toLong, _ => values.map(_.toByte).toArray)
  def longs(values: Long*): Page = Page(values.size.toLong, _ => words(8, values))
  val none: Page = Page(0, _ => Array.emptyByteArray)

  def strings(values: String*): Page = {
    val content = values.map(_.getBytes(UTF_8))
    val ends = content.scanLeft(0L)(_ + _.length)
    Page(
      values.size.toLong,
      start => content.flatten.toArray ++ words(8, ends.map(start + _)),
      ends.last.toInt
    )
  }

  /** @param pages
    *   of each field by its id, a page for each batch
    * @param batches
    *   how many rows each has
    * @param dictionaries
    *   the values of fields by their ids
    * @param change
    *   to the metadata
    */
  def file(
      fields: Vector[Field],
      batches: Vector[Int],
      pages: Map[Int, Vector[Page]],
      dictionaries: Map[Int, Page] = Map.empty,
      change: Metadata => Metadata = identity
  ): Array[Byte] = {
    val out = new ByteArrayOutputStream
    def put(page: Page): (Long, Long) = {
      val start = out.size.toLong
      out.writeBytes(page.bytes(start))
      (start + page.at, page.length)
    }
    val ids = LanceSchema(fields).preOrder.map(_.id)
    val places = pages.view.mapValues(_.map(put)).toMap
    val table = out.size.toLong
    for (id <- ids.min to ids.max; batch <- batches.indices) {
      val (position, length) = places.get(id).fold((0L, 0L))(_(batch))
      out.writeBytes(words(8, Seq(position, length)))
    }
    val values = dictionaries.view.mapValues(put).mapValues { case (at, n) => Dictionary(at, n) }.toMap
    val schema = out.size.toLong
    val messages =
      SchemaCodec.encodeFields(LanceSchema(fields)).map(f => f.copy(dictionary = values.get(f.id)))
    out.writeBytes(record(Schema(messages).toByteArray))
    val position = out.size.toLong
    val metadata = Metadata(schema, batches.scanLeft(0)(_ + _), table)
    out.writeBytes(record(change(metadata).toByteArray))
    out.writeBytes(words(8, Seq(position)) ++ words(2, Seq(0L, 2L)) ++ "LANC".getBytes(UTF_8))
    out.toByteArray
  }

  private def record(message: Array[Byte]): Array[Byte] = words(4, Seq(message.length.toLong)) ++ message

  private def words(size: Int, values: Seq[Long]): Array[Byte] =
    values.flatMap(v =>
      ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putLong(v).array.take(size)
    ).toArray
}
