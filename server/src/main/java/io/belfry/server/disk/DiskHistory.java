package io.belfry.server.disk;

import io.belfry.server.config.HistoryConfig;
import io.belfry.server.config.HistoryConfig.Sync;
import io.belfry.server.history.HistoryStorage;
import io.belfry.server.history.LogStore;
import io.belfry.server.history.StoredSegment;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The folder of a server's history: locked while the server runs, read at start, marked at an orderly stop.
 * Owner: the server; each lane takes its part once.
 *
 * <pre>
 *   data/lock                        held by the running server
 *   data/continuity                  {@link Continuity}
 *   data/logs-1/lane-0/000000000000.log ...
 * </pre>
 *
 * <p>This class decides at start, once for all lanes, whether earlier positions are still valid. The epoch continues only if
 * everything that was delivered or acknowledged is still there:
 * <ul>
 *   <li>after an orderly stop it is;
 *   <li>after a kill of the server it is: delivered messages had been written, and the operating system keeps them;
 *   <li>after a crash of the operating system it is unless {@code History.Sync} was {@code os}, because a message is
 *       delivered only after it was synced;
 *   <li>in a copy of the folder, or one with damage, it may not be, so a new epoch begins.
 * </ul>
 */
public final class DiskHistory implements HistoryStorage {
    private static final Logger LOG = LoggerFactory.getLogger(DiskHistory.class);
    private static final String LOGS = "logs-";
    private static final String LANE = "lane-";

    private final Path folder;
    private final Sync sync;
    private final FileChannel lock;
    private final Continuity continuity;
    private final List<Path> laneFolders;
    private final List<LaneScan.Found> found;
    private final Map<Integer, DiskWriter> writers = new HashMap<>();

    private DiskHistory(
            Path folder,
            Sync sync,
            FileChannel lock,
            Continuity continuity,
            List<Path> laneFolders,
            List<LaneScan.Found> found) {
        this.folder = folder;
        this.sync = sync;
        this.lock = lock;
        this.continuity = continuity;
        this.laneFolders = laneFolders;
        this.found = found;
    }

    /** Opens the folder for this number of lanes, and creates it if it does not exist. */
    public static DiskHistory open(HistoryConfig config, int lanes, int largestMessage, long nowMillis)
            throws IOException {
        Path folder = config.folder().toAbsolutePath().normalize();
        FileChannel lock = lock(folder);
        try {
            return new Opening(folder, config.sync(), lanes, largestMessage, nowMillis).open(lock);
        } catch (IOException | RuntimeException failure) {
            lock.close();
            throw failure;
        }
    }

    private static FileChannel lock(Path folder) throws IOException {
        FileChannel channel;
        try {
            Folders.create(folder);
            channel = FileChannel.open(
                    folder.resolve("lock"), Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE), Folders.FILE);
        } catch (IOException failure) {
            throw new IOException("History.Folder " + folder + " cannot be written: " + failure, failure);
        }
        try {
            FileLock lock = channel.tryLock();
            if (lock != null) {
                return channel;
            }
        } catch (OverlappingFileLockException sameProcess) {
            LOG.debug("history folder is locked by another server of this process", sameProcess);
        }
        channel.close();
        throw new IOException("History.Folder " + folder + " is in use by another server");
    }

    public long epoch() {
        return continuity.epoch();
    }

    /** Returns the seed of the hash that assigns subjects to lanes. */
    public long seed() {
        return continuity.seed();
    }

    @Override
    public List<StoredSegment> stored(int lane) {
        return found.get(lane).segments();
    }

    @Override
    public int generation() {
        return continuity.generation();
    }

    @Override
    public LogStore open(int lane, Consumer<Runnable> loop) {
        DiskWriter writer = new DiskWriter(new FolderFiles(laneFolders.get(lane)), sync, "belfry-disk-" + lane, loop);
        writers.put(lane, writer);
        return writer;
    }

    /** Records the end after the logs were closed. {@code well} means that every accepted message is in them. */
    public void close(boolean well) throws IOException {
        try (lock) {
            if (well) {
                List<Long> ends = new ArrayList<>();
                for (int lane = 0; lane < found.size(); lane++) {
                    DiskWriter writer = writers.get(lane);
                    ends.add(Math.max(found.get(lane).end(), writer == null ? -1 : writer.end()));
                }
                continuity.stopped(ends).write(folder);
            }
        }
    }

    /** The steps of opening a folder. */
    private static final class Opening {
        private final Path folder;
        private final Sync sync;
        private final int lanes;
        private final int largestMessage;
        private final long now;

        Opening(Path folder, Sync sync, int lanes, int largestMessage, long now) {
            this.folder = folder;
            this.sync = sync;
            this.lanes = lanes;
            this.largestMessage = largestMessage;
            this.now = now;
        }

        DiskHistory open(FileChannel lock) throws IOException {
            Optional<Continuity.Read> before = Continuity.read(folder);
            int generation = before.isPresent() ? before.get().continuity().generation() : newestGeneration();
            List<Path> stored = laneFolders(generation);
            boolean mayBeTorn = !before.map(each -> each.continuity().clean()).orElse(false);
            List<LaneScan.Found> found = new ArrayList<>();
            for (Path lane : stored) {
                found.add(LaneScan.read(new FolderFiles(lane), mayBeTorn));
            }
            String broken = whyBroken(before, found);
            Continuity was = before.map(Continuity.Read::continuity).orElse(null);
            long epoch = broken == null && was != null ? was.epoch() : Math.max(now, was == null ? 0 : was.epoch() + 1);
            long seed = was == null ? new SecureRandom().nextLong() : was.seed();
            if (was == null || stored.size() != lanes) {
                rehome(found, epoch, seed, generation + 1);
                generation++;
                found = new ArrayList<>();
                for (Path lane : laneFolders(generation)) {
                    found.add(LaneScan.read(new FolderFiles(lane), false));
                }
            }
            Continuity next = new Continuity(
                    epoch,
                    seed,
                    generation,
                    Continuity.thisBoot(),
                    false,
                    sync,
                    found.stream().map(LaneScan.Found::end).toList());
            next.write(folder);
            forgetOthers(generation);
            say(broken, was, next);
            return new DiskHistory(folder, sync, lock, next, laneFolders(generation), found);
        }

        private int newestGeneration() throws IOException {
            return Folders.list(folder, LOGS + "[0-9]{1,9}").stream()
                    .mapToInt(Opening::generationOf)
                    .max()
                    .orElse(0);
        }

        private static int generationOf(Path logs) {
            return Integer.parseInt(logs.getFileName().toString().substring(LOGS.length()));
        }

        private Path logs(int generation) {
            return folder.resolve(LOGS + generation);
        }

        private List<Path> laneFolders(int generation) throws IOException {
            Path logs = logs(generation);
            int count = Files.isDirectory(logs)
                    ? Folders.list(logs, LANE + "[0-9]{1,9}").size()
                    : 0;
            return laneFolders(generation, count);
        }

        private List<Path> laneFolders(int generation, int count) {
            return IntStream.range(0, count)
                    .mapToObj(lane -> logs(generation).resolve(LANE + lane))
                    .toList();
        }

        private void rehome(List<LaneScan.Found> found, long epoch, long seed, int generation) throws IOException {
            if (Files.exists(logs(generation))) {
                Folders.delete(logs(generation));
            }
            List<Path> folders = laneFolders(generation, lanes);
            if (!found.isEmpty()) {
                LOG.info("history is redistributed: lanes={} before={}", lanes, found.size());
            }
            try (Rehoming rehoming = new Rehoming(epoch, seed, now, folders, largestMessage)) {
                for (LaneScan.Found lane : found) {
                    rehoming.take(lane);
                }
            }
            for (Path lane : folders) {
                Folders.force(lane);
            }
            Folders.force(logs(generation));
            Folders.force(folder);
        }

        /** Returns why earlier positions are not valid, or null if they are. */
        private static @Nullable String whyBroken(Optional<Continuity.Read> before, List<LaneScan.Found> found) {
            if (before.isEmpty()) {
                return found.isEmpty() ? "the folder is new" : "the file `continuity` is missing or incomplete";
            }
            Continuity was = before.get().continuity();
            if (!before.get().original()) {
                return "the folder is a copy, or was restored from a backup";
            }
            if (found.size() != was.lanes()
                    || found.stream().anyMatch(lane -> !lane.damages().isEmpty())) {
                return "a part of it is damaged or missing";
            }
            for (int lane = 0; lane < found.size(); lane++) {
                if (found.get(lane).end() < was.ends().get(lane)) {
                    return "a part of it is missing";
                }
            }
            boolean sameBoot =
                    was.boot().equals(Continuity.thisBoot()) && !was.boot().equals("unknown");
            if (!was.clean() && !sameBoot && was.sync() == Sync.OS) {
                return "the operating system went down while History.Sync was os";
            }
            return null;
        }

        private void forgetOthers(int generation) throws IOException {
            for (Path logs : Folders.list(folder, LOGS + "[0-9]{1,9}")) {
                if (generationOf(logs) != generation) {
                    Folders.delete(logs);
                }
            }
        }

        private void say(@Nullable String broken, @Nullable Continuity was, Continuity next) {
            if (broken != null || was == null) {
                LOG.info("history in {} begins epoch {}: {}", folder, next.epoch(), broken);
            } else {
                LOG.info(
                        "history in {} continues epoch {}: {}",
                        folder,
                        next.epoch(),
                        was.clean()
                                ? "the server was stopped in order"
                                : was.boot().equals(next.boot())
                                        ? "the server was killed, and delivered messages had been written"
                                        : "the operating system went down, and delivered messages had been synced to disk");
            }
        }
    }
}
