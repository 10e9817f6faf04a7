package io.sparklance.index.vector

import io.sparklance.LanceFormatException
import io.sparklance.data.{Column, Fixed32Block, ListBlock}
import io.sparklance.file.FileReader
import io.sparklance.index.vector.graph.{Graph, GraphHead, GraphLevel}
import io.sparklance.schema.{Field, LogicalType}

/** Reads the graphs of a segment:
  * {{{
  * index.idx  __vector_id: u32, __neighbors: list<u32>, _distance: list<f32>   lengths of the edges; not read
  *            rows of a partition together: its levels, the lowest first, which has node i in row i
  *            metadata lance:ivf = number of a buffer: IVF with the rows of each partition
  *            metadata lance:hnsw = array of a text for each partition: GraphHead, empty without rows
  * }}}
  */
private[vector] object GraphFile {
  final val Node = "__vector_id"
  final val Neighbors = "__neighbors"

  /** @param partitions number of partitions of the index */
  def graphs(file: FileReader, partitions: Int): StoredGraphs = {
    val texts = GraphHead.texts(IndexFileParts.value(file, "lance:hnsw"))
    val ivf = IndexFileParts.ivf(file)
    if (texts.size != partitions || ivf.lengths.size != partitions)
      throw new LanceFormatException(
        s"${texts.size} graphs with the rows of ${ivf.lengths.size} for $partitions partitions"
      )
    StoredGraphs(PartitionRows.of(ivf.offsets, ivf.lengths, file.numRows), texts)
  }

  /** Returns the columns that searches read. */
  def fields(file: FileReader): Vector[Field] = {
    val fields = Vector(IndexFileParts.field(file, Node), IndexFileParts.field(file, Neighbors))
    check(fields(0), fields(1))
    fields
  }

  /** @param columns
    *   the rows of the partition in the columns of [[fields]]
    * @param vectors
    *   number of vectors of the partition
    */
  def graph(columns: Vector[Column], graphs: StoredGraphs, partition: Int, vectors: Int): Graph = {
    val head = GraphHead.of(graphs.texts(partition), graphs.rows.lengths(partition))
    if (head.offsets(1) > vectors)
      throw new LanceFormatException(s"a graph of ${head.offsets(1)} nodes for $vectors vectors")
    (columns(0).values, columns(1).values) match {
      case (nodes: Fixed32Block, lists: ListBlock) =>
        val edges = items(lists.items)
        val levels = head.offsets.zip(head.offsets.tail).map { case (from, until) =>
          val starts = new Array[Int](until - from + 1)
          val kept = keep(lists.offsets, edges, from, until, head.offsets(1), starts)
          if (from == 0) GraphLevel.lowest(starts, kept)
          else GraphLevel.upper(java.util.Arrays.copyOfRange(nodes.values, from, until), starts, kept)
        }
        checkLowest(nodes, head.offsets(1))
        new Graph(head.entry, head.offsets(1), levels.filter(_.starts.length > 1))
      case _ => throw new LanceFormatException("edges of other types than numbers of nodes")
    }
  }

  private def items(column: Column): Array[Int] = column.values match {
    case block: Fixed32Block if !column.nulls.hasNulls => block.values
    case _ => throw new LanceFormatException("edges of other types than numbers of nodes")
  }

  /** Copies the edges of the rows `[from, until)` that lead to nodes of the graph: like the reference, drops
    * others.
    */
  private def keep(
      offsets: Array[Int],
      edges: Array[Int],
      from: Int,
      until: Int,
      nodes: Int,
      starts: Array[Int]
  ): Array[Int] = {
    val out = new Array[Int](offsets(until) - offsets(from))
    var n = 0
    var row = from
    while (row < until) {
      var i = offsets(row)
      while (i < offsets(row + 1)) {
        if (edges(i) >= 0 && edges(i) < nodes) { out(n) = edges(i); n += 1 }
        i += 1
      }
      row += 1
      starts(row - from) = n
    }
    java.util.Arrays.copyOf(out, n)
  }

  private def checkLowest(nodes: Fixed32Block, count: Int): Unit = {
    var row = 0
    while (row < count) {
      if (nodes.values(row) != row)
        throw new LanceFormatException(
          s"row $row of a graph is of node ${Integer.toUnsignedLong(nodes.values(row))}"
        )
      row += 1
    }
  }

  private def check(node: Field, neighbors: Field): Unit = {
    val isList = (neighbors.logicalType, neighbors.children) match {
      case (_: LogicalType.List, Vector(child)) => isNumber(child)
      case _ => false
    }
    if (!isNumber(node) || !isList)
      throw new LanceFormatException("the columns of a graph are of other types than numbers of nodes")
  }

  private def isNumber(field: Field): Boolean = field.logicalType match {
    case LogicalType.Integer(32, _) => true
    case _ => false
  }
}
