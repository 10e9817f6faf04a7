package io.sparklance.fuzz

import java.util.zip.CRC32C

import scala.util.Random

/** A specimen's files after something happened to them.
  *
  * @param kind
  *   of what happened last, and to which kind of file
  */
final case class Damaged(files: Map[String, Array[Byte]], kind: String, what: String)

/** Ways to damage a table. All choices come from `random`. */
final class Damage(specimens: Vector[Specimen], random: Random) {

  def apply(specimen: Specimen): Damaged = {
    val times = if (random.nextInt(4) == 0) 2 + random.nextInt(2) else 1
    (0 until times).foldLeft(Damaged(specimen.files, "none", ""))((damaged, _) => once(specimen, damaged))
  }

  private def once(specimen: Specimen, before: Damaged): Damaged = {
    // Most files of a table are data files, and most of its decisions fall elsewhere.
    val folders = specimen.paths.filterNot(_.endsWith(".json")).groupBy(folder).toVector.sortBy(_._1)
    val path = pick(pick(folders)._2)
    val (files, kind, what) = before.files.get(path) match {
      case Some(bytes) if random.nextInt(100) > 0 =>
        val (after, kind, what) = change(path, bytes, specimen.files(path))
        (before.files.updated(path, after), kind, what)
      case _ => (before.files - path, "removal", "")
    }
    val description = s"$path, $kind: $what"
    Damaged(
      files,
      s"${folder(path)} $kind",
      if (before.what.isEmpty) description else s"${before.what}; $description"
    )
  }

  /** Half of the time a message in the file, as damage to bytes seldom reaches what is behind the checks. */
  private def change(path: String, bytes: Array[Byte], sound: Array[Byte]): Change =
    if (random.nextBoolean() && bytes.sameElements(sound))
      if (random.nextInt(4) == 0) inStatistics(path, sound) else inMessage(path, sound)
    else inBytes(path, bytes, sound)

  private def folder(path: String): String = path.split('/').takeRight(2).head

  private type Change = (Array[Byte], String, String)

  private def inMessage(path: String, bytes: Array[Byte]): Change =
    Container.of(path, bytes).fold(inBytes(path, bytes, bytes)) { container =>
      val index = random.nextInt(container.names.size)
      val (message, what) = new WireDamage(random)(container.message(index))
      (container.replaced(index, message), "message", s"${container.names(index)}$what")
    }

  /** With a checksum that is right. */
  private def inStatistics(path: String, bytes: Array[Byte]): Change = {
    val statistics = Container.of(path, bytes).toVector.flatMap(_.statistics)
    if (statistics.isEmpty) inMessage(path, bytes)
    else {
      val (start, size) = pick(statistics)
      val old = bytes.slice(start, start + size)
      val at = 8 + random.nextInt(size - 8)
      val (now, kind, what) = if (random.nextBoolean()) word(old, at) else flip(old, at)
      val crc = new CRC32C
      crc.update(now, 8, size - 8)
      val signed = Numbers.written(now, 4, 4, crc.getValue)
      (bytes.patch(start, signed, size), "statistics", s"$kind at $start: $what")
    }
  }

  private def inBytes(path: String, bytes: Array[Byte], sound: Array[Byte]): Change =
    if (bytes.isEmpty) (Numbers.bytes(random, 50), "splice", "50 bytes instead of none")
    else
      random.nextInt(10) match {
        case 0 => cut(bytes)
        case 1 => zero(bytes, place(path, bytes, sound))
        case 2 | 3 => splice(bytes, place(path, bytes, sound))
        case 4 | 5 | 6 => word(bytes, place(path, bytes, sound))
        case _ => flip(bytes, place(path, bytes, sound))
      }

  /** Anywhere, near the end, or in a page's buffer, preferably in its head. */
  private def place(path: String, bytes: Array[Byte], sound: Array[Byte]): Int = {
    val buffers = Container.of(path, sound).toVector.flatMap(_.buffers)
    val at = random.nextInt(4) match {
      case 0 => random.nextInt(bytes.length)
      case 1 => bytes.length - 1 - random.nextInt(math.min(bytes.length, 400))
      case _ if buffers.isEmpty => random.nextInt(bytes.length)
      case _ =>
        val (start, size) = pick(buffers)
        start + random.nextInt(if (random.nextBoolean()) size else math.min(size, 24))
    }
    math.min(at, bytes.length - 1)
  }

  private def cut(bytes: Array[Byte]): Change = {
    val from = random.nextInt(bytes.length)
    if (random.nextBoolean()) (bytes.take(from), "cut", s"its first $from of ${bytes.length} bytes")
    else {
      val length = 1 + random.nextInt(100)
      (bytes.patch(from, Nil, length), "cut", s"without $length bytes at $from")
    }
  }

  private def zero(bytes: Array[Byte], at: Int): Change = {
    val length = math.min(1 << random.nextInt(10), bytes.length - at)
    (bytes.patch(at, new Array[Byte](length), length), "zero", s"$length bytes at $at")
  }

  private def flip(bytes: Array[Byte], at: Int): Change = {
    val mask = if (random.nextBoolean()) 1 << random.nextInt(8) else 1 + random.nextInt(255)
    (bytes.updated(at, (bytes(at) ^ mask).toByte), "flip", s"0x${mask.toHexString} at $at")
  }

  /** A number of 2, 4 or 8 bytes made another. */
  private def word(bytes: Array[Byte], near: Int): Change = {
    val size = 2 << random.nextInt(3)
    if (bytes.length < size) flip(bytes, near)
    else {
      val at = math.min(near, bytes.length - size)
      val old = Numbers.read(bytes, at, size)
      val now = Numbers.other(old, random)
      (Numbers.written(bytes, at, size, now), "word", s"$size bytes at $at, $old made $now")
    }
  }

  /** Bytes from elsewhere, over what is there or in between. */
  private def splice(bytes: Array[Byte], at: Int): Change = {
    val other = pick(specimens)
    val path = pick(other.paths)
    val source = other.files(path)
    val from = random.nextInt(source.length)
    val part = source.slice(from, from + 1 + random.nextInt(300))
    val replaced = if (random.nextBoolean()) math.min(part.length, bytes.length - at) else random.nextInt(3)
    (
      bytes.patch(at, part, replaced),
      "splice",
      s"${part.length} bytes of ${other.name} $path at $from instead of $replaced at $at"
    )
  }

  private def pick[A](options: Vector[A]): A = options(random.nextInt(options.size))
}
