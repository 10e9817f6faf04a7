package io.sparklance.spark.procedures

import java.util.Locale

import org.apache.spark.sql.connector.catalog.procedures.UnboundProcedure
import org.apache.spark.sql.connector.catalog.{Identifier, ProcedureCatalog}

import io.sparklance.LanceUsageException
import io.sparklance.spark.errors.SparkErrors.translating
import io.sparklance.spark.options.OptionText

/** All procedures of our catalogs, in their namespace `system`. */
private[sparklance] object Procedures {
  private val Namespace = "system"

  val all: Vector[LanceProcedure] =
    Vector(
      BackfillProcedures.all,
      BranchProcedures.all,
      CleanupProcedures.all,
      ColumnProcedures.all,
      CompactionProcedures.all,
      IndexProcedures.all,
      NameProcedures.all,
      PropertyProcedures.all,
      TableProcedures.all,
      TagProcedures.all,
      TransactionProcedures.all,
      VersionProcedures.all
    ).flatten.sortBy(_.name)

  private def find(ident: Identifier): Option[LanceProcedure] =
    Option.when(isOurs(ident.namespace))(ident.name.toLowerCase(Locale.ROOT)).flatMap(name =>
      all.find(_.name == name)
    )

  private def isOurs(namespace: Array[String]): Boolean = namespace match {
    case Array(one) => one.equalsIgnoreCase(Namespace)
    case _ => false
  }

  /** A catalog that offers these procedures. */
  trait InCatalog extends ProcedureCatalog {
    override def loadProcedure(ident: Identifier): UnboundProcedure = translating {
      find(ident).map(new CallableProcedure(_, this)).getOrElse {
        val asked = (ident.namespace :+ ident.name).mkString(".")
        val known = all.map(_.name)
        val meant = OptionText.nearest(ident.name, known).fold("")(near =>
          s" Did you mean CALL $name.$Namespace.$near?"
        )
        throw new LanceUsageException(
          s"The catalog '$name' has no procedure '$asked'.$meant In $name.$Namespace there are ${known.mkString(", ")}."
        )
      }
    }

    /** Called from Spark 4.1 on. */
    def listProcedures(namespace: Array[String]): Array[Identifier] =
      if (isOurs(namespace)) all.map(procedure => Identifier.of(namespace, procedure.name)).toArray
      else Array.empty
  }
}
