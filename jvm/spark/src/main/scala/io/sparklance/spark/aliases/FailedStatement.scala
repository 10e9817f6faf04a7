package io.sparklance.spark.aliases

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.LeafNode

/** A statement that no parser accepts. Its analysis throws the parser's exception. */
final private[aliases] case class FailedStatement(failure: Throwable) extends LeafNode {
  override lazy val resolved: Boolean = thrown[Boolean]
  override def output: Seq[Attribute] = thrown[Seq[Attribute]]

  private def thrown[A]: A = throw failure
}
