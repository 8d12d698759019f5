package io.belfry.attack.witness;

import io.belfry.attack.wire.Certificates;
import io.belfry.attack.wire.Door;
import io.belfry.attack.wire.Requests;
import io.belfry.benchkit.load.Assignment;
import io.belfry.benchkit.load.BenchFailure;
import io.belfry.benchkit.load.Fleet;
import io.belfry.benchkit.load.PublisherFleet;
import io.belfry.benchkit.load.PublisherOptions;
import io.belfry.benchkit.load.SubjectList;
import io.belfry.benchkit.load.SubscriberFleet;
import io.belfry.benchkit.load.SubscriberOptions;
import io.belfry.benchkit.load.Target;
import io.belfry.benchkit.load.Target.Manner;
import io.belfry.benchkit.load.Transport;
import io.belfry.benchkit.measure.Count;
import io.belfry.benchkit.measure.Counts;
import io.belfry.benchkit.measure.Figures;
import io.belfry.benchkit.measure.SharedClock;
import io.belfry.client.connection.ClientLoop;
import io.belfry.client.connection.SourceAddresses;
import io.belfry.client.connection.Tls;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.stream.IntStream;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * Subscribers and a publisher with a steady, open loop: a server that falls behind shows it as latency. Every delivery is
 * measured, and all that was acknowledged must come. Owner: the main thread.
 */
public final class Witness implements AutoCloseable {
    private static final int SUBSCRIBERS = 4;
    private static final int SUBJECTS = 4;
    private static final int MESSAGES_PER_SECOND = 100;
    private static final int MESSAGE_BYTES = 64;
    private static final int NO_END_MARKS = 0;
    private static final double CONNECT_RATE = 100;
    private static final int READ_BUFFER_BYTES = 64 << 10;
    private static final Duration CONNECT_MAX = Duration.ofSeconds(10);
    private static final Duration SETTLE_MAX = Duration.ofSeconds(5);

    private final ClientLoop loop;
    private final SubscriberFleet subscribers;
    private final PublisherFleet publisher;
    private final Newcomers newcomers;
    private long published;
    private long acknowledged;
    private long missingBefore;

    private Witness(
            ClientLoop loop, SubscriberFleet subscribers, PublisherFleet publisher, Door door, Requests requests) {
        this.loop = loop;
        this.subscribers = subscribers;
        this.publisher = publisher;
        connect(subscribers);
        connect(publisher);
        publisher.publish();
        this.newcomers = new Newcomers(door, requests);
    }

    /** Connects and begins to publish; {@code token} null: none is needed. */
    public static Witness of(int port, boolean encrypted, @Nullable String token) {
        InetSocketAddress server = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
        List<InetSocketAddress> servers = List.of(server);
        Manner manner = new Manner(Transport.WEBSOCKET, true, false, token, encrypted ? tls() : address -> null);
        Target target = Target.of(servers, manner, SourceAddresses.towards(servers, SUBSCRIBERS), CONNECT_RATE);
        SubjectList subjects = SubjectList.of(
                "",
                IntStream.range(0, SUBJECTS)
                        .mapToObj(i -> "/attack/witness/" + i)
                        .toList());
        ClientLoop loop = new ClientLoop("witness", READ_BUFFER_BYTES, SharedClock.start());
        Door door = Door.forNewcomers(port, encrypted ? Certificates.trustingAny() : null);
        try {
            return new Witness(
                    loop,
                    new SubscriberFleet(
                            SubscriberOptions.reading(
                                    SUBSCRIBERS, subjects, new Assignment(SUBJECTS, SUBJECTS, false, 1), target),
                            List.of(loop)),
                    new PublisherFleet(
                            new PublisherOptions(
                                    1, subjects, MESSAGES_PER_SECOND, 1, MESSAGE_BYTES, true, 1, NO_END_MARKS, target),
                            List.of(loop)),
                    door,
                    new Requests(door.host(), token));
        } catch (BenchFailure e) {
            loop.close();
            throw e;
        }
    }

    private static Function<InetSocketAddress, @Nullable Tls> tls() {
        try {
            SslContext any = SslContextBuilder.forClient()
                    .sslProvider(SslProvider.JDK)
                    .trustManager(InsecureTrustManagerFactory.INSTANCE)
                    .endpointIdentificationAlgorithm(null)
                    .build();
            return server -> Tls.with(any, server.getHostString(), server.getPort());
        } catch (SSLException e) {
            throw new IllegalStateException("the JDK has no TLS", e);
        }
    }

    private static void connect(Fleet fleet) {
        fleet.begin();
        if (!waitFor(
                CONNECT_MAX, () -> fleet.ready().isDone() || fleet.failure().isDone())) {
            throw new BenchFailure("the witness was not connected within " + CONNECT_MAX.toSeconds() + " s");
        }
        if (fleet.failure().isDone()) {
            throw new BenchFailure("the witness: " + fleet.failure().join());
        }
    }

    /** What it saw since the last call. Takes as long as what is under way needs to come. */
    public Testimony testify() {
        Figures in = new Figures();
        Figures out = new Figures();
        take(in, out);
        long expected = published;
        boolean answered = waitFor(SETTLE_MAX, () -> {
            take(in, out);
            return acknowledged >= expected || publisher.failure().isDone();
        });
        long[] acknowledgedOf = publisher.acknowledgedOfSubject();
        waitFor(SETTLE_MAX, () -> subscribers.missing(acknowledgedOf) <= missingBefore);
        long missing = subscribers.missing(acknowledgedOf);
        long lost = Math.max(0, missing - missingBefore);
        missingBefore = missing;
        take(in, out);
        return testimony(in, out, lost, answered ? 0 : expected - acknowledged);
    }

    private void take(Figures in, Figures out) {
        Figures fresh = new Figures();
        publisher.takeFigures(fresh);
        published += fresh.counts().of(Count.PUBLISHED);
        acknowledged += fresh.counts().of(Count.ACKNOWLEDGED);
        out.add(fresh);
        subscribers.takeFigures(in);
    }

    private Testimony testimony(Figures in, Figures out, long lost, long unanswered) {
        Newcomers.Figures came = newcomers.take();
        List<String> surprises = new ArrayList<>(came.reasons());
        surprises.addAll(subscribers.surprises().take());
        surprises.addAll(publisher.surprises().take());
        return new Testimony(
                in.counts().of(Count.MESSAGES),
                in.latencies().percentileMillis(50),
                in.latencies().percentileMillis(99),
                in.latencies().maxMillis(),
                lost,
                unanswered,
                disturbances(in.counts()) + disturbances(out.counts()),
                in.counts().of(Count.DISCONNECTIONS) + out.counts().of(Count.DISCONNECTIONS),
                came.served(),
                came.turnedAway(),
                came.slowestMillis(),
                surprises);
    }

    private static long disturbances(Counts counts) {
        return counts.of(Count.DUPLICATED)
                + counts.of(Count.REORDERED)
                + counts.of(Count.GAPS_ANNOUNCED)
                + counts.of(Count.ERRORS);
    }

    /** Whether it can go on after what it went through. */
    public boolean isWhole() {
        return !publisher.failure().isDone()
                && !subscribers.failure().isDone()
                && subscribers.state().standing() == SUBSCRIBERS
                && publisher.state().standing() == 1;
    }

    private static boolean waitFor(Duration atMost, BooleanSupplier condition) {
        long end = System.nanoTime() + atMost.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > end) {
                return false;
            }
            LockSupport.parkNanos(5_000_000);
        }
        return true;
    }

    @Override
    public void close() {
        newcomers.close();
        publisher.close();
        subscribers.close();
        loop.close();
    }
}
