package io.sparklance.spark.read

import org.apache.spark.sql.connector.expressions.filter.{And, Or, Predicate}
import org.apache.spark.sql.connector.expressions.{Expression, Literal, NamedReference, UserDefinedScalarFunc}
import org.apache.spark.unsafe.types.UTF8String

import io.sparklance.LanceFormatException
import io.sparklance.data.RowRanges
import io.sparklance.dataset.Dataset
import io.sparklance.index.search.BrokenIndices
import io.sparklance.index.text.TextCandidates
import io.sparklance.schema.{Field, LogicalType}

/** Conditions `lance_match` and `lance_match_phrase` on columns with a full-text index, as far as Spark
  * offers them to connectors.
  *
  * @param broken
  *   treatment of broken indices
  */
final private[read] class TextConditions(dataset: Dataset, broken: BrokenIndices) {

  /** Returns rows among which are all that pass all conditions; None if no index helps. */
  def candidates(predicates: Array[Predicate]): Option[RowRanges] =
    predicates.toVector.flatMap(candidates).reduceOption(_.intersect(_))

  private def candidates(predicate: Predicate): Option[RowRanges] = predicate match {
    case and: And => (candidates(and.left).toVector ++ candidates(and.right)).reduceOption(_.intersect(_))
    case or: Or => for (a <- candidates(or.left); b <- candidates(or.right)) yield a.union(b)
    case _ =>
      (predicate.name, predicate.children) match {
        case (TextConditions.IsTrue, Array(call: UserDefinedScalarFunc)) => called(call)
        case _ => None
      }
  }

  private def called(call: UserDefinedScalarFunc): Option[RowRanges] =
    call.children.toVector match {
      case Column(field) +: Texts(words, settings @ _*)
          if call.canonicalName.startsWith("sparklance.lance_match") && settings.size <= 1 =>
        found(field, words, settings.headOption.getOrElse("{}"), call.name == "lance_match_phrase")
      case _ => None
    }

  private def found(field: Field, words: String, settings: String, isPhrase: Boolean): Option[RowRanges] =
    try TextCandidates.of(dataset, field, words, settings, isPhrase)
    catch {
      case _: LanceFormatException if broken == BrokenIndices.Scan => None
    }

  private object Column {
    def unapply(expression: Expression): Option[Field] = expression match {
      case reference: NamedReference if reference.fieldNames.length == 1 =>
        dataset.schema.fields.find(_.name == reference.fieldNames.head).filter(_.logicalType match {
          case LogicalType.Utf8(_) => true
          case _ => false
        })
      case _ => None
    }
  }

  private object Texts {
    def unapplySeq(expressions: Vector[Expression]): Option[Seq[String]] = {
      val texts = expressions.collect { case literal: Literal[_] => literal.value }.collect {
        case text: UTF8String => text.toString
      }
      Option.when(texts.size == expressions.size)(texts)
    }
  }
}

private object TextConditions {

  /** The name of Spark's predicate that is true where its only operand is. */
  final private val IsTrue = "BOOLEAN_EXPRESSION"
}
