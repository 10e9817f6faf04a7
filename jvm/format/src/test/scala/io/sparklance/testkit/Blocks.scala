package io.sparklance.testkit

import java.nio.charset.StandardCharsets.UTF_8

import io.sparklance.data.{
  Column,
  DataBlock,
  Fixed16Block,
  Fixed32Block,
  Fixed64Block,
  Fixed8Block,
  FixedBytesBlock,
  FixedSizeListBlock,
  ListBlock,
  StructBlock,
  ValueShape,
  VariableBlock
}

/** Blocks from and to plain values: numbers as longs, booleans as 0 and 1, bytes as `Seq[Byte]`, lists as
  * `Seq`; rows of lists and structs as `Option`.
  */
object Blocks {

  def words(bits: Int, values: Iterable[Long]): DataBlock = {
    val block = DataBlock.forShape(ValueShape.FixedWidth(bits))
    values.foreach(append(block, _))
    block
  }

  def ofInts(values: Iterable[Int]): Fixed32Block = {
    val block = new Fixed32Block
    values.foreach(block.append)
    block
  }

  def ofStrings(values: Iterable[String]): VariableBlock = {
    val block = new VariableBlock
    values.foreach { value =>
      val bytes = value.getBytes(UTF_8)
      block.append(bytes, 0, bytes.length)
    }
    block
  }

  /** A column of `shape`; None is null. */
  def column(shape: ValueShape, rows: Iterable[Option[Any]]): Column = {
    val column = Column.forShape(shape)
    rows.foreach(appendRow(column, _))
    column
  }

  def append(block: DataBlock, value: Any): Unit = (block, value) match {
    case (_, v: Int) => append(block, v.toLong)
    case (b: Fixed8Block, v: Long) => b.append(v.toByte)
    case (b: Fixed16Block, v: Long) => b.append(v.toShort)
    case (b: Fixed32Block, v: Long) => b.append(v.toInt)
    case (b: Fixed64Block, v: Long) => b.append(v)
    case (b: FixedBytesBlock, v: Seq[_]) =>
      val at = b.extend(1) * b.width
      System.arraycopy(bytes(v), 0, b.bytes, at, b.width)
    case (b: VariableBlock, v: Seq[_]) => b.append(bytes(v), 0, v.length)
    case (b: FixedSizeListBlock, v: Seq[_]) =>
      v.foreach(append(b.items, _))
      b.advance(1)
    case (b: StructBlock, v: Seq[_]) =>
      b.children.zip(v).foreach { case (child, value) => appendRow(child, value) }
      b.advance(1)
    case (b: ListBlock, v: Seq[_]) =>
      v.foreach(appendRow(b.items, _))
      b.endList()
    case _ =>
      throw new IllegalArgumentException(s"$value does not fit into a ${block.getClass.getSimpleName}")
  }

  /** None is null. */
  def appendRow(column: Column, row: Any): Unit = row match {
    case Some(value) =>
      append(column.values, value)
      column.nulls.appendValid(1)
    case _ => column.appendNulls(1)
  }

  def values(block: DataBlock): Vector[Any] = (0 until block.length).map(value(block, _)).toVector

  def rows(column: Column): Vector[Option[Any]] = rows(column, 0, column.length)

  private def rows(column: Column, from: Int, end: Int): Vector[Option[Any]] = (from until end).map(i =>
    Option.unless(column.nulls.isNull(i))(value(column.values, i))
  ).toVector

  def ints(block: DataBlock): Vector[Int] = values(block).map {
    case v: Long => v.toInt
    case other => throw new IllegalArgumentException(s"$other is no number")
  }

  def floats(block: DataBlock): Vector[Float] = ints(block).map(java.lang.Float.intBitsToFloat)

  def strings(block: DataBlock): Vector[String] = values(block).map {
    case v: Seq[_] => new String(bytes(v), UTF_8)
    case other => throw new IllegalArgumentException(s"$other is no string")
  }

  def list(block: DataBlock): FixedSizeListBlock = block match {
    case b: FixedSizeListBlock => b
    case other => throw new IllegalArgumentException(s"lists of a ${other.getClass.getSimpleName}")
  }

  /** The items of all lists, None for nulls. */
  def items[A](block: DataBlock)(leaves: DataBlock => Vector[A]): Vector[Option[A]] = {
    val lists = list(block)
    leaves(lists.items).zipWithIndex.map { case (value, i) => Option.when(!lists.itemNulls.isNull(i))(value) }
  }

  private def value(block: DataBlock, i: Int): Any = block match {
    case b: Fixed8Block => b.values(i).toLong
    case b: Fixed16Block => b.values(i).toLong
    case b: Fixed32Block => b.values(i).toLong
    case b: Fixed64Block => b.values(i)
    case b: FixedBytesBlock => b.bytes.slice(i * b.width, (i + 1) * b.width).toVector
    case b: VariableBlock => b.bytes.slice(b.offsets(i), b.offsets(i + 1)).toVector
    case b: FixedSizeListBlock =>
      (i * b.dimension until (i + 1) * b.dimension).map(value(b.items, _)).toVector
    case b: StructBlock => b.children.flatMap(rows(_, i, i + 1))
    case b: ListBlock => rows(b.items, b.offsets(i), b.offsets(i + 1))
  }

  private def bytes(values: Seq[_]): Array[Byte] = values.map(_.asInstanceOf[Byte]).toArray
}
