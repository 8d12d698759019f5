package io.belfry.server.doctor;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The files in which a kernel describes itself, below a root that tests replace. A missing or
 * unreadable file counts as empty: on other systems and in containers many are. Immutable.
 */
record HostFiles(Path root) {
    /**
     * Reads through a buffer and not by the file's size, because these files report size 0. A file below /proc/sys must be read
     * in one call: after a read of its first byte it has no second.
     */
    List<String> lines(String file) {
        try (BufferedReader reader = Files.newBufferedReader(root.resolve(file))) {
            return reader.readAllLines();
        } catch (IOException unreadable) {
            return List.of();
        }
    }

    Stream<MatchResult> matches(String file, Pattern pattern) {
        return lines(file).stream().flatMap(line -> pattern.matcher(line).results());
    }

    Optional<MatchResult> match(String file, Pattern pattern) {
        return matches(file, pattern).findFirst();
    }

    boolean exists(String file) {
        return Files.exists(root.resolve(file));
    }

    List<String> names(String folder) {
        try (Stream<Path> children = Files.list(root.resolve(folder))) {
            return children.map(child -> child.getFileName().toString())
                    .sorted()
                    .toList();
        } catch (IOException unreadable) {
            return List.of();
        }
    }
}
