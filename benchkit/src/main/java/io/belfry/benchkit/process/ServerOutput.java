package io.belfry.benchkit.process;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Finds in the lines a starting server prints where it listens. Owner: the thread that reads them.
 */
final class ServerOutput {
    private static final Pattern LISTENING = Pattern.compile("\\blistening on (?:ws://)?(\\S+):(\\d+)");
    private static final Pattern MONITOR = Pattern.compile("(?i)\\bmonitor(?: on|:) (http://\\S+)");

    private @Nullable String server;
    private @Nullable String monitor;

    void line(String line) {
        Matcher listening = LISTENING.matcher(line);
        if (server == null && listening.find()) {
            server = listening.group(1) + ":" + listening.group(2);
        }
        Matcher monitoring = MONITOR.matcher(line);
        if (monitor == null && monitoring.find()) {
            monitor = monitoring.group(1).replaceAll("/+$", "");
        }
    }

    /** {@code host:port} of the first listener. */
    Optional<String> server() {
        return Optional.ofNullable(server);
    }

    /** {@code http://host:port} of the monitor. */
    Optional<String> monitor() {
        return Optional.ofNullable(monitor);
    }
}
