package io.sparklance.namespace

/** The namespaces of a catalog and the tables in them, by their names: of a directory, or of a server. */
private[sparklance] trait Namespaces {

  /** Refuses a part of a name that cannot be a table's or a namespace's. */
  def check(part: String): Unit

  /** Whether a table can have this name. */
  def isValid(table: TableName): Boolean

  /** Returns the names of the namespaces in a namespace, in order. */
  def namespaces(parent: Vector[String]): Vector[String]

  def hasNamespace(namespace: Vector[String]): Boolean

  /** Returns the properties of a namespace, if it exists. */
  def properties(namespace: Vector[String]): Option[Map[String, String]]

  def create(namespace: Vector[String], properties: Map[String, String]): Unit

  /** Changes the properties of a namespace. */
  def change(namespace: Vector[String])(edit: Map[String, String] => Map[String, String]): Unit

  /** Drops an empty namespace. Returns false if it has tables or namespaces. */
  def dropEmpty(namespace: Vector[String]): Boolean

  /** Drops a namespace with its contents. */
  def dropWhole(namespace: Vector[String]): Unit

  /** Returns the names of the tables in a namespace, in order, including reserved and invalid ones. */
  def tables(namespace: Vector[String]): Vector[String]

  /** Looks up a table's name. */
  def find(table: TableName): Option[FoundTable]

  /** Returns the location for a new table. Fails if the name exists. A server reserves the name. */
  def place(table: TableName): NewTable

  /** Completes a new table after its first version was committed. Fails if others have its name. */
  def enter(table: TableName, made: NewTable): Unit

  /** Removes what a failed creation left. */
  def clear(table: TableName, made: NewTable): Unit

  /** Gives up a name whose location turned out to be in use: nothing there is touched. */
  def release(table: TableName, made: NewTable): Unit

  /** Drops a table. Returns false if it does not exist. */
  def drop(table: TableName): Boolean

  def rename(from: TableName, to: TableName): Unit

  /** Gives the table at a location a name, and changes no file. Fails if the name exists, or no table is
    * there.
    */
  def register(table: TableName, location: String): PlacedTable

  /** Removes a table's name, and keeps its files. Returns the location, as the catalog has it; None if the
    * name does not exist.
    */
  def deregister(table: TableName): Option[String]
}
