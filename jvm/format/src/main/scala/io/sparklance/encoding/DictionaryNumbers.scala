package io.sparklance.encoding

import io.sparklance.schema.{Field, LogicalType}

/** Numbering of dictionary items in pages of version 2.0. Pages do not record which one they use: the
  * column's type decides.
  */
sealed private[sparklance] trait DictionaryNumbers

private[sparklance] object DictionaryNumbers {

  /** Number k is item k, which may be a null: in columns that are dictionaries by their type. */
  case object FromZero extends DictionaryNumbers

  /** Number 0 is a null, and k is item k - 1: in columns of strings. */
  case object FromOne extends DictionaryNumbers

  def of(field: Field): DictionaryNumbers = field.logicalType match {
    case LogicalType.Dictionary(_, _) => FromZero
    case _ => FromOne
  }
}
