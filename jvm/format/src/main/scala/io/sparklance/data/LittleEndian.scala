package io.sparklance.data

import java.lang.invoke.{MethodHandles, VarHandle}
import java.nio.ByteOrder

/** Little-endian reads and writes at any byte position of an array, bounds-checked by the JVM.
  *
  * Hot loops use the handles themselves, ascribing the result (`val x: Int = INT.get(bytes, at)`), since C2
  * vectorises loops over a handle but not over Unsafe or ByteBuffer.
  */
private[sparklance] object LittleEndian {
  final val SHORT: VarHandle =
    MethodHandles.byteArrayViewVarHandle(classOf[Array[Short]], ByteOrder.LITTLE_ENDIAN)
  final val INT: VarHandle =
    MethodHandles.byteArrayViewVarHandle(classOf[Array[Int]], ByteOrder.LITTLE_ENDIAN)
  final val LONG: VarHandle =
    MethodHandles.byteArrayViewVarHandle(classOf[Array[Long]], ByteOrder.LITTLE_ENDIAN)

  def unsignedByte(bytes: Array[Byte], at: Int): Int = bytes(at) & 0xff
  def short(bytes: Array[Byte], at: Int): Short = { val v: Short = SHORT.get(bytes, at); v }
  def unsignedShort(bytes: Array[Byte], at: Int): Int = { val v: Short = SHORT.get(bytes, at); v & 0xffff }
  def int(bytes: Array[Byte], at: Int): Int = { val v: Int = INT.get(bytes, at); v }
  def unsignedInt(bytes: Array[Byte], at: Int): Long = { val v: Int = INT.get(bytes, at); v & 0xffffffffL }
  def long(bytes: Array[Byte], at: Int): Long = { val v: Long = LONG.get(bytes, at); v }

  def putShort(bytes: Array[Byte], at: Int, value: Short): Unit = SHORT.set(bytes, at, value)
  def putInt(bytes: Array[Byte], at: Int, value: Int): Unit = INT.set(bytes, at, value)
  def putLong(bytes: Array[Byte], at: Int, value: Long): Unit = LONG.set(bytes, at, value)
}
