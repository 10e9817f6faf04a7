package io.sparklance.spark.write

import java.io.{ByteArrayInputStream, ObjectInputStream, ObjectStreamClass}

import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.expressions.{Expressions, NamedReference}
import org.apache.spark.sql.connector.write._
import org.apache.spark.sql.types.{LongType, StructType}
import org.apache.spark.sql.util.CaseInsensitiveStringMap
import org.scalatest.Assertion

import io.sparklance.dataset.Dataset
import io.sparklance.dataset.write.WrittenFile
import io.sparklance.io.LocalStore
import io.sparklance.spark.SparkSuite
import io.sparklance.spark.options.StoreOptions
import io.sparklance.spark.table.WritableLanceTable

/** Commits must have the messages of all tasks, with all rows that the tasks received. */
final class TaskReportsSuite extends SparkSuite {
  private val schema = new StructType().add("id", LongType)

  private def table(): String = {
    val path = freshPath()
    spark.range(0, 5, 1, 1).toDF("id").write.format("lance").save(path)
    path
  }

  private def opened(path: String): WritableLanceTable = {
    val location = StoreOptions.locate(path)
    new WritableLanceTable("t", location, Dataset.open(LocalStore, location.root))
  }

  private def planned(path: String): Write = opened(path).newWriteBuilder(new LogicalWriteInfo {
    override def options(): CaseInsensitiveStringMap = CaseInsensitiveStringMap.empty
    override def queryId(): String = "q"
    override def schema(): StructType = TaskReportsSuite.this.schema
  }).build()

  private def job(tasks: Int): PhysicalWriteInfo = new PhysicalWriteInfo {
    override def numPartitions(): Int = tasks
  }

  private def filled(writer: DataWriter[InternalRow], ids: Range): WriterCommitMessage = {
    ids.foreach(i => writer.write(InternalRow(i.toLong)))
    writer.commit()
  }

  /** An object like `message`, of classes that another loader has defined. */
  private def foreign(message: AnyRef): WriterCommitMessage = {
    val loader = new TaskReportsSuite.OwnCopy
    val in = new ObjectInputStream(new ByteArrayInputStream(TaskBytes.of(message))) {
      override def resolveClass(described: ObjectStreamClass): Class[_] =
        Class.forName(described.getName, false, loader)
    }
    in.readObject().asInstanceOf[WriterCommitMessage]
  }

  /** A file of three rows. */
  private def written: WrittenFile = {
    val write = planned(table()).toBatch
    val message = filled(write.createBatchWriterFactory(job(1)).createWriter(0, 1), 0 until 3)
    write.abort(Array(message))
    message.asInstanceOf[LanceCommitMessage].files.head
  }

  private def unchanged(path: String): Assertion = {
    assert(Dataset.open(LocalStore, path).version == 1)
    assert(rows(load(path)) == (0L until 5L).map(Row(_)).toSet)
  }

  /** Commits two tasks of three rows each, with their messages changed. */
  private def committed(path: String)(change: Array[WriterCommitMessage] => Array[WriterCommitMessage]) = {
    val write = planned(path).toBatch
    val factory = write.createBatchWriterFactory(job(2))
    val messages =
      Array(filled(factory.createWriter(0, 1), 10 until 13), filled(factory.createWriter(1, 2), 20 until 23))
    try write.commit(change(messages))
    catch {
      case e: Throwable =>
        write.abort(messages)
        throw e
    }
  }

  test("all messages make a version") {
    val path = table()
    committed(path)(identity)
    assert(load(path).count() == 11)
  }

  test("a message of a class of the same name, which another loader has, is refused") {
    val path = table()
    val why = refusal(committed(path)(messages => Array(messages(0), foreign(messages(1)))))
    assert(why.contains("LanceCommitMessage, loaded by a loader of its own") && why.contains("--jars"))
    unchanged(path)
    eventually(assert(dataFiles(path).size == 1))
  }

  test("a missing message, and one of another writer, are refused") {
    val path = table()
    assert(refusal(committed(path)(messages => Array(messages(0), null))).contains("no commit message"))
    val other = new WriterCommitMessage { override def toString: String = "mine" }
    assert(refusal(committed(path)(messages => Array(messages(0), other))).contains("commit message of"))
    assert(
      refusal(committed(path)(messages => messages.take(1))).contains("2 tasks returned 1 commit messages")
    )
    unchanged(path)
  }

  test("messages that carry fewer or more rows than the tasks received are refused") {
    val path = table()
    val fewer =
      refusal(committed(path)(m => Array(m(0), LanceCommitMessage(Vector.empty, isRepeated = false))))
    assert(fewer.contains("received 6 rows, but their commit messages carry 3"))
    val more = LanceCommitMessage(Vector.fill(2)(written), isRepeated = false)
    assert(refusal(
      committed(path)(m => Array(m(0), more))
    ).contains("received 6 rows, but their commit messages carry 9"))
    unchanged(path)
  }

  test("messages of a stream's epoch are checked likewise") {
    val path = table()
    val write = planned(path).toStreaming
    def epoch(number: Long)(change: WriterCommitMessage => WriterCommitMessage): Unit = {
      val factory = write.createStreamingWriterFactory(job(1))
      val message = filled(factory.createWriter(0, 1, number), 10 until 13)
      write.commit(number, Array(change(message)))
    }
    assert(refusal(epoch(0)(foreign)).contains("loaded by a loader of its own"))
    unchanged(path)
    epoch(1)(identity)
    assert(load(path).count() == 8)
  }

  test("messages of a row-level operation are checked likewise") {
    val path = table()
    val info = new RowLevelOperationInfo {
      override def command(): RowLevelOperation.Command = RowLevelOperation.Command.DELETE
      override def options(): CaseInsensitiveStringMap = CaseInsensitiveStringMap.empty
    }
    val operation = opened(path).newRowLevelOperationBuilder(info).build()
    assert(operation.asInstanceOf[SupportsDelta].rowId().toSeq ==
      Seq[NamedReference](Expressions.column("_rowaddr")))
    def deleted(change: WriterCommitMessage => WriterCommitMessage): Unit = {
      val logical = new LogicalWriteInfo {
        override def options(): CaseInsensitiveStringMap = CaseInsensitiveStringMap.empty
        override def queryId(): String = "q"
        override def schema(): StructType = TaskReportsSuite.this.schema
        override def rowIdSchema() = java.util.Optional.of(new StructType().add("_rowaddr", LongType))
      }
      val write = operation.newWriteBuilder(logical).asInstanceOf[DeltaWriteBuilder].build().toBatch
      val writer = write.createBatchWriterFactory(job(1)).createWriter(0, 1)
      writer.delete(null, InternalRow(3L))
      write.commit(Array(change(writer.commit())))
    }
    assert(refusal(deleted(foreign)).contains("DeltaMessage, loaded by a loader of its own"))
    assert(refusal(deleted(_ => null)).contains("no commit message"))
    unchanged(path)
    deleted(identity)
    assert(rows(load(path)) == Set(0L, 1L, 2L, 4L).map(Row(_)))
  }

  test("results of a job are decoded with our classes, and other results are refused") {
    val message = LanceCommitMessage(Vector.empty, isRepeated = true)
    assert(TaskBytes.read[LanceCommitMessage](TaskBytes.of(foreign(message))) == message)
    assert(refusal(TaskBytes.read[LanceCommitMessage](TaskBytes.of("text"))).contains("java.lang.String"))
  }
}

private object TaskReportsSuite {

  /** Defines our classes itself, as the loader of a jar does that a session was given. */
  final private class OwnCopy extends ClassLoader(getClass.getClassLoader) {
    override def loadClass(name: String, resolve: Boolean): Class[_] =
      if (!name.startsWith("io.sparklance.")) super.loadClass(name, resolve)
      else Option(findLoadedClass(name)).getOrElse {
        val in = getParent.getResourceAsStream(name.replace('.', '/') + ".class")
        val bytes =
          try in.readAllBytes()
          finally in.close()
        defineClass(name, bytes, 0, bytes.length)
      }
    override def toString: String = "a loader of its own"
  }
}
