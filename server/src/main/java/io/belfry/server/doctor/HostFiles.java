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
 * The files in which a kernel tells about itself, below a root that tests replace by a tree of their own. What is missing
 * or may not be read is empty: on another system, or in a container, much of it is. Immutable.
 */
record HostFiles(Path root) {
    /**
     * Read through a buffer and not by the file's size: these files claim to be empty, and one below /proc/sys that is read
     * by its first byte has no second.
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
