package io.belfry.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.client.connection.ClientLoop;
import io.belfry.protocol.Position;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The classes on a user's class path load on Java 17, whatever version the other modules are compiled for. */
class ByteCodeTest {
    private static final int MAGIC = 0xCAFEBABE;
    private static final int JAVA_17 = 61;

    @Test
    void everyClassOfTheClientIsForJava17() throws Exception {
        assertThat(classFiles(ClientLoop.class)).hasSizeGreaterThan(10).allSatisfy(ByteCodeTest::isForJava17);
    }

    @Test
    void everyClassOfTheProtocolIsForJava17() throws Exception {
        assertThat(classFiles(Position.class)).hasSizeGreaterThan(10).allSatisfy(ByteCodeTest::isForJava17);
    }

    /** Copies the paths, because a jar is closed before they are read. */
    private static List<byte[]> classFiles(Class<?> one) throws Exception {
        Path home =
                Path.of(one.getProtectionDomain().getCodeSource().getLocation().toURI());
        if (Files.isDirectory(home)) {
            return classFiles(home);
        }
        try (FileSystem jar = FileSystems.newFileSystem(home)) {
            return classFiles(jar.getPath("/"));
        }
    }

    private static List<byte[]> classFiles(Path root) throws IOException {
        try (Stream<Path> files = Files.walk(root)) {
            return files.filter(file -> file.toString().endsWith(".class"))
                    .map(ByteCodeTest::header)
                    .toList();
        }
    }

    private static byte[] header(Path file) {
        try (InputStream in = Files.newInputStream(file)) {
            return in.readNBytes(8);
        } catch (IOException e) {
            throw new IllegalStateException("unreadable: " + file, e);
        }
    }

    private static void isForJava17(byte[] header) throws IOException {
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(header));
        assertThat(in.readInt()).isEqualTo(MAGIC);
        in.readUnsignedShort();
        assertThat(in.readUnsignedShort()).isEqualTo(JAVA_17);
    }
}
