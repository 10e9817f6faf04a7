package io.sparklance.dataset.blob

import java.io.BufferedOutputStream

import io.sparklance.io.{ObjectStore, StorePath, WritableFile}
import io.sparklance.table.DataFileName

/** Writes the files of version 2 blobs beside a data file. [[BlobPlaces]] describes them.
  *
  * @param dataFile
  *   the data file's name in the table's data directory
  */
final private[dataset] class BlobSideFiles(store: ObjectStore, root: String, dataFile: String) {
  private var lastId = 0
  private var finished = Vector.empty[String]
  private var pack = Option.empty[BlobSideFiles.Pack]
  private var written = 0L

  /** Bytes so far. */
  def bytesWritten: Long = written

  /** Stores a blob in a file of its own. Returns the file's number. */
  def dedicated(bytes: Array[Byte]): Int = {
    val path = nextPath()
    val file = store.create(path)
    try {
      file.stream.write(bytes)
      file.commit()
    } catch {
      case e: Throwable =>
        file.abort()
        throw e
    }
    finished :+= path
    written += bytes.length
    lastId
  }

  /** Stores a blob in a shared file. Returns the file's number and the blob's position.
    *
    * @param most
    *   largest size of a file with several blobs
    */
  def packed(bytes: Array[Byte], most: Long): (Int, Long) = {
    if (pack.exists(open => open.most != most || open.size + bytes.length > most)) finishPack()
    val open = pack.getOrElse {
      val path = nextPath()
      new BlobSideFiles.Pack(lastId, path, most, store.create(path))
    }
    pack = Some(open)
    written += bytes.length
    (open.id, open.append(bytes))
  }

  /** Completes all files. */
  def finish(): Unit = finishPack()

  /** Removes all files. */
  def abort(): Unit = {
    pack.foreach(_.abort())
    pack = None
    finished.foreach(store.delete)
    if (lastId > 0) store.delete(directory)
    finished = Vector.empty
  }

  private def finishPack(): Unit = pack.foreach { open =>
    open.finish()
    finished :+= open.path
    pack = None
  }

  private def nextPath(): String = {
    lastId += 1
    StorePath.join(directory, BlobPlaces.fileName(lastId))
  }

  private def directory: String = StorePath.join(root, "data", DataFileName.stem(dataFile))
}

private[dataset] object BlobSideFiles {

  /** An unfinished file of blobs stored back to back. */
  final class Pack(val id: Int, val path: String, val most: Long, file: WritableFile) {
    private val out = new BufferedOutputStream(file.stream, 64 << 10)
    private var end = 0L

    def size: Long = end

    def append(bytes: Array[Byte]): Long = {
      val position = end
      out.write(bytes)
      end += bytes.length
      position
    }

    def finish(): Unit = {
      out.flush()
      file.commit()
    }

    def abort(): Unit = file.abort()
  }
}
