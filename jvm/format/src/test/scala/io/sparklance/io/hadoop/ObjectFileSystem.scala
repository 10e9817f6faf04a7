package io.sparklance.io.hadoop

import java.io.{ByteArrayOutputStream, IOException}

import scala.jdk.CollectionConverters._

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.impl.AbstractFSBuilderImpl
import org.apache.hadoop.fs.{
  Abortable,
  CreateFlag,
  FSDataOutputStream,
  FSDataOutputStreamBuilder,
  FilterFileSystem,
  Path,
  PathIOException,
  RawLocalFileSystem,
  StreamCapabilities
}

/** The local disk as an object store: a file is there when its stream is closed, as a whole, and a stream may
  * be given up. It knows conditional creation by S3A's option (`conditional`), and by `create` without
  * overwriting, as GCS does.
  */
class ObjectFileSystem(conditional: Boolean = true) extends FilterFileSystem(new RawLocalFileSystem) {
  initialize(java.net.URI.create("file:///"), new Configuration(false))

  /** The options with which files were created that must not be there. */
  var demanded: Set[String] = Set.empty

  /** Hook that runs when an object is put. */
  def put(effect: => Unit): Unit = effect

  override def hasPathCapability(path: Path, capability: String): Boolean =
    conditional && capability == "fs.option.create.conditional.overwrite"

  override def create(path: Path, overwrite: Boolean): FSDataOutputStream =
    new FSDataOutputStream(new ObjectStream(path, ifNone = !overwrite), null)

  override def createFile(path: Path): FSDataOutputStreamBuilder[_ <: FSDataOutputStream, _] =
    new Builder(path)

  override def rename(from: Path, to: Path): Boolean = throw new IOException("objects are not renamed")

  final private class Builder(path: Path)
      extends FSDataOutputStreamBuilder[FSDataOutputStream, Builder](this, path) {
    override def getThisBuilder: Builder = this
    override def build(): FSDataOutputStream = {
      val known = java.util.Set.of("fs.option.create.conditional.overwrite")
      AbstractFSBuilderImpl.rejectUnknownMandatoryKeys(getMandatoryKeys, known, "")
      val ifNone = getOptions.getBoolean("fs.option.create.conditional.overwrite", false)
      if (ifNone) demanded = getMandatoryKeys.asScala.toSet
      if (!getFlags.contains(CreateFlag.OVERWRITE) && !ifNone) throw new IOException("looked before it wrote")
      new FSDataOutputStream(new ObjectStream(path, ifNone), null)
    }
  }

  final private class ObjectStream(path: Path, ifNone: Boolean)
      extends ByteArrayOutputStream
      with StreamCapabilities
      with Abortable {
    private var isOpen = true

    override def hasCapability(name: String): Boolean = name == "fs.capability.outputstream.abortable"

    override def abort(): Abortable.AbortableResult = {
      isOpen = false
      new Abortable.AbortableResult {
        def alreadyClosed(): Boolean = false
        def anyCleanupException(): IOException = null
      }
    }

    override def close(): Unit = if (isOpen) {
      isOpen = false
      put {
        if (ifNone && fs.exists(path)) throw new PathIOException(path.toString, "412 Precondition Failed")
        val out = fs.create(path, true)
        out.write(toByteArray)
        out.close()
      }
    }
  }
}
