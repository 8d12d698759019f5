package io.belfry.server.doctor;

import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;

/** Reads the facts about a folder that exists or would be created. Stateless. */
public final class FolderReader {
    private FolderReader() {}

    /** Reads the facts; creates nothing. */
    public static Host.Folder read(Path folder) {
        Path path = folder.toAbsolutePath().normalize();
        Path nearest = nearest(path);
        return new Host.Folder(path, obstacle(nearest), type(nearest), free(nearest), used(path));
    }

    /** Returns the folder, or its nearest existing parent. */
    private static Path nearest(Path folder) {
        Path there = folder;
        while (!Files.exists(there) && there.getParent() != null) {
            there = there.getParent();
        }
        return there;
    }

    private static Optional<Host.Obstacle> obstacle(Path nearest) {
        if (!Files.isDirectory(nearest)) {
            return Optional.of(Host.Obstacle.FILE);
        }
        return Files.isWritable(nearest) ? Optional.empty() : Optional.of(Host.Obstacle.RIGHTS);
    }

    private static Optional<String> type(Path there) {
        try {
            return Optional.of(Files.getFileStore(there).type());
        } catch (IOException unknown) {
            return Optional.empty();
        }
    }

    private static OptionalLong free(Path there) {
        try {
            FileStore store = Files.getFileStore(there);
            return OptionalLong.of(store.getUsableSpace());
        } catch (IOException unknown) {
            return OptionalLong.empty();
        }
    }

    /** Returns the bytes of its files, as far as they can be read. */
    private static long used(Path folder) {
        try (Stream<Path> all = Files.walk(folder)) {
            return all.mapToLong(FolderReader::size).sum();
        } catch (IOException | java.io.UncheckedIOException unreadable) {
            return 0;
        }
    }

    private static long size(Path file) {
        try {
            return Files.isRegularFile(file) ? Files.size(file) : 0;
        } catch (IOException gone) {
            return 0;
        }
    }
}
