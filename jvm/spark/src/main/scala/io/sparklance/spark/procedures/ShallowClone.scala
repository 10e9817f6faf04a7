package io.sparklance.spark.procedures

import java.net.URI

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.types.StructType

import io.sparklance.LanceUsageException
import io.sparklance.dataset.TableRefs
import io.sparklance.spark.history.Statement
import io.sparklance.spark.options.StoreOptions

private[sparklance] object ShallowClone
    extends LanceProcedure(
      "shallow_clone",
      "Creates a table at another path that begins with a version of this one and shares its files."
    ) {
  private val target = Parameter.text("target")
  val parameters: Vector[Parameter[_]] = Vector(Parameter.table, target, Parameter.version)
  val result: StructType = StructType.fromDDL("location STRING NOT NULL, version BIGINT NOT NULL")

  def call(arguments: Arguments): Iterator[Seq[Any]] = {
    val source = arguments.dataset
    val place = StoreOptions.locate(arguments(target))
    if (store(source.root) != store(place.root))
      throw new LanceUsageException(
        s"A table at ${place.root} cannot share the files of ${source.root}, which are in another store. " +
          "Choose a target in the same store, or write the rows there."
      )
    val parameters =
      Map("source" -> source.root, "sourceVersion" -> source.version.toString, "isShallow" -> "true")
    val made =
      new TableRefs(source).shallowClone(place.root, place.store, Statement("CLONE", parameters).said)
    Iterator(Seq(made.root, made.version))
  }

  private def store(root: String): (String, String) = {
    val uri: URI = new Path(root).toUri
    (uri.getScheme, uri.getAuthority)
  }
}
