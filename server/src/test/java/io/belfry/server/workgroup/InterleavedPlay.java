package io.belfry.server.workgroup;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.protocol.Code;
import io.belfry.protocol.Position;
import io.belfry.protocol.SubscribeRequest;
import io.belfry.server.config.ServerConfig;
import io.belfry.server.counter.Counter;
import io.belfry.server.counter.Counters;
import io.belfry.server.entitlement.OpenEntitlement;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** Clients that execute random commands, and the checks of what they received. Owner: the test's thread. */
final class InterleavedPlay {
    static final int LANES_MAX = 4;

    static final int CONFLATE_MILLIS_MAX = 500;
    private static final Counters[] COUNTERS = new Counters[LANES_MAX + 1];
    private static final Map<List<String>, ServerConfig> CONFIGS = new HashMap<>();

    /** Returns lanes that share counters and configurations with other runs, because there are thousands of runs. */
    static Lanes lanes(int count, long seed, String... settings) {
        List<String> key = new ArrayList<>(List.of(settings));
        key.add(String.valueOf(count));
        ServerConfig config = CONFIGS.computeIfAbsent(key, k -> Lanes.config(count, settings));
        if (COUNTERS[count] == null) {
            COUNTERS[count] = new Counters(count);
        }
        return new Lanes(count, seed, new OpenEntitlement(), COUNTERS[count], config);
    }

    final Random random;
    final Lanes lanes;
    final List<String> subjects = new ArrayList<>();
    final Map<String, Integer> published = new HashMap<>();
    final Map<LaneClient, Map<Long, Long>> resumed = new HashMap<>();
    final int seed;
    final long dropsBefore;
    final long conflationsBefore;
    String padding = "";
    long announced;
    boolean conflates;
    boolean deltas;
    boolean stays;
    boolean left;
    long jumped;
    final long requestedBefore;

    InterleavedPlay(int seed, String... settings) {
        this.seed = seed;
        random = new Random(seed);
        int count = 1 + random.nextInt(LANES_MAX);
        lanes = lanes(count, seed, settings);
        if (seed % 2 == 1) {
            lanes.divideFanOuts();
        }
        dropsBefore = lanes.level(Counter.MESSAGES_DROPPED);
        requestedBefore = lanes.counters.conflations(Code.CONFLATE_REQUESTED);
        conflationsBefore = lanes.level(Counter.MESSAGES_CONFLATED) - requestedBefore;
        for (int i = 0; i <= random.nextInt(3); i++) {
            subjects.add(lanes.subject(random.nextInt(lanes.count()), i));
        }
        for (int i = 0; i < 2 + random.nextInt(4); i++) {
            connect();
        }
    }

    private void connect() {
        int lane = random.nextInt(lanes.count());
        LaneClient client = random.nextInt(4) == 0 ? lanes.connect(lane, null) : lanes.connect(lane);
        resumed.put(client, new HashMap<>());
    }

    void knowSubjects(int count) {
        while (subjects.size() < count) {
            subjects.add(lanes.subject(random.nextInt(lanes.count()), subjects.size()));
        }
    }

    private String subject() {
        return subjects.get(random.nextInt(subjects.size()));
    }

    private LaneClient client() {
        List<LaneClient> clients = lanes.clients();
        return clients.get(random.nextInt(clients.size()));
    }

    /** Performs random acts; of 20 acts of a client, {@code stalls} are stalling or reading on. */
    void perform(int acts, int stalls) {
        for (int i = 0; i < acts; i++) {
            act(client(), random.nextInt(20), stalls);
            for (int steps = random.nextInt(4); steps > 0; steps--) {
                lanes.step();
            }
        }
    }

    private void act(LaneClient client, int choice, int stalls) {
        if (stays && choice >= 16 && choice != 18) {
            publish(client);
        } else if (choice < stalls) {
            stallOrReadOn(client);
        } else if (choice < 12) {
            publish(client);
        } else if (choice < 16) {
            subscribe(client);
        } else if (choice < 18) {
            left = true;
            client.unsubscribe(subject());
        } else if (choice == 18 && random.nextBoolean()) {
            lanes.tick();
        } else if (choice == 18) {
            lanes.passShortly(1 + random.nextInt(6));
        } else if (random.nextInt(4) == 0) {
            left = true;
            client.vanish();
            connect();
        }
    }

    private void stallOrReadOn(LaneClient client) {
        switch (random.nextInt(4)) {
            case 0 -> client.socket.stallAfter(random.nextInt(300));
            case 1 -> client.takeMore(random.nextInt(500));
            case 2 -> client.socket.free(random.nextInt(500));
            default -> client.takeAll();
        }
    }

    private void publish(LaneClient client) {
        for (int burst = 1 + random.nextInt(3); burst > 0; burst--) {
            String subject = subject();
            int number = published.merge(subject, 1, Integer::sum);
            client.publish(subject, "m" + number + padding, random.nextInt(4) == 0, null);
        }
    }

    private void subscribe(LaneClient client) {
        client.deltas = deltas && random.nextInt(4) > 0;
        String subject = subject();
        if (subjects.size() > 3 && random.nextInt(2) == 0) {
            client.subscribeWithHistory(random.nextInt(4), subjects.toArray(String[]::new));
            return;
        }
        if (conflates && random.nextBoolean()) {
            client.conflate(subject, 1 + random.nextInt(CONFLATE_MILLIS_MAX));
            return;
        }
        switch (random.nextInt(3)) {
            case 0 -> client.subscribe(subject);
            case 1 -> client.subscribeWithHistory(subject, 1 + random.nextInt(5));
            default -> {
                long from = random.nextInt(1 + (int) lanes.knownSeqOf(subject));
                byte[] bytes = subject.getBytes(StandardCharsets.UTF_8);
                long id = client.subscribe(new SubscribeRequest(List.of(bytes), new Position(Lanes.EPOCH, from), 0, 0));
                java.util.Objects.requireNonNull(resumed.get(client)).put(id, from);
            }
        }
    }

    /** Returns the number of deltas that the clients have received. */
    int deltasApplied() {
        return lanes.clients().stream()
                .mapToInt(client -> client.socket.events.deltas.applied)
                .sum();
    }

    void finish() {
        try {
            comeToRest();
            check();
            leaveNothingBehind();
        } catch (RuntimeException | AssertionError failure) {
            throw new AssertionError("with seed " + seed, failure);
        } finally {
            lanes.close();
        }
    }

    private void comeToRest() {
        lanes.settle();
        for (LaneClient client : lanes.clients()) {
            client.takeAll();
        }
        lanes.settle();
        lanes.passShortly(lanes.config.messages().maxBatchingMillis());
        if (conflates) {
            lanes.pass(2 * CONFLATE_MILLIS_MAX);
        }
    }

    private void check() {
        assertThat(lanes.level(Counter.LOOP_FAILURES)).isZero();
        for (String subject : subjects) {
            Map<Long, String> data = new HashMap<>();
            for (LaneClient client : lanes.clients()) {
                check(client, subject, data);
            }
        }
        checkCounts();
    }

    /**
     * Compares the counters with the announcements to clients; skipped if a client disconnected before it received
     * them.
     */
    private void checkCounts() {
        long conflated = lanes.clients().stream()
                .mapToLong(client -> announced(client, true))
                .sum();
        long dropped = lanes.clients().stream()
                .mapToLong(client -> announced(client, false))
                .sum();
        announced = conflated + dropped;
        long dropsCounted = lanes.level(Counter.MESSAGES_DROPPED) - dropsBefore;
        long requested = lanes.counters.conflations(Code.CONFLATE_REQUESTED);
        long conflationsCounted = lanes.level(Counter.MESSAGES_CONFLATED) - requested - conflationsBefore;
        if (!left) {
            assertThat(requested - requestedBefore).isEqualTo(jumped);
        }
        if (lanes.clients().stream().noneMatch(client -> client.session.isClosed())) {
            assertThat(dropsCounted).isEqualTo(dropped);
            assertThat(conflationsCounted).isEqualTo(conflated);
        } else {
            assertThat(dropsCounted).isGreaterThanOrEqualTo(dropped);
            assertThat(conflationsCounted).isGreaterThanOrEqualTo(conflated);
        }
    }

    private static long announced(LaneClient client, boolean conflated) {
        return client
                .received(event ->
                        event.op().equals("gap") && conflated == event.note().equals("conflated"))
                .stream()
                .mapToLong(gap -> Math.max(
                        0,
                        gap.seq()
                                - java.util.Objects.requireNonNull(Position.parse(gap.data()))
                                        .seq()))
                .sum();
    }

    private void check(LaneClient client, String subject, Map<Long, String> data) {
        Follower follower = new Follower(subject, java.util.Objects.requireNonNull(resumed.get(client)));
        Long at = follower.follow(client.received());
        if (at != null && !client.session.isClosed()) {
            assertThat(at).as("%s: %s", subject, client.received()).isEqualTo(lanes.seqOf(subject));
        }
        jumped += follower.jumped();
        follower.dataBySeq()
                .forEach((seq, text) ->
                        assertThat(data.merge(seq, text, (a, b) -> a)).isEqualTo(text));
    }

    private void leaveNothingBehind() {
        lanes.clients().forEach(LaneClient::vanish);
        lanes.settle();
        assertThat(lanes.level(Counter.SUBSCRIPTIONS)).isZero();
        assertThat(lanes.level(Counter.SLOW_SESSIONS)).isZero();
        LaneClient last = lanes.connect();
        subjects.forEach(subject -> last.publish(subject, "", true, null));
        last.vanish();
        lanes.settle();
        lanes.clock.pass(lanes.config.history().cacheExpireMillis() + 1);
        lanes.tick();
        assertThat(lanes.level(Counter.SUBJECTS)).isZero();
        assertThat(lanes.knownSubjects()).isZero();
        assertThat(lanes.level(Counter.LOOP_FAILURES)).isZero();
        assertThat(lanes.level(Counter.CACHED_MESSAGES)).isZero();
        assertThat(lanes.level(Counter.RETAINED_BYTES)).isZero();
        assertThat(lanes.level(Counter.INBOX_BYTES)).isZero();
        assertThat(lanes.level(Counter.HELD_SESSIONS)).isZero();
    }
}
