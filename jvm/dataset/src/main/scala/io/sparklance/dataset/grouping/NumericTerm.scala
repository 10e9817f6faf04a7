package io.sparklance.dataset.grouping

import java.math.BigInteger

import io.sparklance.schema.{Leaf, LogicalType}

/** A number computed from a row. It is null if any of its operands is. */
sealed private[sparklance] trait NumericTerm extends Product with Serializable {
  def leaves: Vector[Leaf]
}

private[sparklance] object NumericTerm {

  /** A whole number of units of `10^-scale`: an integer or a decimal of at most `digits` digits. */
  sealed trait Exact extends NumericTerm {
    def digits: Int
    def scale: Int
  }

  /** A double. */
  sealed trait Floating extends NumericTerm

  sealed trait Operation extends Product with Serializable
  case object Plus extends Operation
  case object Minus extends Operation
  case object Times extends Operation

  final case class ExactLeaf(leaf: Leaf, digits: Int, scale: Int) extends Exact {
    def leaves: Vector[Leaf] = Vector(leaf)
  }

  final case class ExactConstant(unscaled: BigInteger, digits: Int, scale: Int) extends Exact {
    def leaves: Vector[Leaf] = Vector.empty
  }

  /** A number with a scale that is not smaller. */
  final case class Rescaled(term: Exact, digits: Int, scale: Int) extends Exact {
    def leaves: Vector[Leaf] = term.leaves
  }

  /** The operands of a sum and of a difference have its scale. */
  final case class ExactOperation(operation: Operation, left: Exact, right: Exact, digits: Int, scale: Int)
      extends Exact {
    def leaves: Vector[Leaf] = left.leaves ++ right.leaves
  }

  final case class FloatingLeaf(leaf: Leaf) extends Floating {
    def leaves: Vector[Leaf] = Vector(leaf)
  }

  final case class FloatingConstant(value: Double) extends Floating {
    def leaves: Vector[Leaf] = Vector.empty
  }

  final case class FloatingOperation(operation: Operation, left: Floating, right: Floating)
      extends Floating {
    def leaves: Vector[Leaf] = left.leaves ++ right.leaves
  }

  private val MaxDigits = 38

  /** Digits that Spark keeps behind the point, if there are as many, of results that exceed 38 digits. */
  private val KeptScale = 6

  /** Returns the operation with the digits and the scale that Spark gives its result. Returns None if Spark
    * would round the result.
    */
  def operation(operation: Operation, left: Exact, right: Exact): Option[Exact] = {
    val scale = operation match {
      case Plus | Minus => math.max(left.scale, right.scale)
      case Times => left.scale + right.scale
    }
    val digits = operation match {
      case Plus | Minus => math.max(left.digits - left.scale, right.digits - right.scale) + scale + 1
      case Times => left.digits + right.digits + 1
    }
    val isRounded = digits > MaxDigits &&
      math.max(MaxDigits - (digits - scale), math.min(scale, KeptScale)) != scale
    Option.unless(isRounded) {
      val (a, b) = operation match {
        case Plus | Minus => (rescaled(left, scale), rescaled(right, scale))
        case Times => (left, right)
      }
      ExactOperation(operation, a, b, math.min(digits, MaxDigits), scale)
    }
  }

  /** Returns the same number as a decimal of another type. Returns None if that could overflow or round. */
  def cast(term: Exact, digits: Int, scale: Int): Option[Exact] =
    Option.when(scale >= term.scale && digits - scale >= term.digits - term.scale)(
      Rescaled(term, digits, scale)
    )

  private def rescaled(term: Exact, scale: Int): Exact =
    if (term.scale == scale) term else Rescaled(term, term.digits + scale - term.scale, scale)

  /** Returns the values of a leaf of integers, which fit into a long, or of decimals of at most 18 digits. */
  def exact(leaf: Leaf): Option[ExactLeaf] = leaf.field.logicalType match {
    case LogicalType.Integer(8, true) => Some(ExactLeaf(leaf, 3, 0))
    case LogicalType.Integer(16, true) | LogicalType.Integer(8, false) => Some(ExactLeaf(leaf, 5, 0))
    case LogicalType.Integer(32, true) | LogicalType.Integer(16, false) => Some(ExactLeaf(leaf, 10, 0))
    case LogicalType.Integer(64, true) | LogicalType.Integer(32, false) => Some(ExactLeaf(leaf, 20, 0))
    case LogicalType.Decimal(128, digits, scale) if digits <= 18 && scale >= 0 && scale <= digits =>
      Some(ExactLeaf(leaf, digits, scale))
    case _ => None
  }

  def isInteger(leaf: Leaf): Boolean = leaf.field.logicalType match {
    case LogicalType.Integer(_, _) => true
    case _ => false
  }

  def isDouble(leaf: Leaf): Boolean = leaf.field.logicalType == LogicalType.FloatingPoint(64)

  /** Returns the values of a leaf of floats or doubles. */
  def floating(leaf: Leaf): Option[FloatingLeaf] = leaf.field.logicalType match {
    case LogicalType.FloatingPoint(32 | 64) => Some(FloatingLeaf(leaf))
    case _ => None
  }
}
