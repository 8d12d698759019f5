package io.belfry.server.log;

import ch.qos.logback.core.rolling.RollingPolicyBase;
import ch.qos.logback.core.rolling.RolloverFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/**
 * Keeps a number of old log files; {@code belfry.1.log} is the latest. Logback's own policy keeps at most 20 and
 * fails if the folder's name contains a percent sign. Owner: the appender, under its lock.
 */
final class NumberedFiles extends RollingPolicyBase {
    private final Path active;
    private final int kept;

    NumberedFiles(Path active, int kept) {
        this.active = active;
        this.kept = kept;
    }

    @Override
    public void rollover() {
        try {
            Files.deleteIfExists(numbered(kept));
            for (int number = kept - 1; number >= 0; number--) {
                if (Files.exists(numbered(number))) {
                    Files.move(numbered(number), numbered(number + 1), StandardCopyOption.REPLACE_EXISTING);
                }
            }
        } catch (IOException e) {
            throw new RolloverFailure("log rotation failed; logging continues in " + active, e);
        }
    }

    /** Returns the file with this number; 0 is the active file, which is deleted if no old file is kept. */
    private Path numbered(int number) {
        String name = active.getFileName().toString();
        return number == 0 ? active : active.resolveSibling(name.replace(".log", "." + number + ".log"));
    }

    @Override
    public String getActiveFileName() {
        return active.toString();
    }
}
