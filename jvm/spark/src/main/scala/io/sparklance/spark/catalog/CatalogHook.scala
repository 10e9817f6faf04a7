package io.sparklance.spark.catalog

/** Steps that a catalog takes around the commit of a staged table. */
private[spark] trait CatalogHook {

  /** Runs after the commit. */
  def settle(): Unit

  /** Runs when the statement fails before its commit. */
  def undo(): Unit

  /** Runs when the location turns out to be in use: nothing there is touched. */
  def release(): Unit = ()
}

private[spark] object CatalogHook {

  /** The hook of tables that no catalog has to register. */
  object Idle extends CatalogHook {
    def settle(): Unit = ()
    def undo(): Unit = ()
  }
}
