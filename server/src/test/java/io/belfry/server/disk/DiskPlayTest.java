package io.belfry.server.disk;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.protocol.Code;
import io.belfry.server.config.HistoryConfig.Sync;
import io.belfry.testsupport.TestScope;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Publishes to histories on disk, cleans them, kills them at any byte, fails their disk and restarts them, as a seed
 * determines. Compared with a model, all acknowledged messages are present, in order and without a gap; refused
 * messages are absent; and no seq is assigned twice.
 */
class DiskPlayTest {
    private static final int SEEDS = Integer.getInteger("belfry.disk.seeds", TestScope.length(30, 12));
    private static final int FIRST = Integer.getInteger("belfry.disk.first", 0);

    @TempDir
    private Path folder;

    @Test
    void acknowledgedMessagesArePresentAfterEveryStart() throws IOException {
        play(SEEDS, false);
    }

    /** Ends each run with a power cut: any part of unforced data may be lost and deleted files may be back. */
    @Test
    void acknowledgedMessagesArePresentAfterAPowerCut() throws IOException {
        play(SEEDS / 2, true);
    }

    private void play(int seeds, boolean powerCuts) throws IOException {
        for (int seed = FIRST; seed < FIRST + seeds; seed++) {
            Play play = new Play(folder.resolve("play-" + seed), seed, powerCuts);
            try {
                play.run();
            } catch (AssertionError | RuntimeException failure) {
                throw new AssertionError("with seed " + seed, failure);
            }
        }
    }

    private record Delivered(long seq, String data, boolean retained, long time) {}

    private record Sent(long command, String subject, String id, String data, boolean retain, long time) {}

    private static final class Play implements PlayedLane.Listener {
        private static final Sync[] FORCED = {Sync.GROUP, Sync.ALWAYS};

        private final Random random;
        private final Path folder;
        private final boolean powerCuts;
        private final PlayedLane.Settings settings;
        private final Map<String, NavigableMap<Long, Delivered>> delivered = new HashMap<>();
        private final Map<String, Delivered> retained = new HashMap<>();
        private final Map<Long, Long> accepted = new HashMap<>();
        private final Map<Long, Code> refused = new HashMap<>();

        /** Publishes that are not answered yet, in order. */
        private final Deque<Sent> unanswered = new ArrayDeque<>();

        private PlayedLane lane;
        private long now = 1_000_000;
        private long commands;
        private int nameSpread = 8;

        Play(Path folder, int seed, boolean powerCuts) throws IOException {
            this.folder = folder;
            this.powerCuts = powerCuts;
            random = new Random(seed);
            boolean roomy = random.nextBoolean();
            settings = new PlayedLane.Settings(
                    5 + random.nextInt(20),
                    roomy ? 1_000_000 : 2000,
                    roomy ? 1 << 20 : 10 * PlayedLane.SEGMENT,
                    powerCuts ? FORCED[random.nextInt(2)] : Sync.values()[random.nextInt(3)]);
            lane = new PlayedLane(folder, false, settings, random, now, this);
        }

        void run() throws IOException {
            for (int run = 0; run < 6; run++) {
                for (int acts = random.nextInt(250); acts > 0 && !lane.files.isKilled(); acts--) {
                    act();
                }
                restart();
            }
            lane.close();
        }

        private void act() {
            switch (random.nextInt(12)) {
                case 0 -> lane.endTurn();
                case 1, 2 -> lane.step();
                case 3 -> pass();
                case 4 -> {
                    lane.clean();
                    lane.endTurn();
                }
                case 5 -> {
                    if (random.nextInt(8) == 0) {
                        lane.files.failAfter(
                                random.nextInt(300), random.nextBoolean() ? "No space left on device" : "EIO");
                    } else if (random.nextInt(8) == 0) {
                        lane.files.killAfter(random.nextInt(1500));
                    } else {
                        lane.files.works();
                    }
                }
                default -> publish();
            }
            if (random.nextInt(20) == 0 && !lane.files.isKilled()) {
                check();
            }
        }

        private void pass() {
            now += random.nextInt(10) == 0 ? random.nextInt(3000) : random.nextInt(100);
            nameSpread = random.nextInt(20) == 0 ? 1 + random.nextInt(12) : nameSpread;
            lane.now(now);
        }

        private void publish() {
            String subject = "/s/" + random.nextInt(nameSpread);
            String id = random.nextInt(3) == 0 ? "id" + random.nextInt(30) : "";
            boolean retain = random.nextInt(5) == 0;
            String data = retain && random.nextInt(3) == 0 ? "" : "d" + commands + "x".repeat(random.nextInt(120));
            Sent sent = new Sent(commands++, subject, id, data, retain, now);
            unanswered.add(sent);
            lane.publish(sent.command(), subject, id, data, retain);
            lane.endTurn();
        }

        private void restart() throws IOException {
            boolean killed = lane.files.isKilled() || random.nextBoolean();
            if (killed) {
                lane.files.kill();
            } else {
                lane.files.works();
                lane.settle();
                now += 2000;
                lane.now(now);
                lane.settle();
                check();
            }
            lane.close();
            if (killed && powerCuts) {
                lane.powerCut(random);
            }
            now += random.nextInt(500);
            lane = new PlayedLane(folder, killed, settings, random, now, this);
            assertThat(lane.found.damages()).isEmpty();
            adoptUnanswered();
            check();
        }

        /** Publishes unanswered at a kill may be present or absent; one is present only if all earlier ones are. */
        private void adoptUnanswered() {
            while (!unanswered.isEmpty()) {
                adopt(unanswered.poll());
            }
        }

        private void adopt(Sent sent) {
            lane.messages(sent.subject()).stream()
                    .filter(each -> each.endsWith(" " + sent.data()))
                    .mapToLong(each -> Long.parseLong(each.substring(0, each.indexOf(' '))))
                    .filter(seq -> !deliveredOf(sent.subject()).containsKey(seq))
                    .findFirst()
                    .ifPresent(seq -> message(sent.subject(), seq, sent.data(), sent.retain(), sent.time()));
            // The message may exceed its subject's size and still be retained.
            String there = lane.retained(sent.subject());
            if (sent.retain() && sent.data().isEmpty() && there.isEmpty()) {
                retained.remove(sent.subject());
            } else if (sent.retain() && !sent.data().isEmpty() && there.endsWith(" " + sent.data())) {
                long seq = Long.parseLong(there.substring(0, there.indexOf(' ')));
                retained.put(sent.subject(), new Delivered(seq, sent.data(), true, sent.time()));
            }
        }

        private NavigableMap<Long, Delivered> deliveredOf(String subject) {
            return delivered.computeIfAbsent(subject, each -> new TreeMap<>());
        }

        @Override
        public void message(String subject, long seq, String data, boolean retain, long time) {
            NavigableMap<Long, Delivered> before = deliveredOf(subject);
            assertThat(before.isEmpty() ? 0 : before.lastKey()).as(subject).isLessThan(seq);
            Delivered message = new Delivered(seq, data, retain, time);
            before.put(seq, message);
            if (retain && data.isEmpty()) {
                retained.remove(subject);
            } else if (retain) {
                retained.put(subject, message);
            }
        }

        @Override
        public void accepted(long command, long seq) {
            assertThat(accepted.put(command, seq)).as("answered once").isNull();
            assertThat(refused).doesNotContainKey(command);
            if (!lane.files.isLeftBehind()) {
                // The log continued, so a refused message that could not be truncated at once is gone from it.
                unanswered.removeIf(sent -> refused.containsKey(sent.command()));
            }
            answer(command);
        }

        @Override
        public void refused(long command, String subject, Code code) {
            assertThat(refused.put(command, code)).as("answered once").isNull();
            assertThat(accepted).doesNotContainKey(command);
            if (!lane.files.isLeftBehind()) {
                answer(command);
            }
        }

        private void answer(long command) {
            unanswered.removeIf(sent -> sent.command() == command);
        }

        private void check() {
            for (Map.Entry<String, NavigableMap<Long, Delivered>> each : delivered.entrySet()) {
                check(each.getKey(), each.getValue());
            }
            assertThat(lane.broker.history().bytes()).isLessThan(settings.budgetBytes() + 2 * PlayedLane.SEGMENT);
        }

        private void check(String subject, NavigableMap<Long, Delivered> messages) {
            List<String> read = lane.messages(subject);
            List<String> wanted = new ArrayList<>();
            long next = -1;
            for (Delivered each : messages.descendingMap().values()) {
                boolean follows = next < 0 || each.seq() == next - 1;
                if (!follows || wanted.size() == settings.size() || each.time() < now - settings.expireMillis()) {
                    break;
                }
                wanted.addFirst(each.seq() + " " + each.data());
                next = each.seq();
            }
            if (settings.budgetBytes() < 1 << 20) {
                // Memory may evict the oldest messages before size and age do, but none in between.
                assertThat(read.size()).isLessThanOrEqualTo(wanted.size());
                wanted = wanted.subList(wanted.size() - read.size(), wanted.size());
            }
            assertThat(read).as(subject).isEqualTo(wanted);
            Delivered last = retained.get(subject);
            assertThat(lane.retained(subject))
                    .as(subject)
                    .isEqualTo(last == null ? "" : last.seq() + " " + last.data());
            if (!read.isEmpty()) {
                assertThat(lane.broker.seq(lane.find(subject))).isEqualTo(messages.lastKey());
            }
        }
    }
}
