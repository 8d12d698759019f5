package io.belfry.integration;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Starts a server with the AOT cache of an installation, and with a cache that the JVM cannot use. */
@Tag("slow")
final class WarmStartTest {
    @TempDir
    private Path folder;

    private Path home;
    private Path cache;
    private Path cacheOfCommands;

    @BeforeEach
    void copy() throws IOException {
        home = InstalledCopy.in(folder.resolve("installed here"));
        cache = home.resolve("server/target/belfry-throughput.aot");
        cacheOfCommands = home.resolve("server/target/belfry-commands.aot");
    }

    @AfterEach
    void stop() {
        belfry("keep", "stop");
    }

    /** Runs a command without the options that tests set for short runs, because they would change what is recorded. */
    private Tool.Result belfry(String use, String... arguments) {
        return belfry(Map.of("BELFRY_AOT_CACHE", use), arguments);
    }

    private Tool.Result belfry(Map<String, String> more, String... arguments) {
        List<String> command =
                new ArrayList<>(List.of(home.resolve("bin/belfry").toString()));
        command.addAll(List.of(arguments));
        Map<String, String> environment = new HashMap<>(more);
        environment.put("BELFRY_JAVA_HOME", System.getProperty("java.home"));
        environment.put("BELFRY_JAVA_OPTIONS", "");
        try (Tool tool = Tool.start(folder, environment, command)) {
            return tool.await();
        }
    }

    private Tool.Result start(String use) {
        return belfry(
                use, "start", "--set", "Listen=127.0.0.1:0", "--set", "Monitor=none", "--set", "LogFolder=" + home);
    }

    /** Starts the server, stops it, and returns what its log says about the cache. */
    private String logOfStart(String use) throws IOException {
        Files.deleteIfExists(home.resolve("belfry.log"));
        start(use).wellDone();
        belfry("keep", "stop").wellDone();
        // A JVM that rejects a cache writes nothing to the output of the server.
        assertThat(home.resolve("belfry.out")).isEmptyFile();
        return Files.readAllLines(home.resolve("belfry.log")).stream()
                .filter(line -> line.contains("starting, pid"))
                .findFirst()
                .orElseThrow();
    }

    @Test
    @Tag("complete")
    void theFirstStartRecordsACacheAndADamagedOneDoesNotPreventTheStart() throws IOException {
        Tool.Result first = start("");
        assertThat(first.wellDone()).contains("belfry is running");
        assertThat(first.errors()).contains("recording the AOT caches");
        assertThat(cache).isNotEmptyFile();
        assertThat(cacheOfCommands).isNotEmptyFile();
        assertThat(Files.readString(home.resolve("belfry.log"))).contains("AOT cache " + cache + ", configuration");
        belfry("keep", "stop").wellDone();
        assertThat(sourceOfMain()).as("a command with this jar").isEqualTo("shared objects file");
        Path jar = home.resolve("server/target/belfry-server.jar");
        FileTime built = Files.getLastModifiedTime(jar);
        Files.setLastModifiedTime(jar, FileTime.from(built.toInstant().plusSeconds(10)));
        assertThat(sourceOfMain()).as("a command with another jar").startsWith("file:");
        Files.setLastModifiedTime(jar, built);

        damage(cache);
        damage(cacheOfCommands);
        assertThat(logOfStart("")).as("a damaged cache").contains("AOT cache " + cache + " not usable");
    }

    /** Returns from where the JVM of a short command loads the class of the program: a cache or a jar. */
    private String sourceOfMain() throws IOException {
        Path classes = folder.resolve("classes.log");
        belfry(Map.of("JAVA_TOOL_OPTIONS", "-Xlog:class+load:file=" + classes.getFileName()), "check")
                .wellDone();
        Pattern main = Pattern.compile("io\\.belfry\\.server\\.Main source: (.*)");
        return main.matcher(Files.readString(classes))
                .results()
                .map(found -> found.group(1))
                .findFirst()
                .orElseThrow();
    }

    /** Changes bytes in the middle, which the header of the file does not reveal. */
    private static void damage(Path cache) throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(cache.toFile(), "rw")) {
            file.seek(file.length() / 4);
            file.write(new byte[1 << 20]);
        }
    }

    @Test
    void aCacheOfOtherJarsDoesNotPreventTheStart() throws IOException {
        Files.writeString(cache, "recorded by another program");
        Files.writeString(cache.resolveSibling(cache.getFileName() + ".built-from"), "other jars");
        Files.setLastModifiedTime(cache, FileTime.fromMillis(0));
        assertThat(logOfStart("keep"))
                .contains("AOT cache " + cache + " not used (recorded with another JDK or other jars");
    }
}
