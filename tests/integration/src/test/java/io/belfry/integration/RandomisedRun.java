package io.belfry.integration;

import io.belfry.client.BelfryClient;
import io.belfry.client.SubscribeOptions;
import io.belfry.protocol.Position;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiPredicate;
import java.util.function.Function;

/**
 * A run of publishers and followers over a faulty network with a server that may be killed. At the end it checks that
 * every message was delivered once and in order, or that an allowed gap was announced. Owner: the test's thread.
 */
final class RandomisedRun implements AutoCloseable {
    private static final Duration SETTLING = Duration.ofSeconds(90);
    private static final int FOLLOWERS_STALL_ONE_IN = 50;
    private static final int PUBLISHERS_STALL_ONE_IN = 1000;
    private static final int CONFLATE_MILLIS = 150;
    private static final List<String> SUBJECTS = List.of(
            "/play/one", "/play/two", "/play/with space", "/play/größe+&=%", "/play/deep/er", "/play/deep/est/of/all");

    /**
     * Parameters of a run.
     *
     * @param withIds whether publishers send message ids, by which the server detects repeats
     * @param mayGap whether a gap of a subject is allowed for a reason
     */
    record Plan(
            long seed,
            long millis,
            boolean withIds,
            Deaths deaths,
            BiPredicate<String, String> mayGap,
            List<String> settings) {}

    /**
     * How often and in which way the server is stopped before a restart.
     *
     * @param everyMillis average time between stops; 0 means none
     * @param orderlyOneIn one in this number of stops is orderly, the others act as {@code kill -9}; 0 means all are
     * kills
     */
    record Deaths(int everyMillis, int orderlyOneIn) {
        static final Deaths NONE = new Deaths(0, 0);
    }

    private final Plan plan;
    private final Random random;
    private final FaultList faults = new FaultList();
    private final Ledger ledger = new Ledger(faults);
    private final NetworkFaults forFollowers;
    private final NetworkFaults forPublishers;
    private final RestartedServer server;
    private final CuttingProxy toFollowers;
    private final CuttingProxy toEncrypted;
    private final CuttingProxy toPublishers;
    private final SelfSigned certificate = SelfSigned.make();
    private final List<SubjectFollower> followers = new ArrayList<>();
    private final List<RepeatingPublisher> publishers = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();
    private int deaths;
    private long slowEnds;

    RandomisedRun(Plan plan) {
        this.plan = plan;
        random = new Random(plan.seed());
        forFollowers = NetworkFaults.rough(random.nextLong(), FOLLOWERS_STALL_ONE_IN);
        forPublishers = NetworkFaults.rough(random.nextLong(), PUBLISHERS_STALL_ONE_IN);
        server = new RestartedServer(certificate.settings(plan.settings().toArray(String[]::new)));
        toFollowers = new CuttingProxy(server::port, forFollowers);
        toEncrypted = new CuttingProxy(server::encryptedPort, forFollowers);
        toPublishers = new CuttingProxy(server::port, forPublishers);
        addFollowers();
        addPublishers();
    }

    // ---- participants ----

    private void addFollowers() {
        for (FollowTransport transport : FollowTransport.values()) {
            follow(transport + " of all", SUBJECTS, List.of(transport));
        }
        follow("one event stream", SUBJECTS.subList(2, 3), List.of(FollowTransport.EVENTS));
        for (int i = 0; i < 3; i++) {
            follow("mixed transports " + i, SUBJECTS, List.of(FollowTransport.values()));
        }
        List<FollowTransport> streams = EnumSet.allOf(FollowTransport.class).stream()
                .filter(FollowTransport::isStream)
                .toList();
        streams.forEach(transport -> conflate("conflating over " + transport, SUBJECTS, List.of(transport)));
        conflate("conflating over mixed transports", SUBJECTS, streams);
        conflate(
                "conflating pattern over mixed transports",
                List.of("/play/*", SUBJECTS.get(5), "/play/deep/*"),
                streams);
        follow("pattern over binary", List.of("/play/**"), List.of(FollowTransport.BINARY));
        follow("pattern over lines", List.of("/play/*", "/play/deep/**"), List.of(FollowTransport.LINES));
        follow("pattern over mixed transports", List.of("/play/*", SUBJECTS.get(5), "/play/deep/*"), streams);
        for (JavaClientTransport transport : JavaClientTransport.values()) {
            followInJava("Java over " + transport, SUBJECTS.subList(0, 4), List.of(transport));
            followInJava("Java pattern over " + transport, List.of("/play/*", "/play/deep/**"), List.of(transport));
        }
        followInJava("Java client over mixed transports", SUBJECTS, List.of(JavaClientTransport.values()));
        conflateInJava("conflating Java client over mixed transports", SUBJECTS, List.of(JavaClientTransport.values()));
        conflateInJava("conflating Java pattern", List.of("/play/**"), List.of(JavaClientTransport.BINARY));
        followEncrypted("Java through TLS", List.of(JavaClientTransport.BINARY));
        followEncrypted("Java client over mixed transports with TLS", List.of(JavaClientTransport.values()));
    }

    private void follow(String name, List<String> subjects, List<FollowTransport> transports) {
        follow(witness(name, false), subjects, 0, transports);
    }

    private void conflate(String name, List<String> subjects, List<FollowTransport> transports) {
        follow(witness(name, true), subjects, 1 + random.nextInt(2 * CONFLATE_MILLIS), transports);
    }

    private void follow(
            StreamWitness witness, List<String> subjects, int conflateMillis, List<FollowTransport> transports) {
        followers.add(
                new WireFollower(witness, subjects, conflateMillis, transports, toFollowers.port(), another(), faults));
    }

    private void followInJava(String name, List<String> subjects, List<JavaClientTransport> transports) {
        followInJava(witness(name, false), subjects, SubscribeOptions.LIVE, transports);
    }

    private void conflateInJava(String name, List<String> subjects, List<JavaClientTransport> transports) {
        Duration interval = Duration.ofMillis(1 + random.nextInt(2 * CONFLATE_MILLIS));
        followInJava(witness(name, true), subjects, SubscribeOptions.conflate(interval), transports);
    }

    private void followInJava(
            StreamWitness witness,
            List<String> subjects,
            SubscribeOptions options,
            List<JavaClientTransport> transports) {
        Function<JavaClientTransport, BelfryClient.Builder> connection = transport -> transport.to(toFollowers.port());
        followers.add(new JavaFollower(witness, subjects, options, transports, connection, another(), faults));
    }

    private void followEncrypted(String name, List<JavaClientTransport> transports) {
        Function<JavaClientTransport, BelfryClient.Builder> connection =
                transport -> transport.encrypted(toEncrypted.port(), certificate.certificate());
        followers.add(new JavaFollower(
                witness(name, false), SUBJECTS, SubscribeOptions.LIVE, transports, connection, another(), faults));
    }

    private StreamWitness witness(String name, boolean conflating) {
        return new StreamWitness(name, ledger, faults, plan.mayGap(), conflating);
    }

    private Random another() {
        return new Random(random.nextLong());
    }

    private void addPublishers() {
        for (int i = 0; i < 3; i++) {
            publishers.add(
                    new WirePublisher(i, SUBJECTS, plan.withIds(), toPublishers.port(), another(), ledger, faults));
        }
        List<JavaClientTransport> transports = List.of(JavaClientTransport.BINARY, JavaClientTransport.LINES);
        for (int i = 0; i < transports.size(); i++) {
            publishers.add(new JavaPublisher(
                    3 + i, SUBJECTS, transports.get(i), toPublishers.port(), another(), ledger, faults));
        }
    }

    // ---- the run ----

    /**
     * Runs until the time is over and, if the server is to die, has died once, or until a fault occurs; then checks the result.
     * Returns the faults.
     */
    List<String> run() {
        followers.forEach(this::start);
        publishers.forEach(this::start);
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(plan.millis());
        long nextDeath = nextDeath();
        boolean dies = plan.deaths().everyMillis() > 0;
        while ((System.nanoTime() - end < 0 || (dies && deaths == 0)) && faults.count() == 0) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
            if (dies && System.nanoTime() - nextDeath > 0) {
                stopAndRestart();
                nextDeath = nextDeath();
            }
        }
        slowEnds += server.slowConsumers();
        forFollowers.clear();
        forPublishers.clear();
        if (faults.count() == 0) {
            settle();
        }
        return faults.first();
    }

    private void start(Runnable actor) {
        threads.add(Thread.ofVirtual().start(actor));
    }

    private long nextDeath() {
        int every = plan.deaths().everyMillis();
        long millis = every == 0 ? 0 : 200 + random.nextInt(2 * every);
        return System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
    }

    private void stopAndRestart() {
        deaths++;
        slowEnds += server.slowConsumers();
        if (plan.deaths().orderlyOneIn() > 0 && random.nextInt(plan.deaths().orderlyOneIn()) == 0) {
            server.stop();
        } else {
            server.kill();
        }
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(random.nextInt(500)));
        server.start();
    }

    private void settle() {
        publishers.forEach(RepeatingPublisher::finish);
        await("every publish is acknowledged", () -> publishers.stream().allMatch(RepeatingPublisher::isFinished));
        Map<String, Position> ends = ledger.ends();
        for (SubjectFollower follower : followers) {
            await(follower.witness().name() + " has every message", () -> hasAll(follower, ends));
        }
        if (faults.count() == 0) {
            ledger.settle();
        }
    }

    private static boolean hasAll(SubjectFollower follower, Map<String, Position> ends) {
        StreamWitness witness = follower.witness();
        return witness.known().stream().allMatch(subject -> witness.hasReached(subject, ends.get(subject)));
    }

    private void await(String what, java.util.concurrent.Callable<Boolean> condition) {
        try {
            Await.until(what, SETTLING, () -> faults.count() > 0 || condition.call());
        } catch (AssertionError late) {
            faults.add("at the end", late.getMessage() + where());
        }
    }

    /** Describes the state of every participant, for the analysis of a fault. */
    private String where() {
        StringBuilder where = new StringBuilder("\nends: " + ledger.ends());
        for (SubjectFollower follower : followers) {
            where.append("\n").append(follower.witness());
        }
        return where.toString();
    }

    /** Describes the amount of work, so that a run with little activity is noticed. */
    String account() {
        int connections =
                followers.stream().mapToInt(SubjectFollower::connections).sum();
        int repeats = publishers.stream().mapToInt(RepeatingPublisher::repeats).sum();
        return ledger.acknowledgements() + " published, " + repeats + " repeats, " + ledger.deliveries()
                + " delivered to " + followers.size() + " followers over " + connections + " connections, " + slowEnds
                + " closed as slow, " + deaths + " deaths of the server, " + gaps() + " gaps, " + conflatedMessages()
                + " conflated";
    }

    @Override
    public String toString() {
        return "seed " + plan.seed() + ", " + account();
    }

    long delivered() {
        return ledger.deliveries();
    }

    long slowEnds() {
        return slowEnds;
    }

    int deaths() {
        return deaths;
    }

    int gaps() {
        return followers.stream()
                .mapToInt(follower -> follower.witness().gaps())
                .sum();
    }

    /** Returns the number of messages that followers did not receive because of conflation. */
    long conflatedMessages() {
        return followers.stream()
                .mapToLong(follower -> follower.witness().conflatedMessages())
                .sum();
    }

    @Override
    public void close() {
        followers.forEach(SubjectFollower::stop);
        publishers.forEach(RepeatingPublisher::stop);
        try (server;
                toFollowers;
                toEncrypted;
                toPublishers) {
            for (Thread thread : threads) {
                toFollowers.cut(said -> true);
                toEncrypted.cut(said -> true);
                toPublishers.cut(said -> true);
                thread.join(Duration.ofSeconds(5));
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
