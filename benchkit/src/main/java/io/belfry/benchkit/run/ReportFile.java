package io.belfry.benchkit.run;

import io.belfry.benchkit.measure.ReportLog;
import io.belfry.settings.Settings;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/** Where the figures go at the end, if anywhere. Immutable. */
record ReportFile(Optional<Path> path, Settings settings) {
    /** False if it could not be written, which was then told. */
    boolean write(Summary summary, int exitCode, ReportLog log) {
        if (path.isEmpty()) {
            return true;
        }
        try {
            ReportJson.write(path.get(), summary, exitCode, settings);
            return true;
        } catch (IOException e) {
            log.error("the report cannot be written to " + path.get() + ": " + e.getMessage());
            return false;
        }
    }
}
