package io.belfry.server.disk;

import io.belfry.server.history.MappedFile;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;

/** A folder with one file per segment, named after the segment's number. Immutable; used by any thread. */
final class FolderFiles implements SegmentFiles {
    private static final String SUFFIX = ".log";
    private static final String DAMAGED = ".damaged";

    private final Path folder;

    FolderFiles(Path folder) {
        this.folder = folder;
    }

    Path path(long segment) {
        return folder.resolve(String.format(Locale.ROOT, "%012d%s", segment, SUFFIX));
    }

    /** Returns the existing segments in order. */
    List<Long> segments() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.matches("[0-9]{12}\\.log"))
                    .map(name -> Long.valueOf(name.substring(0, name.length() - SUFFIX.length())))
                    .sorted()
                    .toList();
        }
    }

    long size(long segment) throws IOException {
        return Files.size(path(segment));
    }

    @Override
    public Open create(long segment) throws IOException {
        FileChannel channel = FileChannel.open(
                path(segment),
                Set.of(StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE),
                Folders.FILE);
        Folders.force(folder);
        return new Open() {
            @Override
            public void write(ByteBuffer bytes, long at) throws IOException {
                for (long next = at; bytes.hasRemaining(); ) {
                    next += channel.write(bytes, next);
                }
            }

            @Override
            public void force() throws IOException {
                channel.force(false);
            }

            @Override
            public void close() throws IOException {
                channel.close();
            }
        };
    }

    @Override
    public MappedFile map(long segment, long bytes) throws IOException {
        Arena arena = Arena.ofShared();
        try (FileChannel channel = FileChannel.open(path(segment), StandardOpenOption.READ)) {
            return MappedFile.of(
                    channel.map(FileChannel.MapMode.READ_ONLY, 0, bytes, arena).asByteBuffer(), arena);
        } catch (IOException | RuntimeException failure) {
            arena.close();
            throw failure;
        }
    }

    @Override
    public void truncate(long segment, long bytes) throws IOException {
        try (FileChannel channel = FileChannel.open(path(segment), StandardOpenOption.WRITE)) {
            channel.truncate(bytes);
            channel.force(true);
        }
    }

    @Override
    public void delete(long segment) throws IOException {
        Files.deleteIfExists(path(segment));
    }

    /** Renames the file so that it is no longer part of the log; returns the new name. */
    Path setAside(long segment) throws IOException {
        Path aside = aside(segment);
        Files.move(path(segment), aside);
        Folders.force(folder);
        return aside;
    }

    /** Adds a second name to the file, for a damaged one; returns the new name. */
    Path nameDamaged(long segment) throws IOException {
        Path aside = aside(segment);
        Files.createLink(aside, path(segment));
        Folders.force(folder);
        return aside;
    }

    /** Sets a file aside as {@link #nameDamaged} does, and keeps the given number of its bytes under the original name. */
    Path setAsideAfter(long segment, int bytes) throws IOException {
        Path aside = nameDamaged(segment);
        Path part = folder.resolve("part");
        try (FileChannel from = FileChannel.open(aside, StandardOpenOption.READ);
                FileChannel to = FileChannel.open(
                        part,
                        Set.of(
                                StandardOpenOption.CREATE,
                                StandardOpenOption.TRUNCATE_EXISTING,
                                StandardOpenOption.WRITE),
                        Folders.FILE)) {
            for (long done = 0; done < bytes; ) {
                done += from.transferTo(done, bytes - done, to);
            }
            to.force(true);
        }
        Files.move(part, path(segment), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        Folders.force(folder);
        return aside;
    }

    private Path aside(long segment) {
        Path first = folder.resolve(path(segment).getFileName() + DAMAGED);
        for (int i = 2; ; i++) {
            Path aside = i == 2 ? first : folder.resolve(first.getFileName() + "-" + (i - 1));
            if (!Files.exists(aside)) {
                return aside;
            }
        }
    }
}
