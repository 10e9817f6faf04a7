package io.sparklance.index.vector.build

import io.sparklance.data.{Column, FileVersion, Fixed32Block, ListBlock}
import io.sparklance.index.build.{IndexFileWriter, WrittenIndexFile}
import io.sparklance.index.vector.GraphFile
import io.sparklance.index.vector.graph.{BuiltGraph, GraphBuilder, GraphHead}
import io.sparklance.io.ObjectStore
import io.sparklance.proto.index.IVF
import io.sparklance.schema.{Field, LanceSchema, LogicalType}

/** Builds and writes the graphs of a segment, whose partitions come in ascending order: see [[GraphFile]]. */
final private[build] class GraphFileWriter(
    store: ObjectStore,
    directory: String,
    version: FileVersion,
    model: IvfModel,
    threads: Int,
    check: () => Unit
) {
  private val file =
    new IndexFileWriter(store, directory, "index.idx", LanceSchema(GraphFileWriter.fields), version)
  private val lengths = new Array[Int](model.partitions)
  private val heads = Array.fill(model.partitions)("")

  /** Adds the graph of a partition.
    *
    * @param codes
    *   stored form of its vectors, one after the other
    */
  def append(partition: Int, codes: Array[Byte]): Unit = {
    val graph = new GraphBuilder(NodeSpaces.of(model, codes), model.graph, threads, check).run()
    lengths(partition) = graph.head.offsets.last
    heads(partition) = GraphHead.print(graph.head)
    write(graph)
  }

  private def write(graph: BuiltGraph): Unit = graph.foreach { (node, edges, distances, n) =>
    file.appendNumber(0, node.toLong)
    appendList(file.columns(1), n)(edges(_))
    appendList(file.columns(2), n)(i => java.lang.Float.floatToRawIntBits(distances(i)))
    file.rowWritten()
  }

  private def appendList(column: Column, n: Int)(item: Int => Int): Unit = column.values match {
    case list: ListBlock =>
      list.items.values match {
        case block: Fixed32Block =>
          val at = block.extend(n)
          var i = 0
          while (i < n) { block.values(at + i) = item(i); i += 1 }
        case other => throw new IllegalStateException(s"items of edges in a ${other.getClass}")
      }
      list.items.nulls.appendValid(n)
      list.endList()
      column.nulls.appendValid(1)
    case other => throw new IllegalStateException(s"edges in a ${other.getClass}")
  }

  /** @param centroids message of the partitions without their rows */
  def finish(centroids: IVF): WrittenIndexFile = {
    val offsets = lengths.scanLeft(0L)(_ + _).init
    file.writeGlobalBuffer(centroids.copy(offsets = offsets.toVector, lengths = lengths.toVector).toByteArray)
    file.finish(Map(
      "lance:index" -> SegmentJson.index(model),
      "lance:ivf" -> "1",
      "lance:hnsw" -> SegmentJson.array(heads.toVector)
    ))
  }

  def abort(): Unit = file.abort()
}

private object GraphFileWriter {
  private val number = LogicalType.Integer(32, signed = false)

  private val fields: Vector[Field] = Vector(
    Field(0, GraphFile.Node, number, nullable = true),
    list(1, GraphFile.Neighbors, number),
    list(3, "_distance", LogicalType.FloatingPoint(32))
  )

  private def list(id: Int, name: String, item: LogicalType): Field = Field(
    id,
    name,
    LogicalType.List(large = false, ofStruct = false),
    nullable = true,
    Vector(Field(id + 1, "item", item, nullable = true))
  )
}
