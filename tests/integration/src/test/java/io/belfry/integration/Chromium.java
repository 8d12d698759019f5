package io.belfry.integration;

import io.belfry.testsupport.RequiredPrograms;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Starts the installed browser without a window. */
final class Chromium {
    private Chromium() {}

    /** Returns the path of the installed browser; a test without one is skipped. */
    static String program() {
        return RequiredPrograms.require(
                "Debian: apt install chromium",
                "chromium",
                "chromium-browser",
                "google-chrome",
                "google-chrome-stable");
    }

    static Tool open(String url) throws IOException {
        String chromium = program();
        // The folder is under target because the browser still writes to it while it is being closed.
        Path profile = Files.createTempDirectory(TestMachine.target(), "chromium");
        return Tool.start(
                TestMachine.target(),
                Map.of(),
                List.of(
                        chromium,
                        "--headless",
                        "--no-sandbox",
                        "--disable-gpu",
                        "--disable-quic",
                        "--no-first-run",
                        "--disable-background-networking",
                        "--disable-component-update",
                        "--disable-sync",
                        "--disable-breakpad",
                        "--remote-debugging-port=0",
                        "--user-data-dir=" + profile,
                        url));
    }
}
