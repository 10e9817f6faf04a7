import java.io.FileOutputStream
import java.util.jar.{JarFile, JarOutputStream}
import java.util.zip.ZipEntry

import scala.jdk.CollectionConverters._

import org.objectweb.asm.{
  AnnotationVisitor,
  Attribute,
  ClassReader,
  ClassVisitor,
  ClassWriter,
  FieldVisitor,
  Label
}
import org.objectweb.asm.{MethodVisitor, Opcodes}

import sbt._

/** Makes the assembled jar small. It loses what only compilers and debuggers read, and the parts of libraries
  * and of generated messages that nothing reaches. Line numbers stay, for stack traces.
  */
object SmallJar {

  /** Packages of public classes (docs/api.md): Scala's compiler reads more than their bytecode. */
  private val public =
    Set("io/sparklance", "io/sparklance/spark", "io/sparklance/io", "io/sparklance/stores/jdbc")

  private val messages = "io/sparklance/proto/"

  /** Options of a JVM that ends before C2 pays. */
  private val quick = Seq("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xms512m")

  private val ofCompilers = Set("ScalaSig", "Scala", "ScalaInlineInfo")

  /** @param shrinker
    *   class path of ProGuard
    * @param libraries
    *   jars from which the classes to shrink inherit
    */
  def make(whole: File, to: File, shrinker: Seq[File], libraries: Seq[File], log: Logger): Unit =
    IO.withTemporaryDirectory { directory =>
      val (bare, small, rules) = (directory / "bare.jar", directory / "small.jar", directory / "rules")
      strip(whole, bare)
      val inherited = libraries.map(jar => s"-libraryjars '$jar'")
      IO.writeLines(
        rules,
        Seq(
          s"-injars '$bare'",
          s"-outjars '$small'",
          "-libraryjars <java.home>/jmods/java.base.jmod(!**.jar;!module-info.class)"
        ) ++ inherited ++ Seq(
          "-dontoptimize",
          "-dontobfuscate",
          // Spark's classes are not looked at: what is shrunk has none above it.
          "-dontwarn **",
          "-dontnote **",
          s"-keep class ${public.map(_.replace('/', '.') + ".*").mkString(",")} { *; }",
          // Scala calls methods of an object; others look for its static ones, which Spark does for
          // functions.
          "-keep class !io.sparklance.proto.**,!io.sparklance.shaded.**,io.sparklance.** {",
          "  <fields>;",
          "  !public <methods>;",
          "  public !static <methods>;",
          "  public static *** invoke(...);",
          "}",
          "-keepclassmembers class * implements java.io.Serializable {",
          "  static final long serialVersionUID;",
          "  java.lang.Object writeReplace();",
          "  java.lang.Object readResolve();",
          "  void writeObject(java.io.ObjectOutputStream);",
          "  void readObject(java.io.ObjectInputStream);",
          "}"
        )
      )
      val path = shrinker.map(_.getPath).mkString(java.io.File.pathSeparator)
      val options = ForkOptions().withOutputStrategy(LoggedOutput(log))
      val exit = Fork.java(options, quick ++ Seq("-Xmx1g", "-cp", path, "proguard.ProGuard", s"@$rules"))
      if (exit != 0) throw new MessageOnlyException(s"ProGuard ended with $exit")
      IO.move(small, to)
    }

  private def strip(from: File, to: File): Unit = {
    val in = new JarFile(from)
    val out = new JarOutputStream(new FileOutputStream(to))
    try in.entries.asScala.filterNot(_.isDirectory).foreach { entry =>
        val bytes = in.getInputStream(entry).readAllBytes()
        out.putNextEntry(new ZipEntry(entry.getName))
        out.write(if (entry.getName.endsWith(".class")) stripped(bytes) else bytes)
        out.closeEntry()
      }
    finally {
      out.close()
      in.close()
    }
  }

  private def stripped(bytes: Array[Byte]): Array[Byte] = {
    val reader = new ClassReader(bytes)
    val isPublic = public(reader.getClassName.split('/').init.mkString("/"))
    val writer = new ClassWriter(0)
    reader.accept(new Stripper(writer, isPublic), 0)
    writer.toByteArray
  }

  private class Stripper(out: ClassVisitor, isPublic: Boolean) extends ClassVisitor(Opcodes.ASM9, out) {
    override def visit(
        version: Int,
        access: Int,
        name: String,
        signature: String,
        parent: String,
        interfaces: Array[String]
    ): Unit = super.visit(version, access, name, generic(signature), parent, interfaces)

    override def visitField(
        access: Int,
        name: String,
        kind: String,
        signature: String,
        value: Object
    ): FieldVisitor = super.visitField(access, name, kind, generic(signature), value)

    /** Type parameters, which the JVM does not look at. */
    private def generic(signature: String): String = if (isPublic) signature else null

    override def visitAnnotation(kind: String, visible: Boolean): AnnotationVisitor =
      if (!isPublic && kind.startsWith("Lscala/reflect/Scala")) null
      else super.visitAnnotation(kind, visible)

    /** Classes around others, by which compilers and reflection find simple names. Errors name messages so.
      */
    override def visitInnerClass(name: String, outer: String, inner: String, access: Int): Unit =
      if (isPublic || name.startsWith(messages)) super.visitInnerClass(name, outer, inner, access)

    override def visitOuterClass(owner: String, name: String, kind: String): Unit =
      if (isPublic) super.visitOuterClass(owner, name, kind)

    override def visitAttribute(attribute: Attribute): Unit =
      if (isPublic || !ofCompilers(attribute.`type`)) super.visitAttribute(attribute)

    override def visitMethod(
        access: Int,
        name: String,
        kind: String,
        signature: String,
        errors: Array[String]
    ): MethodVisitor = {
      val method = super.visitMethod(access, name, kind, generic(signature), errors)
      new MethodVisitor(Opcodes.ASM9, method) {
        override def visitLocalVariable(n: String, k: String, s: String, a: Label, b: Label, i: Int): Unit =
          ()
        override def visitParameter(name: String, access: Int): Unit = ()
      }
    }
  }
}
