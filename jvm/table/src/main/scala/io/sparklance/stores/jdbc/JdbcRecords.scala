package io.sparklance.stores.jdbc

import java.io.IOException
import java.sql.{
  Connection,
  DriverManager,
  PreparedStatement,
  SQLException,
  SQLIntegrityConstraintViolationException
}

import scala.util.Using

import org.apache.hadoop.conf.Configuration

import io.sparklance.LanceUsageException
import io.sparklance.io.{ManifestRecord, ManifestRecords}

/** Records of manifests as rows of a table in a JDBC database, which must exist:
  *
  * {{{
  * CREATE TABLE lance_manifests (
  *   table_path VARCHAR(1000) NOT NULL,
  *   version BIGINT NOT NULL,
  *   manifest_path VARCHAR(2000) NOT NULL,
  *   manifest_size BIGINT,
  *   PRIMARY KEY (table_path, version))
  * }}}
  *
  * Each call takes a connection of its own: commits are rare, and no connection outlives an idle session. The
  * primary key decides commit races, so any isolation level serves.
  */
final class JdbcRecords(conf: Configuration) extends ManifestRecords {
  import JdbcRecords._
  private val url = Option(conf.get(Url)).getOrElse(throw noUrl)
  private val rows = Option(conf.get(Table)).getOrElse("lance_manifests")
  if (!rows.matches(Name)) throw badTable(rows)
  private lazy val secrets = new JdbcSecrets(url, password)

  override def latest(table: String): Option[ManifestRecord] =
    running(
      s"SELECT version, manifest_path, manifest_size FROM $rows WHERE table_path = ? ORDER BY version DESC"
    ) {
      statement =>
        statement.setString(1, table)
        statement.setMaxRows(1)
        Using.resource(statement.executeQuery()) { found =>
          Option.when(found.next()) {
            val (version, path, size) = (found.getLong(1), found.getString(2), found.getLong(3))
            ManifestRecord(version, path, if (found.wasNull) None else Some(size))
          }
        }
    }

  override def add(table: String, record: ManifestRecord): Boolean =
    running(s"INSERT INTO $rows (manifest_path, manifest_size, table_path, version) VALUES (?, ?, ?, ?)") {
      statement =>
        set(statement, table, record)
        try statement.executeUpdate() == 1
        catch { case e: SQLException if isDuplicate(e) => false }
    }

  override def replace(table: String, record: ManifestRecord): Unit =
    running(s"UPDATE $rows SET manifest_path = ?, manifest_size = ? WHERE table_path = ? AND version = ?") {
      statement =>
        set(statement, table, record)
        if (statement.executeUpdate() != 1)
          throw new IOException(s"$rows has no record of version ${record.version} of $table")
    }

  override def remove(table: String, record: ManifestRecord): Unit =
    running(s"DELETE FROM $rows WHERE manifest_path = ? AND table_path = ? AND version = ?") { statement =>
      statement.setString(1, record.path)
      statement.setString(2, table)
      statement.setLong(3, record.version)
      val _ = statement.executeUpdate()
    }

  private def set(statement: PreparedStatement, table: String, record: ManifestRecord): Unit = {
    statement.setString(1, record.path)
    record.size match {
      case Some(bytes) => statement.setLong(2, bytes)
      case None => statement.setNull(2, java.sql.Types.BIGINT)
    }
    statement.setString(3, table)
    statement.setLong(4, record.version)
  }

  private def running[A](sql: String)(body: PreparedStatement => A): A =
    try
      Using.resource(connect()) { connection =>
        connection.setAutoCommit(true)
        Using.resource(connection.prepareStatement(sql))(body)
      }
    catch {
      case e: SQLException =>
        val shown = secrets.withoutSecrets(e)
        throw new IOException(s"the database of $rows fails: ${shown.getMessage}", shown)
    }

  private def connect(): Connection = DriverManager.getConnection(
    url,
    Option(conf.get(User)).orNull,
    password.orNull
  )

  private def password: Option[String] = Option(conf.getPassword(Password)).map(new String(_))
}

private object JdbcRecords {
  private val Url = "sparklance.commit.jdbc.url"
  private val User = "sparklance.commit.jdbc.user"
  private val Password = "sparklance.commit.jdbc.password"
  private val Table = "sparklance.commit.jdbc.table"
  private val Name = "[A-Za-z_][A-Za-z0-9_]*(\\.[A-Za-z_][A-Za-z0-9_]*)*"

  /** Class 23 of SQLSTATE: a constraint is violated. The rows have no other constraint than their key. */
  private def isDuplicate(e: SQLException): Boolean =
    e.isInstanceOf[SQLIntegrityConstraintViolationException] ||
      Option(e.getSQLState).exists(_.startsWith("23"))

  private def noUrl = new LanceUsageException(
    s"Option 'commitHandler' names ${classOf[JdbcRecords].getName}, but no database. Set $Url, for example to " +
      "jdbc:postgresql://host/database."
  )

  private def badTable(name: String) = new LanceUsageException(
    s"$Table = '$name' is not the name of a database's table. Use letters, digits, underscores and dots."
  )
}

/** Keeps passwords out of what a driver says: drivers repeat the address, and some the password alone. */
final private[jdbc] class JdbcSecrets(url: String, password: Option[String]) {
  import JdbcSecrets._

  private val known: Vector[String] =
    (password.toVector ++
      Parameter.findAllMatchIn(url).map(_.group(2)) ++ InAddress.findAllMatchIn(url).map(_.group(2)))
      .filter(_.nonEmpty).distinct.sortBy(-_.length)

  def withoutSecrets(text: String): String = {
    // The address first: a short secret could occur in the rest of it.
    val masked = InAddress.replaceAllIn(Parameter.replaceAllIn(text, Masked), Masked)
    known.foldLeft(masked)((shown, secret) => shown.replace(secret, Mask))
  }

  /** Returns an exception like the driver's, and those behind it, with other messages. */
  def withoutSecrets(thrown: SQLException): SQLException = {
    val shown = new SQLException(
      Option(thrown.getMessage).map(withoutSecrets).orNull,
      thrown.getSQLState,
      thrown.getErrorCode
    )
    shown.setStackTrace(thrown.getStackTrace)
    shown
  }
}

private object JdbcSecrets {
  private val Mask = "***"
  private val Masked = s"$$1$Mask"

  /** `password=…`, `pwd=…`, `sslkeypassword=…`, `access_token=…` and the like. */
  private val Parameter =
    "(?i)(\\b[\\w.-]*(?:password|passwd|pwd|passphrase|secret|token)\\s*=\\s*)([^;&,\\s'\"]+)".r

  /** `//user:password@host` and Oracle's `user/password@`. */
  private val InAddress = "(//[^/:@\\s]*:|:[\\w$]+/)([^@\\s]+)(?=@)".r
}
