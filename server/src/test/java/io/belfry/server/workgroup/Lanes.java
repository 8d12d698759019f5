package io.belfry.server.workgroup;

import io.belfry.protocol.BelfryFormat;
import io.belfry.protocol.MessageView;
import io.belfry.protocol.WireFormat;
import io.belfry.server.broker.Backbone;
import io.belfry.server.config.ConfigLoader;
import io.belfry.server.config.HistoryConfig;
import io.belfry.server.config.ServerConfig;
import io.belfry.server.counter.Counter;
import io.belfry.server.counter.Counters;
import io.belfry.server.delivery.NodeFacts;
import io.belfry.server.delivery.NodeIdentity;
import io.belfry.server.entitlement.Entitlement;
import io.belfry.server.entitlement.OpenEntitlement;
import io.belfry.server.entitlement.Principal;
import io.belfry.server.subject.SubjectKey;
import io.belfry.server.subject.SubjectTable;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Runs all lanes of a server in one thread. A seed determines the order of the tasks, so each run is repeatable and any
 * order of whole tasks that real loops can have is possible. Data races are not covered. Owner: the test's thread.
 */
final class Lanes implements AutoCloseable {
    static final long EPOCH = 7;
    static final long HASH_SEED = 0x5EED;
    private static final long TICK_MILLIS = 100;

    final ManualClock clock = new ManualClock();
    final Random random;
    final Counters counters;
    final ServerConfig config;
    final ManualStorage disk;
    private final List<ManualLoop> loops;
    private final List<LaneClient> clients = new ArrayList<>();
    private final Workgroups workgroups;

    Lanes(int lanes, long seed, String... settings) {
        this(lanes, seed, new OpenEntitlement(), settings);
    }

    Lanes(int lanes, long seed, Entitlement entitlement, String... settings) {
        this(lanes, seed, entitlement, new Counters(lanes), config(lanes, settings));
    }

    /** Creates the lanes of one node of a cluster. */
    Lanes(int lanes, long seed, Backbone backbone, String... settings) {
        this(lanes, seed, new OpenEntitlement(), new Counters(lanes), config(lanes, settings), backbone);
    }

    /** Creates lanes with given counters. Counters take megabytes, so thousands of runs share one instance. */
    Lanes(int lanes, long seed, Entitlement entitlement, Counters counters, ServerConfig config) {
        this(lanes, seed, entitlement, counters, config, null);
    }

    private Lanes(
            int lanes,
            long seed,
            Entitlement entitlement,
            Counters counters,
            ServerConfig config,
            @Nullable Backbone backbone) {
        this.counters = counters;
        this.config = config;
        random = new Random(seed);
        loops = IntStream.range(0, lanes).mapToObj(i -> new ManualLoop(clock)).toList();
        NodeIdentity identity = new NodeIdentity(0);
        identity.name("node");
        NodeFacts facts = new NodeFacts(identity, EPOCH, 1024);
        disk = new ManualStorage(random, loops);
        boolean onDisk = config.history().kind() == HistoryConfig.Kind.DISK;
        workgroups = new Workgroups(
                config.workgroups(),
                loops::get,
                new LaneSetup(config, entitlement, facts, counters, clock, HASH_SEED, onDisk ? disk : null, backbone));
    }

    static ServerConfig config(int lanes, String... settings) {
        List<String> all = new ArrayList<>(List.of("Workgroups=" + lanes, "IoThreads=" + lanes, "CacheMemory=4 MB"));
        all.addAll(List.of(settings));
        return ConfigLoader.load(Optional.empty(), Map.of(), all);
    }

    int count() {
        return loops.size();
    }

    /** Makes writes so slow that a turn writes to three sessions, also to those of subjects with {@code few} subscribers. */
    void writeSlowly(int few) {
        clock.passPerRead(175_000);
        workgroups.lanes().forEach(lane -> lane.parts().fanOut.deferSooner(1, few));
    }

    /** Makes each message to two or more subscribers of a lane a large one, which is recorded at the end of the turn. */
    void divideFanOuts() {
        workgroups.lanes().forEach(lane -> lane.parts().fanOut.divideSooner(1, 1));
    }

    Lane lane(int index) {
        return workgroups.lanes().get(index);
    }

    LaneClient connect(int lane) {
        return connect(lane, random.nextBoolean() ? BelfryFormat.WEBSOCKET_JSON : BelfryFormat.WEBSOCKET_BINARY);
    }

    LaneClient connect() {
        return connect(random.nextInt(count()));
    }

    LaneClient connect(int lane, @Nullable WireFormat format) {
        return connect(lane, format, anyone(), true);
    }

    LaneClient connect(int lane, @Nullable WireFormat format, Principal principal, boolean loopback) {
        LaneClient client = new LaneClient(lane(lane), loops.get(lane), format, principal, loopback);
        clients.add(client);
        return client;
    }

    private static Principal anyone() {
        Principal[] principal = new Principal[1];
        new OpenEntitlement()
                .decide(
                        new Entitlement.Credentials(null, true),
                        answer -> principal[0] = ((Entitlement.Answer.Accepted) answer).principal());
        return principal[0];
    }

    /** Returns a subject whose home is this lane, a different one for each number. */
    String subject(int lane, int number) {
        for (int i = 0; ; i++) {
            String subject = "/s" + number + "/" + i;
            if (homeOf(subject) == lane) {
                return subject;
            }
        }
    }

    int homeOf(String subject) {
        SubjectKey key = new SubjectKey(HASH_SEED).set(subject.getBytes(StandardCharsets.UTF_8));
        return lane(0).parts().subjects.homeOf(key);
    }

    /** Runs one task of a random lane; returns false if no lane has a task. */
    boolean step() {
        List<ManualLoop> busy = loops.stream().filter(loop -> !loop.isIdle()).toList();
        if (busy.isEmpty()) {
            return false;
        }
        busy.get(random.nextInt(busy.size())).runOne();
        return true;
    }

    /** Runs all tasks without advancing the clock. */
    void settle() {
        int limit = 1_000_000;
        do {
            clients.forEach(LaneClient::sendPending);
            while (step()) {
                if (--limit == 0) {
                    throw new AssertionError("the lanes never run out of tasks");
                }
            }
        } while (loops.stream().anyMatch(loop -> !loop.isIdle()));
    }

    /** Runs all tasks of one lane; the other lanes do nothing. */
    void settleOnly(int lane) {
        while (!loops.get(lane).isIdle()) {
            loops.get(lane).runOne();
        }
    }

    /** Runs the tasks of one lane that wait now, and not the tasks that these add. */
    void runTurn(int lane) {
        ManualLoop loop = loops.get(lane);
        for (int tasks = loop.waiting(); tasks > 0; tasks--) {
            loop.runOne();
        }
    }

    /** Advances the clock tick by tick and runs all tasks that become due. */
    void pass(long millis) {
        for (long passed = 0; passed < millis; passed += TICK_MILLIS) {
            clock.pass(TICK_MILLIS);
            loops.forEach(ManualLoop::runDue);
            loops.forEach(ManualLoop::tick);
            settle();
        }
    }

    /** Runs one tick of one lane; the other lanes do nothing. */
    void tickOnly(int lane) {
        clock.pass(TICK_MILLIS);
        loops.get(lane).tick();
        settleOnly(lane);
    }

    /** Runs one tick of one lane, and not the tasks that it adds. */
    void tickOnlyBegin(int lane) {
        clock.pass(TICK_MILLIS);
        loops.get(lane).tick();
    }

    boolean isIdle(int lane) {
        return loops.get(lane).isIdle();
    }

    /** Advances the clock by so little that no tick becomes due. */
    void passShortly(long millis) {
        for (long passed = 0; passed < millis; passed++) {
            clock.pass(1);
            loops.forEach(ManualLoop::runDue);
            settle();
        }
    }

    void tick() {
        pass(TICK_MILLIS);
    }

    void in(int lane, Runnable task) {
        loops.get(lane).in(task);
    }

    long level(Counter counter) {
        return counters.total(counter);
    }

    /** Returns the number of subjects in the lanes' tables, as home or edge. */
    int knownSubjects() {
        return workgroups.lanes().stream()
                .mapToInt(lane -> lane.parts().subjects.table().size())
                .sum();
    }

    /** Returns the seq of the subject's latest message at its home. */
    long seqOf(String subject) {
        Lane home = lane(homeOf(subject));
        SubjectKey key = new SubjectKey(HASH_SEED).set(subject.getBytes(StandardCharsets.UTF_8));
        return home.parts().broker.seq(home.parts().subjects.find(key));
    }

    /** Like {@link #seqOf}, but returns 0 if the home does not know the subject. */
    long knownSeqOf(String subject) {
        SubjectKey key = new SubjectKey(HASH_SEED).set(subject.getBytes(StandardCharsets.UTF_8));
        return lane(homeOf(subject)).parts().subjects.find(key) == SubjectTable.NONE ? 0 : seqOf(subject);
    }

    /** Returns the seq of the subject's retained message, or null. */
    @Nullable
    Long retainedSeqOf(String subject) {
        Lane home = lane(homeOf(subject));
        SubjectKey key = new SubjectKey(HASH_SEED).set(subject.getBytes(StandardCharsets.UTF_8));
        MessageView view = new MessageView();
        return home.parts().broker.retained().show(home.parts().subjects.find(key), view)
                ? Long.valueOf(view.seq())
                : null;
    }

    List<LaneClient> clients() {
        return clients;
    }

    @Override
    public void close() {
        clients.forEach(LaneClient::vanish);
        settle();
        for (int i = 0; i < count(); i++) {
            lane(i).release();
        }
    }
}
