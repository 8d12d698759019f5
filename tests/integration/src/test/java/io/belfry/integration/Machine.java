package io.belfry.integration;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Where things are on this machine. Immutable. */
final class Machine {
    private Machine() {}

    /** The project's folder: the first above that Maven would take for the root. */
    static Path root() {
        Path folder = Path.of("").toAbsolutePath();
        while (!Files.isDirectory(folder.resolve(".mvn"))) {
            folder = Optional.ofNullable(folder.getParent()).orElseThrow();
        }
        return folder;
    }

    static Path module() {
        return root().resolve("tests").resolve("integration");
    }

    /** A folder that a clean build empties. */
    static Path target() {
        try {
            return Files.createDirectories(module().resolve("target"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The Java that runs this process. */
    static String javaProgram() {
        return Path.of(System.getProperty("java.home"), "bin", "java").toString();
    }

    /** The beginning of a command that runs a class of this process's class path. */
    static List<String> java() {
        return List.of(
                javaProgram(),
                "-XX:+UseCompactObjectHeaders",
                "--enable-native-access=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow",
                "-cp",
                System.getProperty("java.class.path"));
    }

    /**
     * A command whose program hears Ctrl-C even where these tests were started in the background: there a shell has SIGINT
     * ignored, and what is started inherits that.
     */
    static List<String> interruptible(List<String> command) {
        return Stream.concat(Stream.of("env", "--default-signal=INT"), command.stream())
                .toList();
    }

    /** The full path of the first of these programs that is installed. */
    static Optional<Path> program(String... names) {
        List<Path> folders = Stream.of(System.getenv("PATH").split(":", -1))
                .filter(folder -> !folder.isEmpty())
                .map(Path::of)
                .toList();
        return Stream.of(names)
                .flatMap(name -> folders.stream().map(folder -> folder.resolve(name)))
                .filter(Files::isExecutable)
                .findFirst();
    }

    /** As {@link #program}, where a test cannot do without: the message says how to get it. */
    static String required(String name, String howToInstall) {
        return program(name)
                .map(Path::toString)
                .orElseThrow(
                        () -> new AssertionError(name + " is not on PATH and this test needs it: " + howToInstall));
    }
}
