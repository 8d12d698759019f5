package io.belfry.twin;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** A folder that goes with all that is in it. Owner: whoever closes it. */
record WorkFolder(Path path) implements AutoCloseable {
    static WorkFolder in(Path parent) throws IOException {
        return new WorkFolder(Files.createTempDirectory(parent, "belfry-twin-"));
    }

    @Override
    public void close() throws IOException {
        List<Path> innermostFirst;
        try (Stream<Path> all = Files.walk(path)) {
            innermostFirst = all.sorted(Comparator.reverseOrder()).toList();
        }
        for (Path each : innermostFirst) {
            Files.delete(each);
        }
    }
}
