package io.belfry.server.disk;

import io.belfry.server.history.StoredSegment;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;

/**
 * A folder with up to four log files of any content, after an orderly end or a crash. The log can be read, segments lie
 * within their files, and reading again finds the same. The first byte selects the number of files and whether the end may
 * be torn.
 */
@NullMarked
public final class LogFilesTarget {
    private static final int FILES_MAX = 4;
    private static final Path FOLDER = folder();

    private LogFilesTarget() {}

    private static Path folder() {
        try {
            // Each scan syncs its changes to the disk, which is fast in memory.
            Path memory = Path.of("/dev/shm");
            Path parent = Files.isWritable(memory) ? memory : Files.createDirectories(Path.of("target"));
            Path folder = Files.createTempDirectory(parent, "belfry-fuzz");
            folder.toFile().deleteOnExit();
            return folder;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Called by Jazzer and by the replay of the corpus for each input. */
    public static void fuzzerTestOneInput(byte[] input) {
        if (input.length == 0) {
            return;
        }
        try {
            Path lane = Files.createDirectory(FOLDER.resolve("lane"));
            write(lane, input);
            boolean torn = (input[0] & 4) != 0;
            read(lane, torn);
            // A scan that removes a file makes another file the last one, which may then be truncated in the next scan.
            for (int i = 0; i < FILES_MAX; i++) {
                read(lane, torn);
            }
            List<StoredSegment> found = read(lane, torn);
            List<StoredSegment> again = read(lane, torn);
            if (!ends(found).equals(ends(again))) {
                throw new AssertionError("reading again found other segments: " + ends(found) + " and " + ends(again));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            clear();
        }
    }

    private static void write(Path lane, byte[] input) throws IOException {
        int files = 1 + (input[0] & 3);
        int size = (input.length - 1) / files;
        FolderFiles folder = new FolderFiles(lane);
        for (int i = 0; i < files; i++) {
            int from = 1 + i * size;
            int to = i == files - 1 ? input.length : from + size;
            Files.write(folder.path(3 + i), Arrays.copyOfRange(input, from, to));
        }
    }

    private static List<String> ends(List<StoredSegment> segments) {
        return segments.stream()
                .map(segment -> segment.number() + ":" + segment.end())
                .toList();
    }

    private static List<StoredSegment> read(Path lane, boolean torn) throws IOException {
        LaneScan.Found found = LaneScan.read(new FolderFiles(lane), torn);
        for (StoredSegment segment : found.segments()) {
            if (segment.end() < 0 || segment.end() > segment.file().bytes().capacity()) {
                throw new AssertionError("a segment ends outside its file");
            }
        }
        found.close();
        return found.segments();
    }

    private static void clear() {
        try (Stream<Path> all = Files.walk(FOLDER)) {
            List<Path> deepestFirst = all.sorted(Comparator.reverseOrder()).toList();
            for (Path each : deepestFirst.subList(0, deepestFirst.size() - 1)) {
                Files.delete(each);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
