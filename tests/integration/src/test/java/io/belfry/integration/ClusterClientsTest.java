package io.belfry.integration;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.client.BelfryClient;
import io.belfry.client.ReconnectPolicy;
import io.belfry.client.SubscribeOptions;
import io.belfry.client.connection.ClientLoop;
import io.belfry.cluster.Brokers;
import io.belfry.protocol.MessageType;
import io.belfry.protocol.MessageView;
import io.belfry.protocol.Position;
import io.belfry.protocol.Recovery;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;

/**
 * Tests clients that change from one node to another, after a drain or a kill. {@code belfry.cluster.clients} is the
 * number of clients that lose their node. {@code belfry.cluster.moves} is the number of moves of a client.
 * {@code belfry.cluster.records} is the number of records that a starting node reads.
 */
@Tag("complete")
final class ClusterClientsTest {
    private static final int CLIENTS = Integer.getInteger("belfry.cluster.clients", 400);
    private static final int MOVES = Integer.getInteger("belfry.cluster.moves", 200);

    private static final int RECORDS = Integer.getInteger("belfry.cluster.records", 50_000);

    private static final int DRAINED = 200;
    /** Long compared with the delays of a busy machine, which would otherwise gather the reconnects. */
    private static final long DRAIN_MILLIS = 8000;

    private static final int SUBJECTS = 10;

    /** A history that outlasts the moves: they resume from older and older positions while messages are published. */
    private static final String ROOMY = "CacheSize=100000";

    /** Weight that makes the node to be stopped the first choice of a client. */
    private static final int FIRST = 1_000_000;

    private static Brokers brokers;
    private static ClusterNodes cluster;
    private static ServerProcess b;
    private static ServerProcess c;
    private static ClientLoop loop;

    @BeforeAll
    static void startCluster() throws IOException {
        brokers = ClusterNodes.startBrokers(1);
        cluster = ClusterNodes.on(brokers);
        b = cluster.start(ROOMY);
        c = cluster.start(ROOMY);
        loop = new ClientLoop("clients", 64 << 10, System::nanoTime);
    }

    @AfterAll
    static void stopCluster() {
        try {
            loop.close();
            c.close();
            b.close();
        } finally {
            brokers.close();
        }
    }

    private static BelfryClient.Builder connection(ServerProcess first, JavaClientTransport transport) {
        return transport
                .to(b.port(), c.port())
                .server("ws://127.0.0.1:" + first.port(), FIRST)
                .reconnect(ReconnectPolicy.DEFAULT)
                .loop(loop);
    }

    private static List<NumberedReader> readers(ServerProcess first, String prefix, int count) {
        List<String> subjects = NumberedLoad.subjects(prefix, SUBJECTS);
        return IntStream.range(0, count)
                .mapToObj(i -> new NumberedReader(
                        // One client in eight uses another transport than the others.
                        connection(first, JavaClientTransport.values()[i % 8 < 4 ? i % 8 : 0]),
                        subjects.get(i % SUBJECTS)))
                .toList();
    }

    private static void awaitAt(ServerProcess node, List<NumberedReader> readers) {
        Await.until(
                "all clients are connected to the first node",
                () -> readers.stream().allMatch(reader -> reader.port() == node.port()));
    }

    /** Fails unless each reader has received every number once and in order. */
    private static void requireAll(NumberedLoad load, List<NumberedReader> readers) {
        load.finish();
        assertThat(load.faults()).isEmpty();
        Await.until(
                "each reader has every number",
                () -> readers.stream().allMatch(reader -> reader.last() == load.last(reader.subject())));
        assertThat(readers).allSatisfy(reader -> assertThat(reader.faults()).isEmpty());
    }

    @Test
    @Tag("alone")
    void aDrainMovesClientsWithoutLossDuplicateOrBurst(TestReporter reporter) {
        List<NumberedReader> readers = new ArrayList<>();
        try (ServerProcess a = cluster.start();
                NumberedLoad load =
                        new NumberedLoad(connection(a, JavaClientTransport.BINARY), "/drained", SUBJECTS, 200);
                TestClient forgetful = TestClient.open(a, WireEncoding.JSON)) {
            readers.addAll(readers(a, "/drained", DRAINED));
            forgetful.subscribe("/drained/0");
            awaitAt(a, readers);
            a.drain(DRAIN_MILLIS);
            Event.Message last = lastBeforeTheEnd(forgetful);
            Await.until(
                    "all clients are connected to other nodes",
                    () -> readers.stream().allMatch(reader -> reader.stays().size() == 2 && reader.port() != a.port()));
            Await.until(
                    "the first client missed messages", () -> load.last("/drained/0") > Long.parseLong(last.data()));
            requireThatPositionsMatter("/drained/0", last);
            requireAll(load, readers);
            long spread = spreadMillis(readers);
            long[] away = millis(readers, NumberedReader.Stay::awayNanos);
            reporter.publishEntry("four in five of " + DRAINED + " reconnected over " + spread + " ms, away for "
                    + away[DRAINED / 2] + " ms at the median, " + away[DRAINED - 1] + " ms at most");
            assertThat(spread).as("spread of the reconnects in ms").isGreaterThan(DRAIN_MILLIS / 3);
        } finally {
            readers.forEach(NumberedReader::close);
        }
    }

    private static Event.Message lastBeforeTheEnd(TestClient client) {
        Event.Message last = client.expect(Event.Message.class);
        boolean asked = false;
        for (Event event = client.next(); !(event instanceof Event.Closed); event = client.next()) {
            last = event instanceof Event.Message message ? message : last;
            asked |= event instanceof Event.Reconnect;
        }
        assertThat(asked).as("reconnect event received").isTrue();
        return last;
    }

    /** The control: a client without a position has missed messages, and a client with one has not. */
    private static void requireThatPositionsMatter(String subject, Event.Message last) {
        try (TestClient forgetful = TestClient.open(b, WireEncoding.BINARY);
                TestClient mindful = TestClient.open(b, WireEncoding.BINARY)) {
            forgetful.subscribe(subject);
            assertThat(before(forgetful.expect(Event.Message.class)))
                    .isGreaterThan(last.at().seq());
            assertThat(mindful.resume(subject, last.at()).recovery()).isEqualTo(Recovery.COMPLETE);
            assertThat(before(mindful.expect(Event.Message.class)))
                    .isEqualTo(last.at().seq());
        }
    }

    private static long before(Event.Message message) {
        return message.prev() == MessageView.NO_PREV ? message.at().seq() - 1 : message.prev();
    }

    /** Returns the time over which the clients reached their new node, without the first and the last tenth. */
    private static long spreadMillis(List<NumberedReader> readers) {
        long[] came = millis(readers, NumberedReader.Stay::fromNanos);
        return came[came.length * 9 / 10] - came[came.length / 10];
    }

    private static long[] millis(List<NumberedReader> readers, ToLongFunction<NumberedReader.Stay> nanos) {
        return readers.stream()
                .mapToLong(reader -> TimeUnit.NANOSECONDS.toMillis(
                        nanos.applyAsLong(reader.stays().getLast())))
                .sorted()
                .toArray();
    }

    /** Each move resumes from the latest or an older position, and the chain of {@code prev} must not break. */
    @Test
    void resumingOnOtherNodesKeepsAnUnbrokenChain() throws InterruptedException {
        int at = 4;
        try (NumberedLoad load =
                new NumberedLoad(JavaClientTransport.BINARY.to(b.port(), c.port()), "/moved", at, 800)) {
            List<Moving> moving = IntStream.range(0, at)
                    .mapToObj(i -> new Moving("/moved/" + i, new Random(i)))
                    .toList();
            List<Thread> threads =
                    moving.stream().map(Thread.ofPlatform()::start).toList();
            for (Thread each : threads) {
                each.join();
            }
            load.finish();
            assertThat(load.faults()).isEmpty();
            assertThat(moving).allSatisfy(each -> {
                assertThat(each.failure).isNull();
                assertThat(each.moves).isEqualTo(MOVES / at);
                assertThat(each.olderResumes)
                        .as("moves that resumed from an older position")
                        .isBetween(1, each.moves - 1);
            });
        }
    }

    /** A client that changes its node often. Owner: its thread, then the test's. */
    private static final class Moving implements Runnable {
        private static final int STAY_MAX = 40;
        private static final int BACK_MAX = 300;

        private final String subject;
        private final Random random;
        private final List<Position> seen = new ArrayList<>();
        private int moves;
        private int olderResumes;
        private @Nullable Throwable failure;

        private Moving(String subject, Random random) {
            this.subject = subject;
            this.random = random;
        }

        @Override
        public void run() {
            try {
                try (TestClient first = TestClient.open(b, WireEncoding.JSON)) {
                    seen.add(Objects.requireNonNull(first.subscribe(subject).at()));
                    read(first);
                }
                while (moves < MOVES / 4) {
                    move();
                }
            } catch (RuntimeException | AssertionError broken) {
                failure = broken;
            }
        }

        private void move() {
            WireEncoding encoding = random.nextBoolean() ? WireEncoding.BINARY : WireEncoding.JSON;
            try (TestClient next = TestClient.open(moves % 2 == 0 ? c : b, encoding)) {
                resumeFromOlder();
                Event.Subscribed resumed = next.resume(subject, seen.getLast());
                assertThat(resumed.recovery()).isEqualTo(Recovery.COMPLETE);
                read(next);
                moves++;
            }
        }

        private void resumeFromOlder() {
            int back = random.nextBoolean() ? 0 : random.nextInt(Math.min(seen.size(), BACK_MAX));
            olderResumes += back > 0 ? 1 : 0;
            seen.subList(seen.size() - back, seen.size()).clear();
        }

        private void read(TestClient client) {
            for (int left = 1 + random.nextInt(STAY_MAX); left > 0; left--) {
                Event.Message message = client.expect(Event.Message.class);
                Position last = seen.getLast();
                assertThat(message.type()).isIn(MessageType.LIVE, MessageType.RECOVERED);
                assertThat(message.at().epoch()).isEqualTo(last.epoch());
                // The position of a subscription may be before the subject's last message, never after it.
                assertThat(before(message)).isLessThanOrEqualTo(last.seq());
                assertThat(seen.size() == 1 || before(message) == last.seq())
                        .as("%s after %s", message, last)
                        .isTrue();
                seen.add(message.at());
            }
        }
    }

    /** Clients take turns, each on another node from the position of the one before; new subjects begin meanwhile. */
    @Test
    void aPatternContinuesFromItsPositionOnEveryNode() {
        try (BelfryClient publisher =
                connection(c, JavaClientTransport.BINARY).build().start()) {
            PatternTurns turns = new PatternTurns("/turns", publisher);
            String begin = turns.take(connection(b, JavaClientTransport.JSON), SubscribeOptions.LIVE);
            String position = begin;
            for (int turn = 0; turn < 6; turn++) {
                position = turns.take(
                        connection(turn % 2 == 0 ? c : b, JavaClientTransport.values()[turn % 2]),
                        SubscribeOptions.fromPattern(position));
            }
            turns.requireAll();
            try (ServerProcess started = cluster.start()) {
                PatternTurns again = turns.again();
                again.take(connection(started, JavaClientTransport.BINARY), SubscribeOptions.fromPattern(begin));
                again.requireAll();
            }
        }
    }

    @Test
    @Tag("alone")
    void clientsOfAKilledNodeReconnectSoon(TestReporter reporter) {
        List<NumberedReader> readers = new ArrayList<>();
        try (ServerProcess a = ServerProcess.startUnwatched(cluster.settings());
                NumberedLoad load =
                        new NumberedLoad(connection(a, JavaClientTransport.BINARY), "/left", SUBJECTS, 50)) {
            readers.addAll(readers(a, "/left", CLIENTS));
            awaitAt(a, readers);
            long killed = System.nanoTime();
            a.kill();
            Await.until(
                    "all clients are connected to other nodes",
                    () -> readers.stream().allMatch(reader -> reader.port() != a.port()));
            long[] millis = millis(readers, stay -> stay.fromNanos() - killed);
            String figures = "of " + CLIENTS + " half were back after " + millis[CLIENTS / 2] + " ms, 99 % after "
                    + millis[CLIENTS * 99 / 100] + " ms, all after " + millis[CLIENTS - 1] + " ms";
            reporter.publishEntry(figures);
            assertThat(millis[CLIENTS / 2]).as(figures).isLessThan(2000);
            assertThat(millis[CLIENTS - 1]).as(figures).isLessThan(10_000);
            requireAll(load, readers);
        } finally {
            readers.forEach(NumberedReader::close);
        }
    }

    @Test
    void aRestartedNodeIsReadySoon(TestReporter reporter) {
        ClusterNodes nodes = ClusterNodes.on(brokers);
        try (RestartedServer node = new RestartedServer(nodes.settings("CacheMemory=300 MB"))) {
            Records.write(nodes, RECORDS);
            node.kill();
            long killed = System.nanoTime();
            node.start();
            long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - killed);
            long cpuMillis = node.cpuTime().toMillis();
            reporter.publishEntry(
                    "ready again with " + RECORDS + " records", millis + " ms, " + cpuMillis + " ms of CPU time");
            // CPU time bounds the work of the start. The wall time also depends on the tests that run beside this one.
            assertThat(cpuMillis).isLessThan(10_000);
            assertThat(millis).isLessThan(30_000);
            try (Http http = Http.to(node.port())) {
                assertThat(http.get("/history?subject=" + Records.subject(RECORDS - 1) + "&count=1")
                                .body())
                        .contains(Records.text(RECORDS - 1));
            }
        }
    }
}
