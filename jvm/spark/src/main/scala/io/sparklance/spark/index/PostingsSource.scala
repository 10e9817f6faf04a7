package io.sparklance.spark.index

import java.nio.charset.StandardCharsets.UTF_8

import io.sparklance.data.{Column, ListBlock, VariableBlock}
import io.sparklance.index.build.{IndexKeys, IndexedRows, NGrams, NumberIndexKeys, PostingsTable}

/** The keys under which an index has a row. */
sealed abstract private[index] class PostingsSource[K <: AnyRef] extends Serializable {
  def keys: IndexKeys[K]

  /** Adds row `i` of a batch. */
  def add(rows: IndexedRows, i: Int, to: PostingsTable[K]): Unit
}

private[index] object PostingsSource {

  /** The row's value. */
  final case class Values[K <: AnyRef](keys: IndexKeys[K]) extends PostingsSource[K] {
    def add(rows: IndexedRows, i: Int, to: PostingsTable[K]): Unit =
      if (rows.isNull(i)) to.addNull(rows.number(i))
      else to.add(keys.of(rows.values.values, i), rows.number(i))
  }

  /** The items of the row's list. */
  final case class Items[K <: AnyRef](keys: IndexKeys[K]) extends PostingsSource[K] {
    def add(rows: IndexedRows, i: Int, to: PostingsTable[K]): Unit = {
      val number = rows.number(i)
      if (rows.isNull(i)) to.addNullList(number)
      else {
        val all = lists(rows.values)
        var at = all.offsets(i)
        while (at < all.offsets(i + 1)) {
          if (all.items.nulls.isNull(at)) to.addNull(number)
          else to.add(keys.of(all.items.values, at), number)
          at += 1
        }
      }
    }
  }

  private def lists(column: Column): ListBlock = column.values match {
    case lists: ListBlock => lists
    case other => throw new IllegalStateException(s"no lists: ${other.getClass}")
  }

  /** The tokens of the row's text. */
  final case class Tokens(keys: NumberIndexKeys) extends PostingsSource[java.lang.Long] {
    def add(rows: IndexedRows, i: Int, to: PostingsTable[java.lang.Long]): Unit = {
      val number = rows.number(i)
      if (rows.isNull(i)) to.add(Long.box(NGrams.NullToken.toLong), number)
      else NGrams.of(text(rows.values, i)).foreach(token => to.add(Long.box(token.toLong), number))
    }

    private def text(column: Column, i: Int): String = column.values match {
      case texts: VariableBlock =>
        new String(texts.bytes, texts.offsets(i), texts.offsets(i + 1) - texts.offsets(i), UTF_8)
      case other => throw new IllegalStateException(s"no texts: ${other.getClass}")
    }
  }
}
