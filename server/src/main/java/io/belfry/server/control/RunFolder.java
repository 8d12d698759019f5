package io.belfry.server.control;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The folder with the lock, pid and control socket of one server name. The lock decides whether the server runs, because
 * the kernel releases it with the process, whereas a pid may be reused after a crash. The lock
 * is a separate file because closing any other descriptor of a locked file would release it. Immutable.
 */
public record RunFolder(Path folder, String name) {
    /** Capacity of sun_path on all supported systems, without its terminating zero. */
    private static final int SOCKET_PATH_BYTES_MAX = 103;

    private static final int CLAIM_ATTEMPTS = 20;
    private static final long CLAIM_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    public RunFolder {
        if (!name.matches("[A-Za-z0-9][A-Za-z0-9._-]{0,63}")) {
            throw new IllegalArgumentException(
                    "'" + name + "' is not a valid server name: use letters, digits, '.', '_' and '-', at most 64");
        }
        folder = folder.toAbsolutePath().normalize();
    }

    public Path pidFile() {
        return folder.resolve(name + ".pid");
    }

    Path lockFile() {
        return folder.resolve(name + ".lock");
    }

    public Path socket() {
        return folder.resolve(name + ".sock");
    }

    /**
     * Takes the name for this process until the claim is closed; empty if a running server has it. Retries for a
     * second, because a call of {@link #state()} in another process holds the lock for an instant.
     */
    public Optional<Claim> claim() throws IOException {
        if (socket().toString().getBytes(StandardCharsets.UTF_8).length > SOCKET_PATH_BYTES_MAX) {
            throw new IOException("the path of the control socket exceeds " + SOCKET_PATH_BYTES_MAX + " bytes: "
                    + socket() + "; set BELFRY_RUN_FOLDER to a shorter path");
        }
        createPrivate(folder);
        FileChannel channel = FileChannel.open(lockFile(), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        for (int attempt = 0; attempt < CLAIM_ATTEMPTS; attempt++) {
            if (tryLock(channel) != null) {
                Files.writeString(pidFile(), ProcessHandle.current().pid() + "\n");
                return Optional.of(new Claim(this, channel));
            }
            LockSupport.parkNanos(CLAIM_PAUSE_NANOS);
        }
        channel.close();
        return Optional.empty();
    }

    public State state() throws IOException {
        OptionalLong pid = readPid();
        if (isLocked()) {
            return new State.Running(pid);
        }
        return pid.isPresent() ? new State.Stale(pid.getAsLong()) : new State.Absent();
    }

    /** Deletes the files of a dead server; does nothing while one runs. */
    public void clear() throws IOException {
        if (!isLocked()) {
            Files.deleteIfExists(pidFile());
            Files.deleteIfExists(socket());
        }
    }

    private boolean isLocked() throws IOException {
        try (FileChannel channel = FileChannel.open(lockFile(), StandardOpenOption.WRITE)) {
            return tryLock(channel) == null;
        } catch (NoSuchFileException e) {
            return false;
        }
    }

    private OptionalLong readPid() throws IOException {
        try {
            return OptionalLong.of(Long.parseLong(Files.readString(pidFile()).strip()));
        } catch (NoSuchFileException | NumberFormatException e) {
            return OptionalLong.empty();
        }
    }

    private static @Nullable FileLock tryLock(FileChannel channel) throws IOException {
        try {
            return channel.tryLock();
        } catch (OverlappingFileLockException e) {
            return null; // this process holds it
        }
    }

    /** Creates the folder; an existing one keeps its mode, because a service manager may have created it. */
    private static void createPrivate(Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            Files.createDirectories(
                    folder, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        }
    }

    /** The state of the server of this name. */
    public sealed interface State {
        /** It runs; the pid is missing only for the instant between its lock and its pid file. */
        record Running(OptionalLong pid) implements State {}

        /** It does not run but left its pid file: it was killed or crashed, and another program may have the pid now. */
        record Stale(long pid) implements State {}

        record Absent() implements State {}
    }

    /** The claim on a name. Owner: the process that took it. */
    public static final class Claim implements Closeable {
        private final RunFolder run;
        private final FileChannel lock;

        private Claim(RunFolder run, FileChannel lock) {
            this.run = run;
            this.lock = lock;
        }

        public Path socket() {
            return run.socket();
        }

        @Override
        public void close() throws IOException {
            try (lock) {
                Files.deleteIfExists(run.pidFile());
            }
        }
    }
}
