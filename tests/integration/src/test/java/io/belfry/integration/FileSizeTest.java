package io.belfry.integration;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** No Java file of any module has more than 500 lines, so that a reader can take in a whole class. */
final class FileSizeTest {
    private static final int LINES_MAX = 500;
    private static final int FILES_MIN = 500;
    private static final Set<String> NO_SOURCES = Set.of("target", "node_modules", ".git");

    @Test
    void noFileExceedsFiveHundredLines() throws IOException {
        TreeMap<String, Long> lines = new TreeMap<>();
        Path root = TestMachine.root();
        Files.walkFileTree(root, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
                return NO_SOURCES.contains(String.valueOf(folder.getFileName()))
                        ? FileVisitResult.SKIP_SUBTREE
                        : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                if (file.toString().endsWith(".java")) {
                    lines.put(root.relativize(file).toString(), linesOf(file));
                }
                return FileVisitResult.CONTINUE;
            }
        });
        assertThat(lines).hasSizeGreaterThan(FILES_MIN);
        lines.values().removeIf(count -> count <= LINES_MAX);
        assertThat(lines)
                .as("lines of files that should be split by what they do")
                .isEmpty();
    }

    private static long linesOf(Path file) throws IOException {
        return Files.readString(file).lines().count();
    }
}
