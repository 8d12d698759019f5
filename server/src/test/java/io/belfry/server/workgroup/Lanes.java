package io.belfry.server.workgroup;

import io.belfry.protocol.MessageView;
import io.belfry.protocol.WireFormat;
import io.belfry.server.broker.Backbone;
import io.belfry.server.config.ConfigLoader;
import io.belfry.server.config.HistoryConfig;
import io.belfry.server.config.ServerConfig;
import io.belfry.server.counter.Counter;
import io.belfry.server.counter.Counters;
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
 * All lanes of a server in one thread, turned in a random order that a seed repeats: every interleaving that real loops
 * can have task by task, and no race beside. Owner: the test's thread.
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
    private final List<Client> clients = new ArrayList<>();
    private final Workgroups workgroups;

    Lanes(int lanes, long seed, String... settings) {
        this(lanes, seed, new OpenEntitlement(), settings);
    }

    Lanes(int lanes, long seed, Entitlement entitlement, String... settings) {
        this(lanes, seed, entitlement, new Counters(lanes), config(lanes, settings));
    }

    /** One node of several. */
    Lanes(int lanes, long seed, Backbone backbone, String... settings) {
        this(lanes, seed, new OpenEntitlement(), new Counters(lanes), config(lanes, settings), backbone);
    }

    /** Counters are megabytes, so plays of thousands of seeds share theirs. */
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
        NodeFacts facts = new NodeFacts("node", EPOCH, config.limits().pingMillis(), 1024);
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

    Lane lane(int index) {
        return workgroups.lanes().get(index);
    }

    Client connect(int lane) {
        return connect(lane, random.nextBoolean() ? WireFormat.WEBSOCKET_JSON : WireFormat.WEBSOCKET_BINARY);
    }

    Client connect() {
        return connect(random.nextInt(count()));
    }

    Client connect(int lane, @Nullable WireFormat format) {
        return connect(lane, format, anyone(), true);
    }

    Client connect(int lane, @Nullable WireFormat format, Principal principal, boolean loopback) {
        Client client = new Client(lane(lane), loops.get(lane), format, principal, loopback);
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

    /** A subject at home on this lane, another one for each number. */
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
        return LaneSubjects.homeOf(key, count());
    }

    /** Runs one task of some lane that has one. */
    boolean step() {
        List<ManualLoop> busy = loops.stream().filter(loop -> !loop.isIdle()).toList();
        if (busy.isEmpty()) {
            return false;
        }
        busy.get(random.nextInt(busy.size())).runOne();
        return true;
    }

    /** Runs everything there is to do without time passing. */
    void settle() {
        int limit = 1_000_000;
        do {
            clients.forEach(Client::sendWhatWaits);
            while (step()) {
                if (--limit == 0) {
                    throw new AssertionError("the lanes never come to rest");
                }
            }
        } while (loops.stream().anyMatch(loop -> !loop.isIdle()));
    }

    /** Runs what one lane has to do, while the others stand still. */
    void settleOnly(int lane) {
        while (!loops.get(lane).isIdle()) {
            loops.get(lane).runOne();
        }
    }

    /** Time passes tick by tick, and everything is done that is to be done in it. */
    void pass(long millis) {
        for (long passed = 0; passed < millis; passed += TICK_MILLIS) {
            clock.pass(TICK_MILLIS);
            loops.forEach(ManualLoop::runDue);
            loops.forEach(ManualLoop::tick);
            settle();
        }
    }

    /** A tick of one lane, while the others stand still. */
    void tickOnly(int lane) {
        clock.pass(TICK_MILLIS);
        loops.get(lane).tick();
        settleOnly(lane);
    }

    /** So little time passes that no tick is due in it. */
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

    /** Subjects that the lanes' tables hold, as homes or edges. */
    int knownSubjects() {
        return workgroups.lanes().stream()
                .mapToInt(lane -> lane.subjects().table().size())
                .sum();
    }

    /** The seq of a subject's latest message, as its home has it. */
    long seqOf(String subject) {
        Lane home = lane(homeOf(subject));
        SubjectKey key = new SubjectKey(HASH_SEED).set(subject.getBytes(StandardCharsets.UTF_8));
        return home.broker().seq(home.subjects().find(key));
    }

    /** As {@link #seqOf}, or 0 where its home does not know the subject. */
    long toldOf(String subject) {
        SubjectKey key = new SubjectKey(HASH_SEED).set(subject.getBytes(StandardCharsets.UTF_8));
        return lane(homeOf(subject)).subjects().find(key) == SubjectTable.NONE ? 0 : seqOf(subject);
    }

    /** The seq of a subject's retained message, or null. */
    @Nullable
    Long retainedSeqOf(String subject) {
        Lane home = lane(homeOf(subject));
        SubjectKey key = new SubjectKey(HASH_SEED).set(subject.getBytes(StandardCharsets.UTF_8));
        MessageView view = new MessageView();
        return home.broker().retained().show(home.subjects().find(key), view) ? Long.valueOf(view.seq()) : null;
    }

    List<Client> clients() {
        return clients;
    }

    @Override
    public void close() {
        clients.forEach(Client::vanish);
        settle();
        for (int i = 0; i < count(); i++) {
            lane(i).release();
        }
    }
}
