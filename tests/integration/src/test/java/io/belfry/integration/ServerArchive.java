package io.belfry.integration;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;

/**
 * Creates the class-data archive with which server and generator processes start. A run starts hundreds of them, and
 * the archive halves the cost of a start. It is created once per build by the first process that needs it. Immutable.
 */
final class ServerArchive {
    /** The files of the tests that a server process needs. Without Logback's it logs all that Kafka's clients do. */
    private static final List<String> FILES = List.of(
            entry(ServerMain.class), entry(ServerArchiveMain.class), entry(ReloadableServer.class), "logback-test.xml");

    private static final List<String> COMMAND = command();

    private ServerArchive() {}

    /** Returns the beginning of a command that runs a server; JVM options, the class and its arguments follow. */
    static List<String> java() {
        return COMMAND;
    }

    private static List<String> command() {
        List<String> entries = Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                .filter(entry -> !Path.of(entry).endsWith("test-classes"))
                .filter(entry -> Files.exists(Path.of(entry)))
                .toList();
        if (!entries.stream().allMatch(entry -> entry.endsWith(".jar"))) {
            // An IDE runs from folders of classes, which a JVM cannot archive.
            return TestMachine.java();
        }
        Path folder = TestMachine.target().resolve("served");
        Path jar = folder.resolve("served.jar");
        Path archive = folder.resolve("served.jsa");
        List<String> plain = new ArrayList<>(TestMachine.java());
        plain.set(plain.size() - 1, String.join(File.pathSeparator, entries) + File.pathSeparator + jar);
        try {
            Files.createDirectories(folder);
            try (FileChannel lock =
                    FileChannel.open(folder.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
                lock.lock();
                if (!Files.exists(archive) || isOlder(archive, entries)) {
                    writeJar(jar);
                    writeArchive(plain, archive);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        // The JVM ignores an archive that another JVM version created.
        plain.add("-XX:SharedArchiveFile=" + archive);
        return List.copyOf(plain);
    }

    private static String entry(Class<?> main) {
        return main.getName().replace('.', '/') + ".class";
    }

    private static Path file(String name) {
        return TestMachine.target().resolve("test-classes").resolve(name);
    }

    private static boolean isOlder(Path archive, List<String> entries) throws IOException {
        FileTime made = Files.getLastModifiedTime(archive);
        boolean older = false;
        for (String name : FILES) {
            older |= made.compareTo(Files.getLastModifiedTime(file(name))) < 0;
        }
        for (String entry : entries) {
            older |= made.compareTo(Files.getLastModifiedTime(Path.of(entry))) < 0;
        }
        return older;
    }

    private static void writeJar(Path jar) throws IOException {
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar))) {
            for (String name : FILES) {
                out.putNextEntry(new JarEntry(name));
                Files.copy(file(name), out);
                out.closeEntry();
            }
        }
    }

    private static void writeArchive(List<String> plain, Path archive) throws IOException {
        Path folder = archive.resolveSibling("first");
        Path unfinished = archive.resolveSibling("unfinished.jsa");
        List<String> command = new ArrayList<>(plain);
        command.addAll(List.of("-Xmx512m", "-XX:+UseSerialGC", "-XX:ArchiveClassesAtExit=" + unfinished));
        command.add(ServerArchiveMain.class.getName());
        command.addAll(List.of("Listen=127.0.0.1:0", "Monitor=JMX, HTTP", "MonitorJMX.Listen=127.0.0.1:0"));
        command.addAll(List.of("MonitorHTTP.Listen=127.0.0.1:0", "LogFolder=" + folder));
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectInput(Path.of("/dev/null").toFile())
                .redirectOutput(archive.resolveSibling("first.log").toFile())
                .start();
        try {
            process.waitFor();
        } catch (InterruptedException e) {
            process.destroyForcibly();
            throw new IllegalStateException(e);
        }
        if (!Files.exists(unfinished)) {
            throw new IOException("no archive of the server's classes; see " + archive.resolveSibling("first.log"));
        }
        Files.move(unfinished, archive, StandardCopyOption.ATOMIC_MOVE);
    }
}
