package io.belfry.server.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.belfry.protocol.Code;
import io.belfry.server.config.HistoryConfig;
import io.belfry.server.config.HistoryConfig.Sync;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests whether earlier positions stay valid, depending on the folder's contents and on changes while it was closed.
 */
class HistoryFolderTest {
    private static final int LANES = 1;
    private static final PlayedLane.Settings SETTINGS = new PlayedLane.Settings(100, 1_000_000, 1 << 20, Sync.GROUP);

    @TempDir
    private Path root;

    private long now = 1000;

    private Path folder() {
        return root.resolve("data");
    }

    private Path lane() {
        return folder().resolve("logs-1").resolve("lane-0");
    }

    private DiskHistory open(Path folder, int lanes, Sync sync) throws IOException {
        HistoryConfig config =
                new HistoryConfig(HistoryConfig.Kind.DISK, 100, 1_000_000, 0, folder, sync, 64 << 20, 1000);
        return DiskHistory.open(config, lanes, 1024, ++now);
    }

    private DiskHistory open() throws IOException {
        return open(folder(), LANES, Sync.GROUP);
    }

    /** Runs once, publishes these messages and stops in order or is killed; returns the epoch. */
    private long run(boolean inOrder, String... messages) throws IOException {
        DiskHistory history = open();
        try (PlayedLane played = played()) {
            for (String message : messages) {
                played.publish(0, "/s", "", message, false);
                played.settle();
            }
        }
        history.close(false);
        if (inOrder) {
            open().close(true);
        }
        return history.epoch();
    }

    private PlayedLane played() throws IOException {
        return played(SETTINGS);
    }

    private PlayedLane played(PlayedLane.Settings settings) throws IOException {
        return new PlayedLane(lane(), true, settings, new Random(0), 1000, new PlayedLane.Listener() {
            @Override
            public void message(String subject, long seq, String data, boolean retained, long time) {
                assertThat(seq).isPositive();
            }

            @Override
            public void accepted(long command, long seq) {
                assertThat(seq).isPositive();
            }

            @Override
            public void refused(long command, String subject, Code code) {
                throw new AssertionError(subject + " refused with " + code);
            }
        });
    }

    private long epochNow() throws IOException {
        DiskHistory history = open();
        history.close(false);
        return history.epoch();
    }

    private void became(String boot, Sync sync) throws IOException {
        Continuity was = Continuity.read(folder()).orElseThrow().continuity();
        new Continuity(was.epoch(), was.seed(), was.generation(), boot, was.clean(), sync, was.ends()).write(folder());
    }

    @Test
    void aNewFolderBeginsAnEpochAndIsPrivate() throws IOException {
        DiskHistory history = open();
        history.close(true);
        assertThat(history.epoch()).isEqualTo(now);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(folder())))
                .isEqualTo("rwx------");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(folder().resolve("continuity"))))
                .isEqualTo("rw-------");
    }

    @Test
    void theEpochSurvivesAStopAndAKill() throws IOException {
        long epoch = run(true, "a");
        assertThat(run(false, "b")).isEqualTo(epoch);
        assertThat(epochNow()).isEqualTo(epoch);
    }

    @Test
    void aFolderInUseByAnotherServerIsRefused() throws IOException {
        DiskHistory first = open();
        assertThatThrownBy(this::open)
                .isInstanceOf(IOException.class)
                .hasMessageContaining("is in use by another server")
                .hasMessageContaining(folder().toString());
        first.close(true);
        assertThat(epochNow()).isEqualTo(first.epoch());
    }

    @Test
    void aPathThatCannotBeAFolderIsRefusedByName() throws IOException {
        Path file = Files.createFile(root.resolve("file"));
        assertThatThrownBy(() -> open(file.resolve("data"), LANES, Sync.GROUP))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("History.Folder " + file.resolve("data") + " cannot be written");
        assertThatThrownBy(() -> open(file, LANES, Sync.GROUP)).hasMessageContaining("cannot be written");
    }

    /** The lock must be free after a failed start, so that the repaired folder can be opened. */
    @Test
    void anUnreadableFolderCanBeOpenedOnceItIsRepaired() throws IOException {
        long epoch = run(true, "a");
        Path continuity = folder().resolve("continuity");
        Path away = folder().resolve("away");
        Files.move(continuity, away);
        Files.createDirectory(continuity);
        assertThatThrownBy(this::open).isInstanceOf(IOException.class);
        Files.delete(continuity);
        Files.move(away, continuity);
        assertThat(epochNow()).isEqualTo(epoch);
    }

    @Test
    void aPowerCutKeepsTheEpochOnlyIfMessagesWereForced() throws IOException {
        long epoch = run(false, "a");
        became("another", Sync.GROUP);
        assertThat(epochNow()).isEqualTo(epoch);
        became("another", Sync.ALWAYS);
        assertThat(epochNow()).isEqualTo(epoch);
        became("another", Sync.OS);
        assertThat(epochNow()).isGreaterThan(epoch);
    }

    @Test
    void aLostContinuityFileStartsANewEpochWithAllMessages() throws IOException {
        long epoch = run(true, "a", "b");
        Files.delete(folder().resolve("continuity"));
        DiskHistory history = open();
        assertThat(history.epoch()).isGreaterThan(epoch);
        assertThat(history.stored(0)).isNotEmpty();
        history.close(true);
    }

    @Test
    void aCopyOfTheFolderStartsANewEpoch() throws IOException {
        long epoch = run(true, "a");
        Path copy = root.resolve("copy");
        copy(folder(), copy);
        DiskHistory history = open(copy, LANES, Sync.GROUP);
        assertThat(history.epoch()).isGreaterThan(epoch);
        history.close(true);
        assertThat(epochNow()).as("epoch of the original folder").isEqualTo(epoch);
    }

    @Test
    void aRestoredBackupOfTheSameRunStartsANewEpoch() throws IOException {
        long epoch = run(true, "a");
        DiskHistory killed = open();
        Path backup = root.resolve("backup");
        copy(folder(), backup);
        try (PlayedLane played = played()) {
            played.publish(0, "/s", "", "not in the backup", false);
            played.settle();
        }
        killed.close(false);
        copy(backup, folder());
        assertThat(epochNow()).isGreaterThan(epoch);
    }

    /** Overwrites the bytes of existing files in place, as {@code cp -r} does. */
    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> all = Files.walk(from)) {
            for (Path each : all.toList()) {
                Path there = to.resolve(from.relativize(each));
                if (Files.isDirectory(each)) {
                    Files.createDirectories(there);
                } else if (Files.exists(there)) {
                    Files.write(there, Files.readAllBytes(each));
                } else {
                    Files.copy(each, there, StandardCopyOption.COPY_ATTRIBUTES);
                }
            }
        }
    }

    @Test
    void aTornTailIsTruncatedAndTheEpochKept() throws IOException {
        long epoch = run(false, "a", "b");
        Path last = logs().getLast();
        Files.write(last, new byte[333], java.nio.file.StandardOpenOption.APPEND);
        assertThat(epochNow()).isEqualTo(epoch);
        try (PlayedLane played = played()) {
            assertThat(played.messages("/s")).containsExactly("1 a", "2 b");
        }
    }

    @Test
    void aMissingFileStartsANewEpoch() throws IOException {
        long epoch = run(true, "a");
        Files.delete(logs().getLast());
        assertThat(epochNow()).isGreaterThan(epoch);
    }

    private List<Path> logs() throws IOException {
        return Folders.list(lane(), "[0-9]{12}\\.log");
    }

    @Test
    void anotherNumberOfLanesKeepsEpochSeedAndMessages() throws IOException {
        long epoch = run(true, "a", "b");
        for (int lanes : new int[] {3, 1}) {
            DiskHistory history = open(folder(), lanes, Sync.GROUP);
            assertThat(history.epoch()).isEqualTo(epoch);
            long segments = 0;
            for (int lane = 0; lane < lanes; lane++) {
                segments += history.stored(lane).size();
            }
            assertThat(segments).isPositive();
            history.close(true);
        }
        assertThat(Folders.list(folder(), "logs-.*")).hasSize(1);
    }

    /** Restores the oldest file without the files after it, so that files seem to be missing. */
    @Test
    void aDeletedFileThatIsBackAfterAPowerCutIsNotDamage() throws IOException {
        PlayedLane.Settings small = new PlayedLane.Settings(5, 1_000_000, 10 * PlayedLane.SEGMENT, Sync.GROUP);
        Path oldest = lane().resolve("000000000000.log");
        byte[] left;
        List<String> messages;
        try (PlayedLane played = played(small)) {
            played.publish(0, "/s", "", "x".repeat(900), false);
            played.settle();
            left = Files.readAllBytes(oldest);
            for (int i = 0; i < 100; i++) {
                played.publish(0, "/s", "", i + "x".repeat(900), false);
                played.settle();
                played.clean();
                played.settle();
            }
            messages = played.messages("/s");
        }
        assertThat(logs().getFirst()).isGreaterThan(lane().resolve("000000000010.log"));
        Files.write(oldest, left);
        try (PlayedLane again = played(small)) {
            assertThat(again.found.damages()).isEmpty();
            assertThat(again.messages("/s")).isEqualTo(messages);
        }
        assertThat(oldest).doesNotExist();
    }
}
