package io.sparklance.spark.erasure

import java.nio.charset.StandardCharsets.{ISO_8859_1, UTF_8}

import scala.collection.mutable

import org.apache.spark.broadcast.Broadcast
import org.apache.spark.sql.functions.col
import org.apache.spark.sql.{Column, DataFrame, Row}

import io.sparklance.dataset.Dataset
import io.sparklance.dataset.erasure.{ExternalBlobs, SoughtTexts}
import io.sparklance.dataset.snapshot.MetadataColumn

/** Contents of rows to erase.
  *
  * @param counts
  *   number of rows, by fragment
  * @param texts
  *   strings and binary values, as characters of ISO 8859-1
  * @param keys
  *   names of other columns that the condition compares, each with a value
  * @param external
  *   paths of blobs outside of the table
  */
final private[erasure] case class RowContents(
    counts: Map[Long, Long],
    texts: Set[String],
    keys: Set[(String, String)],
    external: Set[String]
) {
  def isEmpty: Boolean = counts.isEmpty && texts.isEmpty

  def ++(more: RowContents): RowContents = RowContents(
    (counts.keySet ++ more.counts.keySet).map(id =>
      id -> math.max(counts.getOrElse(id, 0L), more.counts.getOrElse(id, 0L))
    ).toMap,
    texts ++ more.texts,
    keys ++ more.keys,
    external ++ more.external
  )
}

/** Texts and keys of rows to erase that other rows have, too.
  *
  * @param unknown
  *   texts of rows of which the condition says nothing, by fragment
  */
final private[erasure] case class OtherRows(
    texts: Set[String],
    keys: Set[(String, String)],
    unknown: Map[Long, Set[String]]
) {
  def ++(more: OtherRows): OtherRows =
    OtherRows(texts ++ more.texts, keys ++ more.keys, unknown ++ more.unknown)
}

/** Spark jobs that look into the rows of a layer. Tasks return values of Scala's own classes, because Spark
  * decodes them without this jar.
  */
private[erasure] object RowTexts {
  val none: RowContents = RowContents(Map.empty, Set.empty, Set.empty, Set.empty)

  /** Texts and keys that are sought in rows. */
  type Wanted = (SoughtTexts, Set[(String, String)])

  private val fragment = col(MetadataColumn.FragId.name)

  /** Returns the contents of the rows that satisfy the condition, and its own texts. */
  def matching(rows: StateRows): RowContents = rows.matching.fold(none) { frame =>
    val (keys, texts, names) = (rows.keys.size, rows.texts.size, rows.keyNames)
    val all = frame.select(fragment +: (rows.keys ++ rows.texts ++ rows.descriptors): _*)
    val parts = all.rdd.mapPartitions { found =>
      val counts = mutable.HashMap.empty[Long, Long]
      val sets = Vector.fill(3)(mutable.HashSet.empty[String])
      found.foreach { row =>
        counts.update(row.getLong(0), counts.getOrElse(row.getLong(0), 0L) + 1)
        (1 to keys).foreach(i => if (!row.isNullAt(i)) sets(0) += s"${i - 1} ${row.getString(i)}")
        (keys + 1 to keys + texts).foreach(i => add(row.get(i), sets(1)))
        (keys + texts + 1 until row.length).foreach(i => addExternal(row.get(i), sets(2)))
      }
      Iterator.single((counts.toArray, sets.map(_.toArray).toArray))
    }.collect()
    parts.foldLeft(none.copy(texts = rows.literals)) { case (all, (counts, sets)) =>
      RowContents(
        counts.foldLeft(all.counts) { case (sums, (id, n)) => sums.updated(id, sums.getOrElse(id, 0L) + n) },
        all.texts ++ sets(1),
        all.keys ++ sets(0).map(keyOf(names, _)),
        all.external ++ sets(2).map(pathOf(rows.version, _))
      )
    }
  }

  /** Returns which of some texts and keys are in other rows. */
  def others(rows: StateRows, sought: Broadcast[Wanted]): OtherRows =
    rows.others.map { case (frame, isUnknown) => others(frame, isUnknown, rows, sought) }.reduce(_ ++ _)

  private def others(
      frame: DataFrame,
      isUnknown: Column,
      rows: StateRows,
      sought: Broadcast[Wanted]
  ): OtherRows = {
    val (keys, names) = (rows.keys.size, rows.keyNames)
    val parts =
      frame.select(isUnknown +: fragment +: (rows.keys ++ rows.texts): _*).rdd.mapPartitions { found =>
        val (texts, known) = sought.value
        val sets = Vector.fill(2)(mutable.HashSet.empty[String])
        val unknown = mutable.HashSet.empty[(Long, String)]
        val own = mutable.HashSet.empty[String]
        found.foreach { row =>
          (keys + 2 until row.length).foreach(i => add(row.get(i), own))
          val shared = own.iterator.filter(texts.texts)
          if (row.getBoolean(0)) unknown ++= shared.map(row.getLong(1) -> _)
          else {
            sets(1) ++= shared
            (0 until keys).foreach { i =>
              val value = if (row.isNullAt(i + 2)) None else Some(row.getString(i + 2))
              sets(0) ++= value.filter(text => known(names(i) -> text)).map(text => s"$i $text")
            }
          }
          own.clear()
        }
        Iterator.single((sets.map(_.toArray).toArray, unknown.toArray))
      }.collect()
    OtherRows(
      parts.flatMap(_._1(1)).toSet,
      parts.flatMap(_._1(0)).map(keyOf(names, _)).toSet,
      parts.flatMap(_._2).groupMap(_._1)(_._2).map { case (id, found) => id -> found.toSet }
    )
  }

  /** Returns the paths of blobs outside of the table to which the rows that stay refer. */
  def external(rows: StateRows): Set[String] =
    if (rows.descriptors.isEmpty) Set.empty
    else
      rows.others.flatMap { case (frame, _) =>
        frame.select(rows.descriptors: _*).rdd.mapPartitions { found =>
          val all = mutable.HashSet.empty[String]
          found.foreach(_.toSeq.foreach(addExternal(_, all)))
          all.iterator
        }.distinct().collect()
      }.toSet.map(pathOf(rows.version, _: String))

  /** Parses the number of a column and a value. */
  private def keyOf(names: Vector[String], text: String): (String, String) = {
    val (number, value) = text.splitAt(text.indexOf(' '))
    names(number.toInt) -> value.drop(1)
  }

  /** Parses the number of a base and a URI. */
  private def pathOf(version: Dataset, text: String): String = {
    val (base, uri) = text.splitAt(text.indexOf(' '))
    ExternalBlobs.path(version, base.toLong.toInt, uri.drop(1))
  }

  private def add(value: Any, to: mutable.Set[String]): Unit = value match {
    case text: String => to += new String(text.getBytes(UTF_8), ISO_8859_1)
    case bytes: Array[Byte] => to += new String(bytes, ISO_8859_1)
    case row: Row => row.toSeq.foreach(add(_, to))
    case map: scala.collection.Map[_, _] =>
      map.foreach { case (key, item) =>
        add(key, to)
        add(item, to)
      }
    case items: scala.collection.Iterable[_] => items.foreach(add(_, to))
    case _ => ()
  }

  /** Adds the base and the URI of each descriptor of a blob outside of the table. */
  private def addExternal(value: Any, to: mutable.Set[String]): Unit = value match {
    case row: Row if row.length == Descriptor && row.schema.fieldNames.contains("blob_uri") =>
      val (kind, base) = (row.get(row.fieldIndex("kind")), row.get(row.fieldIndex("blob_id")))
      if (s"$kind" == ExternalBlobs.Kind) to += s"$base ${row.getAs[String]("blob_uri")}"
    case row: Row => row.toSeq.foreach(addExternal(_, to))
    case items: scala.collection.Iterable[_] => items.foreach(addExternal(_, to))
    case _ => ()
  }

  /** Number of fields of a descriptor of version 2. */
  final private val Descriptor = 5
}
