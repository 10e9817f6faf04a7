package io.sparklance.dataset.schemachange

import io.sparklance.data.{Column, ColumnCopy, DataBlock, NullMask}

/** Casts between types that are stored alike. */
private[schemachange] object CopyCast extends ValueCast {
  override def append(
      source: DataBlock,
      nulls: NullMask,
      from: Int,
      until: Int,
      target: DataBlock,
      lossy: LossyValueHandler
  ): Unit = ColumnCopy.append(new Column(source, nulls), from, until, new Column(target))
}
