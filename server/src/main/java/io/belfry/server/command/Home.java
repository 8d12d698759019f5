package io.belfry.server.command;

import java.nio.file.Path;

/** Where the program lies, as the scripts in bin/ pass it on. */
final class Home {
    /** By name, for this package must not know the one above it. */
    static final String MAIN_CLASS = "io.belfry.server.Main";

    private Home() {}

    /** The folder above bin/; where Java was started without the scripts, the current one. */
    static Path folder() {
        return Path.of(System.getProperty("belfry.home", "")).toAbsolutePath();
    }
}
