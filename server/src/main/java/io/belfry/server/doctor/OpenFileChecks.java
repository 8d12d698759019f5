package io.belfry.server.doctor;

import java.util.Optional;
import java.util.stream.Stream;

/** Checks of the three limits on open files, of which each connection takes one. Pure functions. */
final class OpenFileChecks {
    /** Files that are not connections of clients: jars, logs, listeners, selectors, JMX, connections of the monitor. */
    private static final int OTHER_FILES = 1_000;

    private OpenFileChecks() {}

    static Stream<Finding> of(ExpectedLoad load, Host host) {
        long needed = (long) load.connections() + OTHER_FILES;
        String why = needed + " are needed for " + load.reason();
        return Stream.of(
                        Host.below(host.openFiles().hard(), needed)
                                .map(hard -> Finding.serious(
                                        "open files: the limit of a process is " + hard + ", " + why,
                                        "LimitNOFILE=" + needed + " in the systemd unit",
                                        "echo '* - nofile " + needed
                                                + "' >/etc/security/limits.d/belfry.conf, then log in again")),
                        Host.below(host.kernel().value("fs.nr_open"), needed)
                                .map(most -> Finding.serious(
                                        "open files: fs.nr_open limits every process to " + most + ", " + why,
                                        "sysctl -w fs.nr_open=" + needed)),
                        Host.below(host.kernel().value("fs.file-max"), needed)
                                .map(most -> Finding.serious(
                                        "open files: fs.file-max limits the host to " + most + ", " + why,
                                        "sysctl -w fs.file-max=" + 2 * needed)))
                .flatMap(Optional::stream);
    }
}
