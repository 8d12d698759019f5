package io.belfry.twin;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** What this process and its store take up. */
final class Footprint {
    private static final Path STATUS = Path.of("/proc/self/status");

    private Footprint() {}

    /** Memory of the process's own that is resident, pages of files it maps not counted: the kernel takes those back. */
    static long residentBytes() throws IOException {
        if (!Files.exists(STATUS)) {
            return 0;
        }
        for (String line : Files.readAllLines(STATUS)) {
            if (line.startsWith("RssAnon:")) {
                return Long.parseLong(line.replaceAll("\\D", "")) * 1024;
            }
        }
        return 0;
    }

    /** What the files in a folder take up. */
    static long bytesOnDisk(Path folder) throws IOException {
        if (!Files.exists(folder)) {
            return 0;
        }
        try (Stream<Path> files = Files.walk(folder)) {
            List<Path> all = files.filter(Files::isRegularFile).toList();
            long bytes = 0;
            for (Path file : all) {
                bytes += Files.size(file);
            }
            return bytes;
        }
    }
}
