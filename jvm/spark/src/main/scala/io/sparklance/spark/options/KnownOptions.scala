package io.sparklance.spark.options

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.util.CaseInsensitiveStringMap

import io.sparklance.LanceUsageException
import io.sparklance.spark.session.Session

/** Checks the keys of a statement's options, and adds the session's defaults. */
private[options] object KnownOptions {
  private val SessionPrefix = "spark.datasource.lance."

  /** Keys that Spark itself adds to the options, in lower case. */
  private val sparkKeys =
    Set(
      "path",
      "paths",
      "provider",
      "owner",
      "location",
      "versionasof",
      "timestampasof",
      "serialization.format",
      "checkpointlocation",
      "queryname"
    )

  /** Returns the settings over the session's defaults.
    *
    * @throws io.sparklance.LanceUsageException
    *   if a key is neither `known` nor Spark's own
    */
  def checked(
      settings: CaseInsensitiveStringMap,
      known: Vector[LanceOption[_]],
      doing: String
  ): CaseInsensitiveStringMap = {
    val names = (known ++ LanceOptions.both).map(_.name)
    settings.asCaseSensitiveMap.asScala.keys.foreach { key =>
      val isKnown =
        isSparkKey(key) || StoreOptions.isSetting(key) || isNote(key, known) || isOfColumn(key, known) ||
          names.exists(_.equalsIgnoreCase(key))
      if (!isKnown)
        throw misplaced(key, known).orElse(foreign(key)).getOrElse(unknown(key, names, doing))
    }
    val all = LanceOptions.all.map(_.name)
    sessionDefaults.keys.foreach { key =>
      if (!isNote(key, LanceOptions.writing) && !all.exists(_.equalsIgnoreCase(key)))
        throw unknown(SessionPrefix + key, all.map(SessionPrefix + _), "the session's defaults")
    }
    overSession(settings)
  }

  private def sessionDefaults: Map[String, String] = Session.settings.collect {
    case (key, value) if key.startsWith(SessionPrefix) => key.drop(SessionPrefix.length) -> value
  }

  /** Puts the settings over the session's defaults. */
  def overSession(settings: CaseInsensitiveStringMap): CaseInsensitiveStringMap = {
    // Lower-case keys on both sides, so that settings replace defaults.
    val defaults = new CaseInsensitiveStringMap(sessionDefaults.asJava).asScala
    new CaseInsensitiveStringMap((defaults ++ settings.asScala).asJava)
  }

  private def isNote(key: String, known: Vector[LanceOption[_]]): Boolean =
    known == LanceOptions.writing && key.toLowerCase(java.util.Locale.ROOT).startsWith(CommitOptions.Prefix)

  private def isOfColumn(key: String, known: Vector[LanceOption[_]]): Boolean =
    known == LanceOptions.writing && ColumnSettings.isSetting(key)

  private def isSparkKey(key: String): Boolean =
    key.startsWith("__") || sparkKeys(key.toLowerCase(java.util.Locale.ROOT))

  /** An option of writes that a read is given, or the other way round. */
  private def misplaced(key: String, known: Vector[LanceOption[_]]): Option[LanceUsageException] = {
    val (other, doing, done) =
      if (known == LanceOptions.writing) (LanceOptions.reading, "reading", "writes")
      else (LanceOptions.writing, "writing", "reads")
    val named = other.map(_.name).find(_.equalsIgnoreCase(key))
    named.orElse(Option.when(isNote(key, other) || isOfColumn(key, other))(key)).map { name =>
      new LanceUsageException(
        s"Option '$name' is for $doing Lance tables, but this statement $done. Leave it out (docs/options.md)."
      )
    }
  }

  /** Delta Lake's option of overwrites, which is a method here. */
  private def foreign(key: String): Option[LanceUsageException] =
    Option.when(key.equalsIgnoreCase("replaceWhere"))(new LanceUsageException(
      "Option 'replaceWhere' is Delta Lake's. Write df.writeTo(table).overwrite(condition), or INSERT INTO table REPLACE WHERE condition."
    ))

  private def unknown(key: String, known: Vector[String], doing: String): LanceUsageException =
    new LanceUsageException(
      s"Option '$key' is not known for $doing Lance tables.${OptionText.suggestion(key, known)} " +
        s"Known: ${known.mkString(", ")} (docs/options.md)."
    )
}
