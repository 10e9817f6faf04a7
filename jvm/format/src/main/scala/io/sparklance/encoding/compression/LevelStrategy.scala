package io.sparklance.encoding.compression

import io.sparklance.data.{FileVersion, Fixed16Block}
import io.sparklance.encoding.physical.{FastLanes, General, OutOfLineBitpacking, Rle}
import io.sparklance.encoding.{BlockCompressor, BlockValues}

/** The writer's choice of a compression of a page's levels, once for all of its chunks. */
private[encoding] object LevelStrategy {

  /** zstd packs the bits of 4 % of nulls to three fifths; that pays where much of a page is levels. */
  final private val LeastSaving = 0.1

  /** A share that zstd hardly reaches. */
  final private val Floor = 0.1
  final private val Samples = 8

  /** Compresses the levels of each chunk.
    *
    * @param all
    *   the page's levels
    * @param valueBytes
    *   of the page's values
    */
  def compress(
      all: Fixed16Block,
      chunks: Vector[Fixed16Block],
      valueBytes: Long,
      version: FileVersion
  ): Vector[BlockValues] = {
    val compressor = plain(all, version)
    val levels = chunks.map(compressor.compress)
    val size = sizeOf(levels)
    val least = LeastSaving * (size + valueBytes)
    if (version != FileVersion.V2_2 || (1 - Floor) * size < least || !shrinks(levels)) levels
    else {
      val compressed = levels.map(General.compressed(CompressedChunks.Zstd, _))
      if (size - sizeOf(compressed) >= least) compressed else levels
    }
  }

  /** Returns the compression of levels that are few, or that do not matter. */
  def plain(levels: Fixed16Block, version: FileVersion): BlockCompressor = {
    val width = FastLanes.widthOf(levels, 0, levels.length)
    val packed = levels.length.toLong * width / 8
    version match {
      case FileVersion.V2_2 if Rle.encodedSize(levels, 16, packed) < packed => Rle.blockCompressor(16)
      case FileVersion.V0_1 | FileVersion.V2_0 | FileVersion.V2_1 | FileVersion.V2_2 =>
        OutOfLineBitpacking.compressor(16, width)
    }
  }

  private def shrinks(levels: Vector[BlockValues]): Boolean = {
    val step = math.max(1, levels.size / Samples)
    val sample = levels.indices.by(step).map(levels)
    sizeOf(sample.map(General.compressed(CompressedChunks.Zstd, _))) <= DecodeCost.MostShare * sizeOf(sample)
  }

  private def sizeOf(levels: Iterable[BlockValues]): Long = levels.iterator.map(_.buffer.length.toLong).sum
}
