package io.belfry.server.doctor;

import io.belfry.server.doctor.Doctor.Load;
import java.util.Optional;
import java.util.stream.Stream;

/** A connection is an open file, and three limits stand above it. Pure. */
final class OpenFileChecks {
    /** Jars, logs, listeners, selectors, JMX, and the monitor's own connections. */
    private static final int OTHER_FILES = 1_000;

    private OpenFileChecks() {}

    static Stream<Finding> of(Load load, Host host) {
        long needed = (long) load.connections() + OTHER_FILES;
        String why = needed + " are needed for " + load.reason();
        return Stream.of(
                        Doctor.below(host.openFiles().hard(), needed)
                                .map(hard -> Finding.serious(
                                        "open files: a process may have " + hard + ", " + why,
                                        "LimitNOFILE=" + needed + " in the systemd unit",
                                        "echo '* - nofile " + needed
                                                + "' >/etc/security/limits.d/belfry.conf, then log in again")),
                        Doctor.below(host.kernel().value("fs.nr_open"), needed)
                                .map(most -> Finding.serious(
                                        "open files: fs.nr_open lets no process have more than " + most + ", " + why,
                                        "sysctl -w fs.nr_open=" + needed)),
                        Doctor.below(host.kernel().value("fs.file-max"), needed)
                                .map(most -> Finding.serious(
                                        "open files: fs.file-max lets the host have " + most + ", " + why,
                                        "sysctl -w fs.file-max=" + 2 * needed)))
                .flatMap(Optional::stream);
    }
}
