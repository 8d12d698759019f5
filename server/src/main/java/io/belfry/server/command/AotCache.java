package io.belfry.server.command;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The file with loaded classes and profiles of methods with which the JVM of a server starts. The JVM uses it only with the same
 * build of the JDK and the same collector, and otherwise starts without it. So each profile of JVM options has a file. A second file
 * beside it describes the JDK and the jars that it was recorded with: JDK 25 does not compare the jars, and would load classes of
 * earlier ones from the cache. Immutable.
 *
 * @param file the cache; it may not exist
 * @param builtFrom the JDK and the jars of this process, as text
 */
record AotCache(Path file, String builtFrom) {
    /** The server's system property that names the cache its JVM was given. */
    private static final String PROPERTY = "belfry.aot.cache";

    /** The server's system property that names a cache of another JDK or other jars. */
    private static final String OUTDATED = "belfry.aot.outdated";

    private static final String VARIABLE = "BELFRY_AOT_CACHE";

    /** Variables with options of the JVM: that of the scripts, and those that the JVM and its launcher read. */
    private static final List<String> OPTIONS = List.of("BELFRY_JAVA_OPTIONS", "JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS");

    /** Options that conflict with a cache, or that select another one. */
    private static final List<String> CONFLICTING = List.of("-XX:AOT", "-XX:SharedArchiveFile", "-Xshare");

    /**
     * The JVM compares the checksums of the file; without this it would crash with a damaged one. Mapping the file at the address that
     * it was recorded for saves the time that the checksums take.
     */
    private static final List<String> CHECKED =
            List.of("-XX:+UnlockDiagnosticVMOptions", "-XX:+VerifySharedSpaces", "-XX:ArchiveRelocationMode=0");

    /** Returns the cache of servers with a profile. */
    static AotCache of(Path home, String profile) {
        return new AotCache(
                home.resolve("server").resolve("target").resolve("belfry-" + profile + ".aot"), thisBuild());
    }

    /**
     * Returns the cache of short commands with the same jars, which bin/belfry uses. They could use that of a server too, but a JVM loads
     * all classes of its cache when it starts.
     */
    AotCache ofCommands() {
        return new AotCache(file.resolveSibling("belfry-commands.aot"), builtFrom);
    }

    /** Returns whether the user's environment allows a cache. With a conflicting option the JVM would not start. */
    static boolean wanted(Map<String, String> environment) {
        String options = OPTIONS.stream()
                .map(variable -> environment.getOrDefault(variable, ""))
                .collect(Collectors.joining(" "));
        return !environment.getOrDefault(VARIABLE, "").equals("off")
                && CONFLICTING.stream().noneMatch(options::contains);
    }

    /** Returns whether a start may record a missing or outdated cache. */
    static boolean mayBeRecorded(Map<String, String> environment) {
        return !environment.getOrDefault(VARIABLE, "").equals("keep");
    }

    /** Returns the options with which a server uses the cache, if there is one of these jars. The JVM may have further jars. */
    List<String> options() {
        if (!Files.exists(file)) {
            return List.of();
        }
        if (recordedFrom().filter(builtFrom::startsWith).isEmpty()) {
            return List.of("-D" + OUTDATED + "=" + file);
        }
        List<String> options = new ArrayList<>(optionsOf("-XX:AOTCache=" + file));
        options.addAll(CHECKED);
        return options;
    }

    /** Returns the options with which a JVM records the cache in {@link #unfinished}. */
    List<String> recordingOptions() {
        return optionsOf("-XX:AOTCacheOutput=" + unfinished());
    }

    /** Returns the file in which this process lets a JVM record the cache. */
    Path unfinished() {
        return file.resolveSibling(
                file.getFileName() + "." + ProcessHandle.current().pid());
    }

    /** The JVM reports each class that it cannot store, and a cache that it cannot use; the server's log has one line for it. */
    private List<String> optionsOf(String option) {
        return List.of(option, "-Xlog:aot*=off", "-Xlog:cds*=off", "-D" + PROPERTY + "=" + file);
    }

    /** Returns whether the cache was recorded with this JDK and these jars, or recording it has failed with them. */
    boolean isCurrent() {
        return recordedFrom().filter(builtFrom::equals).isPresent();
    }

    /** Returns the JDK and the jars that the cache was recorded with, if they are known. */
    private Optional<String> recordedFrom() {
        try {
            return Optional.of(Files.readString(description())).filter(text -> !text.isEmpty());
        } catch (IOException absent) {
            return Optional.empty();
        }
    }

    /** Returns whether this process can write the cache. */
    boolean isWritable() {
        return Files.isWritable(file.toAbsolutePath().getParent());
    }

    /**
     * Replaces the cache by the file {@link #unfinished}, and returns whether that file exists. If not, the next start does not try to
     * record the cache again.
     */
    boolean replace() throws IOException {
        Path unfinished = unfinished();
        // Left by a JVM that was ended while it recorded.
        Files.deleteIfExists(unfinished.resolveSibling(unfinished.getFileName() + ".config"));
        Files.deleteIfExists(description());
        boolean recorded = Files.exists(unfinished);
        if (recorded) {
            Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE);
        } else {
            Files.deleteIfExists(file);
        }
        Files.writeString(description(), builtFrom);
        return recorded;
    }

    private Path description() {
        return file.resolveSibling(file.getFileName() + ".built-from");
    }

    /** Returns one sentence for the log: whether the JVM of this process uses the cache. */
    static String use() {
        String given = System.getProperty(PROPERTY);
        String outdated = System.getProperty(OUTDATED);
        if (outdated != null) {
            return "AOT cache " + outdated
                    + " not used (recorded with another JDK or other jars; bin/belfry warm records one)";
        }
        if (given == null) {
            return "no AOT cache (bin/belfry warm records one)";
        }
        return System.getProperty("java.vm.info", "").contains("sharing")
                ? "AOT cache " + given
                : "AOT cache " + given + " not usable (recorded with other JVM options, or damaged)";
    }

    /** Returns the JDK, and each jar with its size and the second of its last change, as the script prints it. */
    private static String thisBuild() {
        List<Path> jars = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
            Path jar = Path.of(entry).toAbsolutePath();
            jars.add(jar);
            jars.addAll(jarsIn(jar.resolveSibling("lib")));
        }
        StringBuilder build = new StringBuilder(System.getProperty("java.vm.version") + " "
                + System.getProperty("java.vm.vendor") + " " + System.getProperty("java.home") + "\n");
        for (Path jar : jars) {
            build.append(jar)
                    .append(' ')
                    .append(jar.toFile().length())
                    .append(' ')
                    .append(TimeUnit.MILLISECONDS.toSeconds(jar.toFile().lastModified()))
                    .append('\n');
        }
        return build.toString();
    }

    private static List<Path> jarsIn(Path folder) {
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(folder)) {
            return files.sorted().toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
