package io.sparklance.table

import java.nio.charset.StandardCharsets.US_ASCII

import com.google.protobuf.ByteString

import io.sparklance.data.{ByteRange, LittleEndian, Slice}
import io.sparklance.io.ReadableFile
import io.sparklance.proto.{table => pb, transaction => txn}
import io.sparklance.{LanceFormatException, ProtoBytes, UnsupportedLanceFeatureException}

/** The bytes of a manifest file, without compression or checksums:
  * {{{
  *   [ u32 length, IndexSection ]    if the table has indices, at Manifest.index_section
  *   [ u32 length, Transaction  ]    unless it is too large, at Manifest.transaction_section
  *   [ u32 length, Manifest     ]    at `position`
  *   i64 position | u16 major = 0 | u16 minor = 2 | "LANC"
  * }}}
  * Readers ignore the two version numbers. Offset 0 is a real one.
  */
private[sparklance] object ManifestCodec {
  final private val FooterSize = 16

  /** First read, as in pylance; most manifests are smaller. */
  final private[table] val TailSize = 64 << 10

  /** Larger transactions are stored only in a file of their own, as in pylance. */
  final private val MaxInlineTransaction = 20 << 20

  private val magic = "LANC".getBytes(US_ASCII)

  /** Reads the manifest message, without the sections before it and without row counts that cannot be
    * trusted.
    */
  def read(file: ReadableFile): Manifest = {
    val bytes = message(file).toArray
    val read = ProtoBytes.parse(pb.Manifest, bytes, "the manifest")
    checked(Manifest(HistoricFaults.withoutWrongCounts(read)))
  }

  /** Reads what made the version. */
  def origin(file: ReadableFile): Origin = {
    val fields = OriginFields.parse(message(file).toArray)
    Origin(fields.version, fields.transactionSection.map(transaction(file, _)), fields.transactionFile)
  }

  /** Tells the version from those of other tables, mostly without decoding fragments. */
  def identity(file: ReadableFile): (Long, VersionIdentity) = {
    val bytes = message(file).toArray
    val fields = OriginFields.parse(bytes)
    def whole = VersionIdentity.of(Manifest(ProtoBytes.parse(pb.Manifest, bytes, "the manifest")))
    (fields.version, fields.identity.getOrElse(whole))
  }

  private def message(file: ReadableFile): Slice = {
    if (file.size < FooterSize + 4) throw new LanceFormatException(s"${file.size} bytes are not a " +
      "manifest file")
    val tailStart = math.max(0, file.size - TailSize)
    val tail = fetch(file, tailStart, file.size)
    val position = footer(tail)
    if (position < 0 || position > file.size - FooterSize - 4)
      throw new LanceFormatException(s"the footer points at $position of ${file.size} bytes")
    val body =
      if (position >= tailStart)
        tail.slice(position - tailStart, file.size - FooterSize - position, "manifest")
      else fetch(file, position, file.size - FooterSize)
    body.slice(4, body.unsignedInt(0), "manifest")
  }

  def indexSection(file: ReadableFile, manifest: Manifest): Option[ByteString] =
    manifest.message.indexSection.map { at =>
      val bytes = section(file, at, "index section")
      val _ = ProtoBytes.parse(pb.IndexSection, bytes, "the index section")
      ByteString.copyFrom(bytes)
    }

  def transaction(file: ReadableFile, manifest: Manifest): Option[txn.Transaction] =
    manifest.message.transactionSection.orElse(manifest.message.transactionSectionDeprecated).map(transaction(
      file,
      _
    ))

  private def transaction(file: ReadableFile, at: Long): txn.Transaction =
    ProtoBytes.parse(txn.Transaction, section(file, at, "transaction section"), "the transaction section")

  /** Encodes a new manifest file, and sets the offsets of the sections in the message. */
  def encode(
      manifest: Manifest,
      indexSection: Option[ByteString],
      transaction: txn.Transaction
  ): Array[Byte] = {
    val index = indexSection.map(_.toByteArray)
    val inline = Option.when(keepsInline(transaction))(transaction.toByteArray)
    val transactionAt = index.fold(0)(4 + _.length)
    val manifestAt = transactionAt + inline.fold(0)(4 + _.length)
    val message = manifest.message
      .copy(
        indexSection = index.map(_ => 0L),
        transactionSection = inline.map(_ => transactionAt.toLong),
        transactionSectionDeprecated = None
      )
      .toByteArray
    Array.concat((index.toSeq ++ inline :+ message).flatMap(part => Seq(length(part), part)) :+
      footer(manifestAt): _*)
  }

  /** Whether the manifest holds the transaction, besides the transaction's own file. */
  def keepsInline(transaction: txn.Transaction): Boolean = transaction.serializedSize <= MaxInlineTransaction

  /** Refuses content that would be misread and that feature flags should have announced. */
  private def checked(manifest: Manifest): Manifest = {
    if (manifest.message.fragmentTree.isDefined)
      throw new UnsupportedLanceFeatureException("a manifest with a fragment tree")
    if (manifest.message.fragments.exists(_.overlays.nonEmpty))
      throw new UnsupportedLanceFeatureException("a fragment with data overlay files")
    manifest
  }

  private def section(file: ReadableFile, at: Long, what: String): Array[Byte] = {
    if (at < 0 || at > file.size - 4)
      throw new LanceFormatException(s"the manifest points to a $what at $at of ${file.size} bytes")
    val length = fetch(file, at, at + 4).unsignedInt(0)
    if (length > file.size - at - 4)
      throw new LanceFormatException(s"the $what at $at claims $length of ${file.size} bytes")
    fetch(file, at + 4, at + 4 + length).array
  }

  /** Returns the manifest's position. */
  private def footer(tail: Slice): Long = {
    val start = tail.length - FooterSize
    if (!java.util.Arrays.equals(tail.slice(start + 12L, 4, "footer").toArray, magic))
      throw new LanceFormatException("the file does not end with LANC: it is not a manifest, or is " +
        "truncated")
    tail.long(start)
  }

  private def footer(manifestAt: Int): Array[Byte] = {
    val bytes = new Array[Byte](FooterSize)
    LittleEndian.putLong(bytes, 0, manifestAt.toLong)
    LittleEndian.putShort(bytes, 8, 0)
    LittleEndian.putShort(bytes, 10, 2)
    System.arraycopy(magic, 0, bytes, 12, magic.length)
    bytes
  }

  private def length(part: Array[Byte]): Array[Byte] = {
    val bytes = new Array[Byte](4)
    LittleEndian.putInt(bytes, 0, part.length)
    bytes
  }

  /** Reads the bytes `[from, until)`, which the caller has checked to be inside the file. */
  private def fetch(file: ReadableFile, from: Long, until: Long): Slice = {
    val size = until - from
    if (size > Int.MaxValue - 8) throw new LanceFormatException(s"$size bytes of a manifest exceed 2 GiB")
    val bytes = new Array[Byte](size.toInt)
    file.read(ByteRange(from, size), bytes, 0)
    Slice(bytes)
  }
}
