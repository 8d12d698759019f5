package io.belfry.testsupport;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;

/**
 * The JDK's {@code keytool} in the JVM of the test: the program starts a JVM for each key, which takes half a second of
 * processor time. The option {@code --add-exports java.base/sun.security.tools.keytool=ALL-UNNAMED} of the root pom opens it.
 * Stateless.
 */
public final class KeyTool {
    private KeyTool() {}

    /** Runs keytool with these arguments, such as {@code -genkeypair}; fails if keytool fails. */
    public static void run(List<String> arguments) {
        List<String> all = new ArrayList<>(arguments);
        // Without this option keytool ends the JVM after an error; with it, keytool throws the error.
        all.add("-debug");
        try {
            Method main = Class.forName("sun.security.tools.keytool.Main").getMethod("main", String[].class);
            main.invoke(null, (Object) all.toArray(String[]::new));
        } catch (InvocationTargetException failed) {
            throw new IllegalArgumentException("keytool " + arguments, failed.getCause());
        } catch (ReflectiveOperationException absent) {
            throw new IllegalStateException("no keytool in this JVM", absent);
        }
    }
}
