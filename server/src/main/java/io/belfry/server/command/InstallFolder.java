package io.belfry.server.command;

import java.nio.file.Path;
import java.util.Optional;

/** Installation folder of the program; the scripts in bin/ pass it as a system property. */
final class InstallFolder {
    /** Name of the main class. Not a class reference, because this package must not depend on its parent package. */
    static final String MAIN_CLASS = "io.belfry.server.Main";

    private InstallFolder() {}

    /** Returns the folder above bin/, or the current folder if Java was started without the scripts. */
    static Path path() {
        return Path.of(System.getProperty("belfry.home", "")).toAbsolutePath();
    }

    /** Returns the folder of locks, pids and control sockets. */
    static Path runFolder() {
        return Optional.ofNullable(System.getenv("BELFRY_RUN_FOLDER"))
                .filter(folder -> !folder.isBlank())
                .map(Path::of)
                .orElseGet(() -> path().resolve("run"));
    }
}
