package io.belfry.attack.run;

import io.belfry.attack.attacks.AttackContext;
import io.belfry.attack.attacks.AttackTarget;
import io.belfry.attack.attacks.EffectiveSettings;
import io.belfry.attack.run.ClientFigures.NewClientFigures;
import io.belfry.benchkit.load.Assignment;
import io.belfry.benchkit.load.BenchFailure;
import io.belfry.benchkit.load.LoadTarget;
import io.belfry.benchkit.load.LoadTarget.ConnectOptions;
import io.belfry.benchkit.load.LoadTransport;
import io.belfry.benchkit.load.PublisherFleet;
import io.belfry.benchkit.load.PublisherOptions;
import io.belfry.benchkit.load.SubjectList;
import io.belfry.benchkit.load.SubscriberFleet;
import io.belfry.benchkit.load.SubscriberOptions;
import io.belfry.benchkit.measure.Count;
import io.belfry.benchkit.measure.Counts;
import io.belfry.benchkit.measure.Figures;
import io.belfry.benchkit.measure.SharedClock;
import io.belfry.benchkit.run.StopSignal;
import io.belfry.client.connection.ClientLoop;
import io.belfry.client.connection.SourceAddresses;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Subscribers and a publisher that use the server during attacks. The publisher sends at a fixed rate, so a slow server
 * shows as latency. Every delivery is measured, and every acknowledged message must arrive. Owner: the main thread.
 */
final class RegularClients implements AutoCloseable {
    private static final int SUBSCRIBERS = 4;
    private static final int SUBJECTS = 4;
    private static final int MESSAGES_PER_SECOND = 100;
    private static final int MESSAGE_BYTES = 64;
    private static final int NO_END_MARKS = 0;
    private static final double CONNECT_RATE = 100;
    private static final int READ_BUFFER_BYTES = 64 << 10;
    private static final List<Count> DISTURBANCES =
            List.of(Count.DUPLICATED, Count.REORDERED, Count.GAPS_ANNOUNCED, Count.ERRORS);
    private static final Duration CONNECT_MAX = Duration.ofSeconds(10);
    private static final Duration SETTLE_MAX = Duration.ofSeconds(5);

    private final ClientLoop loop =
            new ClientLoop("regular", READ_BUFFER_BYTES, SharedClock.start().nanos());
    private final SubscriberFleet subscribers;
    private final PublisherFleet publisher;
    private final NewClients newClients;
    private long published;
    private long acknowledged;
    private long missingBefore;

    private RegularClients(int port, EffectiveSettings settings) {
        boolean encrypted = settings.encrypted();
        @Nullable String token = settings.token();
        List<InetSocketAddress> servers = List.of(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        ConnectOptions manner = encrypted
                ? new ConnectOptions(LoadTransport.WEBSOCKET, true, false, token, ConnectOptions.trustingAny())
                : ConnectOptions.plain(true, token);
        LoadTarget target = LoadTarget.of(servers, manner, SourceAddresses.towards(servers, SUBSCRIBERS), CONNECT_RATE);
        List<String> names = IntStream.range(0, SUBJECTS)
                .mapToObj(i -> "/attack/regular/" + i)
                .toList();
        SubjectList subjects = SubjectList.of("", names);
        Assignment all = new Assignment(SUBJECTS, SUBJECTS, false, 1);
        subscribers = new SubscriberFleet(SubscriberOptions.reading(SUBSCRIBERS, subjects, all, target), List.of(loop));
        PublisherOptions publishing =
                new PublisherOptions(1, subjects, MESSAGES_PER_SECOND, 1, MESSAGE_BYTES, true, 1, NO_END_MARKS, target);
        publisher = new PublisherFleet(publishing, List.of(loop));
        AttackTarget forNewClients = new AttackTarget(port, encrypted, AttackTarget.NEW_CLIENTS);
        newClients =
                new NewClients(new AttackContext(settings, forNewClients, Duration.ZERO, NewClients.TIMEOUT, () -> ""));
    }

    /** Connects the clients and starts publishing. */
    static RegularClients start(int port, EffectiveSettings settings) {
        RegularClients clients = new RegularClients(port, settings.ofRegularClients());
        try {
            long end = System.nanoTime() + CONNECT_MAX.toNanos();
            clients.subscribers.connect(() -> isLate(end));
            clients.publisher.connect(() -> isLate(end));
        } catch (BenchFailure e) {
            clients.loop.close();
            throw e;
        }
        clients.publisher.publish();
        clients.newClients.start();
        return clients;
    }

    private static boolean isLate(long endNanos) {
        LockSupport.parkNanos(StopSignal.POLL.toNanos());
        return System.nanoTime() > endNanos;
    }

    /** Waits for pending deliveries and returns the figures since the last call. */
    ClientFigures takeFigures() {
        Figures figures = new Figures();
        take(figures);
        long expected = published;
        BooleanSupplier allAnswered = () -> {
            take(figures);
            return acknowledged >= expected || publisher.failure().isDone();
        };
        boolean answered = StopSignal.waitFor(allAnswered, SETTLE_MAX);
        long[] acknowledgedOf = publisher.acknowledgedOfSubject();
        StopSignal.waitFor(() -> subscribers.missing(acknowledgedOf) <= missingBefore, SETTLE_MAX);
        long missing = subscribers.missing(acknowledgedOf);
        long lost = Math.max(0, missing - missingBefore);
        missingBefore = missing;
        take(figures);
        return figures(figures, lost, answered ? 0 : expected - acknowledged);
    }

    /** Of the publisher only the counts are taken: its latencies are those of acknowledgements. */
    private void take(Figures figures) {
        Figures fresh = new Figures();
        publisher.takeFigures(fresh);
        published += fresh.counts().of(Count.PUBLISHED);
        acknowledged += fresh.counts().of(Count.ACKNOWLEDGED);
        figures.counts().add(fresh.counts());
        subscribers.takeFigures(figures);
    }

    private ClientFigures figures(Figures figures, long lost, long unanswered) {
        Counts counts = figures.counts();
        List<String> incidents = new ArrayList<>();
        NewClientFigures connecting = newClients.take(incidents);
        incidents.addAll(subscribers.incidents().take());
        incidents.addAll(publisher.incidents().take());
        return new ClientFigures(
                counts.of(Count.MESSAGES),
                figures.latencies().percentileMillis(50),
                figures.latencies().percentileMillis(99),
                figures.latencies().maxMillis(),
                lost,
                unanswered,
                DISTURBANCES.stream().mapToLong(counts::of).sum(),
                counts.of(Count.DISCONNECTIONS),
                connecting,
                incidents);
    }

    /** Returns whether all clients are still connected. */
    boolean areConnected() {
        return !publisher.failure().isDone()
                && !subscribers.failure().isDone()
                && subscribers.state().standing() == SUBSCRIBERS
                && publisher.state().standing() == 1;
    }

    @Override
    public void close() {
        newClients.close();
        publisher.close();
        subscribers.close();
        loop.close();
    }
}
