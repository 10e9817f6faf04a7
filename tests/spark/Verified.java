import java.util.jar.JarFile;

/** Loads all classes of a jar and lets the JVM verify their bytecode: prints those that fail. */
public class Verified {
    public static void main(String[] arguments) throws Exception {
        try (JarFile jar = new JarFile(arguments[0])) {
            jar.stream().map(e -> e.getName()).filter(n -> n.startsWith("io/sparklance/") && n.endsWith(".class")).forEach(n -> {
                String name = n.substring(0, n.length() - 6).replace('/', '.');
                try {
                    // Asking for methods links a class without initializing it.
                    Class.forName(name, false, Verified.class.getClassLoader()).getDeclaredMethods();
                } catch (VerifyError e) {
                    System.out.println(name + ": " + e.getMessage().lines().limit(4).reduce("", (a, b) -> a + " " + b.trim()));
                } catch (NoClassDefFoundError e) {
                    System.err.println(name + ": " + e.getMessage());
                } catch (ClassNotFoundException e) {
                    throw new IllegalStateException(e);
                }
            });
        }
    }
}
