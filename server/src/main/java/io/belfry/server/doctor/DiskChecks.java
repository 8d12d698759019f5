package io.belfry.server.doctor;

import io.belfry.server.config.HistoryConfig;
import io.belfry.server.config.ServerConfig;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** Checks of the folder of a history on disk. Pure functions. */
final class DiskChecks {
    private static final Set<String> MEMORY = Set.of("tmpfs", "ramfs");
    private static final Set<String> NETWORK =
            Set.of("nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "afs", "fuse.sshfs");

    private static final String ELSEWHERE =
            "History.Folder = /var/lib/belfry   # in the configuration, or another folder on a local disk with room";

    /** Share of the free space that the history may take, because other data on the disk grows too. */
    private static final double SHARE = 0.9;

    private DiskChecks() {}

    static Stream<Finding> of(ServerConfig config, Host host) {
        if (config.history().kind() != HistoryConfig.Kind.DISK || host.history().isEmpty()) {
            return Stream.empty();
        }
        Host.Folder folder = host.history().get();
        Optional<Finding> unusable = unusable(folder);
        return unusable.isPresent()
                ? unusable.stream()
                : Stream.of(space(config.history(), folder), kind(folder)).flatMap(Optional::stream);
    }

    /** Returns the fault of a folder with which a server does not start. */
    static Optional<Finding> unusable(Host.Folder folder) {
        String what = "history: History.Folder " + folder.path() + " cannot be used: ";
        return folder.obstacle().map(obstacle -> switch (obstacle) {
            case FILE -> Finding.serious(what + "it is a file, not a folder", ELSEWHERE);
            case RIGHTS ->
                Finding.serious(
                        what + "user " + folder.user() + " may not write to it",
                        "install -d -m 700 -o " + folder.user() + " " + folder.path() + "   # as root");
        });
    }

    private static Optional<Finding> space(HistoryConfig config, Host.Folder folder) {
        long needed = config.diskBytes() - folder.usedBytes();
        return Host.below(folder.freeBytes(), needed).map(free -> {
            long possible = (long) ((free + folder.usedBytes()) * SHARE) >> 20;
            return Finding.serious(
                    "history: the disk of " + folder.path() + " has " + (free >> 20)
                            + " MB left, but the history may take " + (needed >> 20) + " MB more (History.DiskBytes)",
                    config.holds(possible << 20)
                            ? "History.DiskBytes = " + possible + " MB   # in the configuration"
                            : ELSEWHERE);
        });
    }

    private static Optional<Finding> kind(Host.Folder folder) {
        String type = folder.type().orElse("");
        if (MEMORY.contains(type)) {
            return Optional.of(Finding.serious(
                    "history: " + folder.path() + " is in memory (" + type
                            + "); the history is lost when this machine restarts",
                    ELSEWHERE));
        }
        if (NETWORK.contains(type)) {
            return Optional.of(Finding.advice(
                    "history: " + folder.path() + " is on the network (" + type
                            + "): each acknowledgement waits for it, and its locks must exclude a second server",
                    ELSEWHERE));
        }
        return Optional.empty();
    }
}
