package io.sparklance.index.build

import io.sparklance.data.FileVersion
import io.sparklance.io.ObjectStore
import io.sparklance.schema.{Field, LanceSchema, LogicalType}

/** Writes the file of an n-gram index:
  * {{{
  * ngram_postings.lance
  *   tokens        u32      ascending; 0 stands for null texts
  *   posting_list  binary   rows with the token, see Postings.encodeWide
  * }}}
  */
final private[sparklance] class NGramWriter(store: ObjectStore, directory: String, version: FileVersion)
    extends UnfinishedFile {
  private val writer = {
    val tokens = Field(0, "tokens", LogicalType.Integer(32, signed = false), nullable = true)
    val lists = Field(1, "posting_list", LogicalType.Binary(large = false), nullable = false)
    new IndexFileWriter(
      store,
      directory,
      "ngram_postings.lance",
      LanceSchema(Vector(tokens, lists)),
      version
    )
  }

  def append(token: Int, rows: Postings): Unit = {
    writer.appendNumber(0, token.toLong)
    writer.appendBytes(1, rows.encodeWide)
    writer.rowWritten()
  }

  def finish(): WrittenIndexFile = writer.finish()

  /** Removes the file. */
  def abort(): Unit = writer.abort()
}
