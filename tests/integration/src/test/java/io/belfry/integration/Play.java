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
 * A run of publishers and followers over a rough network, of a server that may die, and the account of it in the end:
 * every message once and in order, or an announced gap of a kind that the plan allows. Owner: the test's thread.
 */
final class Play implements AutoCloseable {
    private static final Duration SETTLING = Duration.ofSeconds(90);
    private static final int FOLLOWERS_STALL_ONE_IN = 50;
    private static final int PUBLISHERS_STALL_ONE_IN = 1000;
    private static final int CONFLATE_MILLIS = 150;
    private static final List<String> SUBJECTS = List.of(
            "/play/one", "/play/two", "/play/with space", "/play/größe+&=%", "/play/deep/er", "/play/deep/est/of/all");

    /**
     * What may happen.
     *
     * @param withIds whether publishers have their repeats recognised
     * @param mayGap whether a gap of a subject may be announced for a reason
     */
    record Plan(
            long seed,
            long millis,
            boolean withIds,
            Deaths deaths,
            BiPredicate<String, String> mayGap,
            List<String> settings) {}

    /**
     * How the server ends, to be started again.
     *
     * @param everyMillis how often on average, 0 = never
     * @param orderlyOneIn of so many one is an orderly stop and the others are as {@code kill -9}; 0 = all are
     */
    record Deaths(int everyMillis, int orderlyOneIn) {
        static final Deaths NONE = new Deaths(0, 0);
    }

    private final Plan plan;
    private final Random random;
    private final Faults faults = new Faults();
    private final Ledger ledger = new Ledger(faults);
    private final Weather forFollowers;
    private final Weather forPublishers;
    private final RestartedServer server;
    private final CuttingProxy toFollowers;
    private final CuttingProxy toEncrypted;
    private final CuttingProxy toPublishers;
    private final SelfSigned certificate = SelfSigned.make();
    private final List<Follower> followers = new ArrayList<>();
    private final List<Publisher> publishers = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();
    private int deaths;
    private long slowEnds;

    Play(Plan plan) {
        this.plan = plan;
        random = new Random(plan.seed());
        forFollowers = Weather.rough(random.nextLong(), FOLLOWERS_STALL_ONE_IN);
        forPublishers = Weather.rough(random.nextLong(), PUBLISHERS_STALL_ONE_IN);
        server = new RestartedServer(certificate.settings(plan.settings().toArray(String[]::new)));
        toFollowers = new CuttingProxy(server::port, forFollowers);
        toEncrypted = new CuttingProxy(server::encryptedPort, forFollowers);
        toPublishers = new CuttingProxy(server::port, forPublishers);
        addFollowers();
        addPublishers();
    }

    // ---- who takes part ----

    private void addFollowers() {
        for (Carrier carrier : Carrier.values()) {
            follow(carrier + " of all", SUBJECTS, List.of(carrier));
        }
        follow("one event stream", SUBJECTS.subList(2, 3), List.of(Carrier.EVENTS));
        for (int i = 0; i < 3; i++) {
            follow("wanderer " + i, SUBJECTS, List.of(Carrier.values()));
        }
        List<Carrier> streams =
                EnumSet.allOf(Carrier.class).stream().filter(Carrier::isStream).toList();
        streams.forEach(carrier -> conflate("conflating over " + carrier, SUBJECTS, List.of(carrier)));
        conflate("conflating wanderer", SUBJECTS, streams);
        conflate("wandering pattern, conflating", List.of("/play/*", SUBJECTS.get(5), "/play/deep/*"), streams);
        follow("pattern over binary", List.of("/play/**"), List.of(Carrier.BINARY));
        follow("pattern over lines", List.of("/play/*", "/play/deep/**"), List.of(Carrier.LINES));
        follow("wandering pattern", List.of("/play/*", SUBJECTS.get(5), "/play/deep/*"), streams);
        for (JavaWay way : JavaWay.values()) {
            followInJava("Java over " + way, SUBJECTS.subList(0, 4), List.of(way));
            followInJava("Java pattern over " + way, List.of("/play/*", "/play/deep/**"), List.of(way));
        }
        followInJava("Java wanderer", SUBJECTS, List.of(JavaWay.values()));
        conflateInJava("conflating Java wanderer", SUBJECTS, List.of(JavaWay.values()));
        conflateInJava("conflating Java pattern", List.of("/play/**"), List.of(JavaWay.BINARY));
        followEncrypted("Java through TLS", List.of(JavaWay.BINARY));
        followEncrypted("Java wanderer through TLS", List.of(JavaWay.values()));
    }

    private void follow(String name, List<String> subjects, List<Carrier> carriers) {
        follow(witness(name, false), subjects, 0, carriers);
    }

    private void conflate(String name, List<String> subjects, List<Carrier> carriers) {
        follow(witness(name, true), subjects, 1 + random.nextInt(2 * CONFLATE_MILLIS), carriers);
    }

    private void follow(Witness witness, List<String> subjects, int conflateMillis, List<Carrier> carriers) {
        followers.add(
                new WireFollower(witness, subjects, conflateMillis, carriers, toFollowers.port(), another(), faults));
    }

    private void followInJava(String name, List<String> subjects, List<JavaWay> ways) {
        followInJava(witness(name, false), subjects, SubscribeOptions.LIVE, ways);
    }

    private void conflateInJava(String name, List<String> subjects, List<JavaWay> ways) {
        Duration interval = Duration.ofMillis(1 + random.nextInt(2 * CONFLATE_MILLIS));
        followInJava(witness(name, true), subjects, SubscribeOptions.conflate(interval), ways);
    }

    private void followInJava(Witness witness, List<String> subjects, SubscribeOptions options, List<JavaWay> ways) {
        Function<JavaWay, BelfryClient.Builder> connection = way -> way.to(toFollowers.port());
        followers.add(new JavaFollower(witness, subjects, options, ways, connection, another(), faults));
    }

    private void followEncrypted(String name, List<JavaWay> ways) {
        Function<JavaWay, BelfryClient.Builder> connection =
                way -> way.encrypted(toEncrypted.port(), certificate.certificate());
        followers.add(new JavaFollower(
                witness(name, false), SUBJECTS, SubscribeOptions.LIVE, ways, connection, another(), faults));
    }

    private Witness witness(String name, boolean conflating) {
        return new Witness(name, ledger, faults, plan.mayGap(), conflating);
    }

    private Random another() {
        return new Random(random.nextLong());
    }

    private void addPublishers() {
        for (int i = 0; i < 3; i++) {
            publishers.add(
                    new WirePublisher(i, SUBJECTS, plan.withIds(), toPublishers.port(), another(), ledger, faults));
        }
        List<JavaWay> ways = List.of(JavaWay.BINARY, JavaWay.LINES);
        for (int i = 0; i < ways.size(); i++) {
            publishers.add(
                    new JavaPublisher(3 + i, SUBJECTS, ways.get(i), toPublishers.port(), another(), ledger, faults));
        }
    }

    // ---- what happens ----

    /** Plays until the time is over or something is wrong, and settles the account. Answers the faults. */
    List<String> play() {
        followers.forEach(this::start);
        publishers.forEach(this::start);
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(plan.millis());
        long nextDeath = nextDeath();
        while (System.nanoTime() - end < 0 && faults.count() == 0) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
            if (plan.deaths().everyMillis() > 0 && System.nanoTime() - nextDeath > 0) {
                dieAndComeBack();
                nextDeath = nextDeath();
            }
        }
        slowEnds += server.slowConsumers();
        forFollowers.clear();
        forPublishers.clear();
        if (faults.count() == 0) {
            settle();
        }
        return faults.told();
    }

    private void start(Runnable actor) {
        threads.add(Thread.ofVirtual().start(actor));
    }

    private long nextDeath() {
        int every = plan.deaths().everyMillis();
        long millis = every == 0 ? 0 : 200 + random.nextInt(2 * every);
        return System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
    }

    private void dieAndComeBack() {
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
        publishers.forEach(Publisher::finish);
        await("every publish is acknowledged", () -> publishers.stream().allMatch(Publisher::isFinished));
        Map<String, Position> ends = ledger.ends();
        for (Follower follower : followers) {
            await(follower.witness().name() + " has everything", () -> hasAll(follower, ends));
        }
        if (faults.count() == 0) {
            ledger.settle();
        }
    }

    private static boolean hasAll(Follower follower, Map<String, Position> ends) {
        Witness witness = follower.witness();
        return witness.known().stream().allMatch(subject -> witness.hasReached(subject, ends.get(subject)));
    }

    private void await(String what, java.util.concurrent.Callable<Boolean> condition) {
        try {
            Await.until(what, SETTLING, () -> faults.count() > 0 || condition.call());
        } catch (AssertionError late) {
            faults.add("in the end", late.getMessage() + where());
        }
    }

    /** Where everyone is, for whoever looks for a fault. */
    private String where() {
        StringBuilder where = new StringBuilder("\nends: " + ledger.ends());
        for (Follower follower : followers) {
            where.append("\n").append(follower.witness());
        }
        return where.toString();
    }

    /** What was played, so that a run that tried little is seen to. */
    String account() {
        int connections = followers.stream().mapToInt(Follower::connections).sum();
        int repeats = publishers.stream().mapToInt(Publisher::repeats).sum();
        return ledger.acknowledgements() + " published, " + repeats + " repeats, " + ledger.deliveries()
                + " delivered to " + followers.size() + " followers over " + connections + " connections, " + slowEnds
                + " ended for being slow, " + deaths + " deaths of the server, " + gaps() + " gaps, " + steppedOver()
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

    /** Messages that followers did not get because they had asked for the latest only. */
    long steppedOver() {
        return followers.stream()
                .mapToLong(follower -> follower.witness().steppedOver())
                .sum();
    }

    @Override
    public void close() {
        followers.forEach(Follower::stop);
        publishers.forEach(Publisher::stop);
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
