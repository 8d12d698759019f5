package io.belfry.integration;

import io.belfry.testsupport.RequiredPrograms;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Locates folders and programs on this machine. Immutable. */
public final class TestMachine {
    private TestMachine() {}

    /** Returns the project's folder. */
    public static Path root() {
        return RequiredPrograms.projectRoot();
    }

    /** Returns the module of the running tests: the current folder if it is one, otherwise that of the integration tests. */
    static Path module() {
        Path folder = Path.of("").toAbsolutePath();
        boolean isModule = Files.exists(folder.resolve("pom.xml")) && !folder.equals(root());
        return isModule ? folder : root().resolve("tests").resolve("integration");
    }

    /** Returns a folder that a clean build empties. */
    public static Path target() {
        try {
            return Files.createDirectories(module().resolve("target"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the Java program that runs this process. */
    static String javaProgram() {
        return Path.of(System.getProperty("java.home"), "bin", "java").toString();
    }

    /** Returns the beginning of a command that runs a class of this process's class path. */
    public static List<String> java() {
        return List.of(
                javaProgram(),
                "-XX:+UseCompactObjectHeaders",
                "--enable-native-access=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow",
                "-cp",
                System.getProperty("java.class.path"));
    }

    /**
     * Returns a command whose program receives Ctrl-C also when the tests run in the background. A shell ignores
     * SIGINT for background processes, and started programs inherit that.
     */
    static List<String> interruptible(List<String> command) {
        return Stream.concat(Stream.of("env", "--default-signal=INT"), command.stream())
                .toList();
    }

    /**
     * Sends a signal, such as {@code STOP}, to a process by the shell's built-in command, which exists on every
     * machine.
     */
    static void signal(String name, long pid) {
        Tool.run("sh", "-c", "kill -" + name + " " + pid).wellDone();
    }
}
