package io.belfry.server.config;

import io.belfry.settings.ConfTemplate;
import io.belfry.settings.KeyTables;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** The files of the repository that are generated from {@link ConfigKey}. */
enum GeneratedFiles {
    DOCUMENT("docs/configuration.md") {
        @Override
        String text() {
            return resource("configuration-head.md") + '\n' + KeyTables.of(ConfigLoader.KEYS);
        }
    },
    CONFIGURATION("config/belfry.conf") {
        @Override
        String text() {
            return ConfTemplate.of(
                    "The configuration of the Belfry server. Every key is listed with its default, commented out: remove"
                            + " the # in front of a name and change the value. docs/configuration.md explains how values are"
                            + " written; bin/belfry check reports errors and the effective values.",
                    ConfigLoader.KEYS);
        }
    };

    static final String COMMAND =
            "mvn -pl server -am test -Dtest=GeneratedFilesTest -Dsurefire.failIfNoSpecifiedTests=false -Dbelfry.generate=true";

    private final String path;

    GeneratedFiles(String path) {
        this.path = path;
    }

    abstract String text();

    String written() {
        try {
            return Files.exists(file()) ? Files.readString(file()) : "";
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    void write() throws IOException {
        Files.createDirectories(file().resolveSibling(""));
        Files.writeString(file(), text());
    }

    /** Returns the file's path, relative to the module's folder in which tests run. */
    Path file() {
        return repository(path);
    }

    static Path repository(String path) {
        return Path.of("..").resolve(path);
    }

    private static String resource(String name) {
        try (var stream = GeneratedFiles.class.getResourceAsStream(name)) {
            if (stream == null) throw new IllegalStateException("no resource " + name);
            return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }
}
