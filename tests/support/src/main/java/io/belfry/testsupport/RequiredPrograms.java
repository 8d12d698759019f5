package io.belfry.testsupport;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;

/**
 * Programs that a test runs and that a machine may lack. A test without its program is skipped, and the end of the build lists
 * it; with {@code -Dbelfry.tools=required} it fails. No state.
 */
public final class RequiredPrograms {
    private RequiredPrograms() {}

    /** Returns the path of the first of these programs that is installed. */
    public static Optional<Path> find(String... names) {
        List<Path> folders = Stream.of(System.getenv("PATH").split(File.pathSeparator, -1))
                .filter(folder -> !folder.isEmpty())
                .map(Path::of)
                .toList();
        return Stream.of(names)
                .flatMap(name -> folders.stream().map(folder -> folder.resolve(name)))
                .filter(Files::isExecutable)
                .findFirst();
    }

    /**
     * Returns the path of the first of these programs that is installed. If none is, the test is skipped with one line
     * on standard output that says how to install the program.
     */
    public static String require(String howToInstall, String... names) {
        return find(names)
                .map(Path::toString)
                .orElseGet(() -> skip(names[0] + " is not on PATH; to install it: " + howToInstall));
    }

    /** Skips the running test, or fails it where every program is required. */
    public static String skip(String reason) {
        if (System.getProperty("belfry.tools", "skip").equals("required")) {
            throw new AssertionError(reason);
        }
        String line = "SKIPPED " + runningTest() + ": " + reason;
        System.out.println(line);
        record(line);
        return Assumptions.abort(reason);
    }

    /** Appends to the list that the last module of a build prints. */
    private static void record(String line) {
        try {
            Path target = Files.createDirectories(projectRoot().resolve("target"));
            Files.writeString(
                    target.resolve("skipped-tests.txt"),
                    line + "\n",
                    StandardOpenOption.CREATE,
                    StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the project's folder: the first parent folder that Maven would take for the root. */
    public static Path projectRoot() {
        Path folder = Path.of("").toAbsolutePath();
        while (!Files.isDirectory(folder.resolve(".mvn"))) {
            folder = Optional.ofNullable(folder.getParent()).orElseThrow();
        }
        return folder;
    }

    private static String runningTest() {
        return StackWalker.getInstance()
                .walk(frames -> frames.map(frame -> frame.getClassName() + "." + frame.getMethodName())
                        .filter(name -> name.matches(".*Test[.]\\w+"))
                        .reduce((inner, outer) -> outer)
                        .map(name -> name.substring(name.lastIndexOf('.', name.lastIndexOf('.') - 1) + 1))
                        .orElse("a test"));
    }
}
