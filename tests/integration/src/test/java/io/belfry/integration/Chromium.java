package io.belfry.integration;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** A browser as people have it, without a window. */
final class Chromium {
    private static final String HOW_TO_INSTALL = "Debian: apt install chromium";

    private Chromium() {}

    static Tool open(String url) throws IOException {
        String chromium = Machine.program("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
                .map(Path::toString)
                .orElseThrow(() -> new AssertionError("this test needs Chromium on PATH. " + HOW_TO_INSTALL));
        // Under target: the browser still writes to it while it is being ended.
        Path profile = Files.createTempDirectory(Machine.target(), "chromium");
        return Tool.start(
                Machine.target(),
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
