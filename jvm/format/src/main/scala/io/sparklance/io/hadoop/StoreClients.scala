package io.sparklance.io.hadoop

import java.util.WeakHashMap

import org.apache.hadoop.fs.{EtagSource, FileStatus, FileSystem}

/** Tells clients of stores apart, and files of the same name. */
private[hadoop] object StoreClients {

  /** Age from which on a file's time tells it from one that replaces it: some stores count seconds. */
  final private val SettledMillis = 5000L

  private val numbers = new WeakHashMap[FileSystem, Long]
  private var last = 0L

  /** Returns the number of a client, which has its own settings and credentials. */
  def number(fs: FileSystem): Long = synchronized {
    numbers.computeIfAbsent(fs, _ => { last += 1; last })
  }

  /** Returns what tells a file from others of its name, if anything does. */
  def tag(file: FileStatus): Option[String] = {
    val etag = file match {
      case source: EtagSource => Option(source.getEtag).filter(_.nonEmpty)
      case _ => None
    }
    etag.orElse {
      val time = file.getModificationTime
      Option.when(time > 0 && time < System.currentTimeMillis() - SettledMillis)(s"$time ${file.getLen}")
    }
  }
}
