package io.belfry.integration;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.stream.Stream;

/** A copy of the parts of the built project that a server needs, as an operator installs it. */
final class InstalledCopy {
    private InstalledCopy() {}

    /** Copies the parts into this folder and returns it. */
    static Path in(Path home) throws IOException {
        Path jar = Path.of("server", "target", "belfry-server.jar");
        assertThat(TestMachine.root().resolve(jar))
                .as("jar built by mvn verify")
                .exists();
        for (Path part : List.of(Path.of("bin"), Path.of("tuning"), jar, Path.of("server", "target", "lib"))) {
            copy(part, home);
        }
        return home;
    }

    private static void copy(Path part, Path home) throws IOException {
        Path from = TestMachine.root().resolve(part);
        Files.createDirectories(home.resolve(part).getParent());
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.toList()) {
                Files.copy(
                        file,
                        home.resolve(part).resolve(from.relativize(file).toString()),
                        StandardCopyOption.COPY_ATTRIBUTES);
            }
        }
    }
}
