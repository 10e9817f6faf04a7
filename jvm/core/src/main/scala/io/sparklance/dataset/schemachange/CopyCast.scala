package io.sparklance.dataset.schemachange

import io.sparklance.data.{Column, ColumnCopy, DataBlock}

/** Casts between types that are stored alike. */
private[schemachange] object CopyCast extends ValueCast {
  override def append(
      source: Column,
      from: Int,
      until: Int,
      target: DataBlock,
      lossy: LossyValueHandler
  ): Unit = ColumnCopy.append(source, from, until, new Column(target))
}
