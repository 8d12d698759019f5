package io.belfry.server.disk;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.protocol.Code;
import io.belfry.server.config.HistoryConfig.Sync;
import io.belfry.testsupport.TestScope;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that any damage to the files is detected and reported, and that the messages still read have no gap. */
class DamageTest {
    private static final int SEEDS = Integer.getInteger("belfry.disk.seeds", TestScope.length(20, 8));
    private static final int SUBJECTS = 5;
    private static final PlayedLane.Settings SETTINGS =
            new PlayedLane.Settings(1000, 1_000_000_000, 1 << 20, Sync.GROUP);

    @TempDir
    private Path folder;

    @Test
    void damageIsDetectedAndCausesNoMissingMessage() throws IOException {
        for (int seed = 0; seed < SEEDS; seed++) {
            try {
                play(folder.resolve("lane-" + seed), new Random(seed));
            } catch (AssertionError | RuntimeException failure) {
                throw new AssertionError("with seed " + seed, failure);
            }
        }
    }

    private static void play(Path lane, Random random) throws IOException {
        Map<String, List<String>> delivered = new HashMap<>();
        long end;
        try (PlayedLane first = open(lane, random, delivered)) {
            for (int i = 0; i < 200; i++) {
                first.publish(i, "/s/" + random.nextInt(SUBJECTS), "", "d" + i, random.nextInt(5) == 0);
                if (random.nextInt(3) == 0) {
                    first.settle();
                }
            }
            first.settle();
        }
        try (PlayedLane sound = open(lane, random, delivered)) {
            end = sound.found.end();
            assertThat(sound.found.damages()).isEmpty();
        }
        Path file = damage(lane, random);
        try (PlayedLane damaged = open(lane, random, delivered)) {
            assertThat(!damaged.found.damages().isEmpty() || damaged.found.end() < end)
                    .as("%s was damaged", file)
                    .isTrue();
            assertNoHole(damaged, delivered);
            damaged.publish(1000, "/s/0", "", "after", false);
            damaged.settle();
        }
        try (PlayedLane again = open(lane, random, delivered)) {
            assertThat(again.found.damages()).as("damaged files are set aside").isEmpty();
            assertThat(again.messages("/s/0").getLast()).endsWith(" after");
        }
    }

    private static PlayedLane open(Path lane, Random random, Map<String, List<String>> delivered) throws IOException {
        return new PlayedLane(lane, false, SETTINGS, random, 1_000_000, new PlayedLane.Listener() {
            @Override
            public void message(String subject, long seq, String data, boolean retained, long time) {
                delivered.computeIfAbsent(subject, each -> new ArrayList<>()).add(seq + " " + data);
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

    private static Path damage(Path lane, Random random) throws IOException {
        List<Path> files;
        try (Stream<Path> all = Files.list(lane)) {
            files = all.filter(each -> each.toString().endsWith(".log"))
                    .sorted()
                    .toList();
        }
        Path file = files.get(random.nextInt(files.size()));
        long size = Files.size(file);
        switch (random.nextInt(4)) {
            case 0 -> Files.delete(file);
            case 1 -> write(file, random.nextLong(size), 1, random);
            case 2 -> write(file, random.nextLong(size), 200, random);
            default -> {
                try (RandomAccessFile bytes = new RandomAccessFile(file.toFile(), "rw")) {
                    bytes.setLength(random.nextLong(size));
                }
            }
        }
        return file;
    }

    private static void write(Path file, long at, int count, Random random) throws IOException {
        try (RandomAccessFile bytes = new RandomAccessFile(file.toFile(), "rw")) {
            for (long each = at; each < Math.min(at + count, bytes.length()); each++) {
                bytes.seek(each);
                int before = bytes.read();
                bytes.seek(each);
                bytes.write(before ^ (1 + random.nextInt(255)));
            }
        }
    }

    private static void assertNoHole(PlayedLane lane, Map<String, List<String>> delivered) {
        delivered.forEach((subject, messages) -> {
            List<String> read = lane.messages(subject);
            if (!read.isEmpty()) {
                int first = messages.indexOf(read.getFirst());
                assertThat(first).isNotNegative();
                assertThat(read).isEqualTo(messages.subList(first, first + read.size()));
            }
        });
    }
}
