package io.sparklance.spark.session

import java.io.{ObjectInputStream, ObjectOutputStream}

import org.apache.hadoop.conf.Configuration

/** Hadoop's configuration, serializable for executors. */
final private[spark] class SerializableConf(@transient private var conf: Configuration) extends Serializable {
  def value: Configuration = conf

  private def writeObject(out: ObjectOutputStream): Unit = {
    out.defaultWriteObject()
    conf.write(out)
  }

  private def readObject(in: ObjectInputStream): Unit = {
    in.defaultReadObject()
    conf = new Configuration(false)
    conf.readFields(in)
  }
}

private[spark] object SerializableConf {
  def empty: SerializableConf = new SerializableConf(new Configuration(false))
}
