package io.belfry.client;

import io.belfry.client.connection.ClientLoop;
import io.belfry.client.connection.Ending;
import io.belfry.protocol.ConnectedEvent;
import io.belfry.protocol.KeptSession;
import io.belfry.protocol.MessageView;
import io.belfry.protocol.PatternPosition;
import io.belfry.protocol.Position;
import io.belfry.protocol.Recovery;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Keeps a client connected: chooses the server and the time of each attempt, requests the subscriptions and repeats
 * publishes. Owner: the client's loop; only {@link #offer} may be called by any thread.
 */
final class Engine implements Link.Owner, OutgoingPublishes.Connection {
    private static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    private enum State {
        IDLE,
        CONNECTING,
        UP,
        WAITING,
        STOPPED,
        CLOSED
    }

    private final ClientOptions options;
    private final ClientLoop loop;
    private final Delivery delivery;
    private final StatusReports reports;
    private final ClientSubscriptions subscriptions;
    private final PendingPublishes publishes;
    private final ServerChoice choice;
    private final Dialer dialer;
    private final OutgoingPublishes outgoing;
    private final SubscriptionRequests requests;
    private final Watches watches;
    private final SilenceWatch silence = new SilenceWatch();
    private final Attempts attempts;
    private final Continuation continuation;

    private State state = State.IDLE;
    private @Nullable Link link;
    private ServerAddress server;

    /** Incremented with every change of state, so that tasks scheduled before the change have no effect. */
    private long plan;

    private long sinceNanos;
    private long pingNanos;
    private long reconnectAfterMillis = -1;
    private boolean ticking;
    private volatile boolean readingPaused;

    /** Whether the link has the list of subscriptions; later subscriptions are requested one by one. */
    private boolean subscriptionsRequested;

    Engine(ClientOptions options, ClientLoop loop, PendingPublishes publishes, OwnOrigin origin) {
        this.options = options;
        this.loop = loop;
        this.publishes = publishes;
        this.delivery = new Delivery(
                options.executor(),
                options.bounds().waitingMax(),
                origin,
                cause -> StatusReports.listenerFailed(options.status(), cause),
                full -> loop.tryRun(() -> pause(full)));
        this.reports = new StatusReports(options.status(), delivery);
        boolean onePosition = options.wire().transport() != Transport.WEBSOCKET;
        this.subscriptions = new ClientSubscriptions(
                delivery, reports::report, options.bounds().bridgesMax(), onePosition);
        this.attempts = new Attempts(options.reconnect(), options.random());
        this.choice = new ServerChoice(
                options.servers(), options.reconnect().avoidFailedFor().toNanos(), options.random());
        this.requests = new SubscriptionRequests(loop, delivery, subscriptions, reports::report, this::listedLink);
        this.continuation = new Continuation(options.wire().keepSession(), subscriptions, requests);
        this.watches = new Watches(loop, delivery, this::listedLink);
        this.outgoing = new OutgoingPublishes(loop, publishes, this);
        this.dialer = new Dialer(options, loop, this);
        this.server = options.servers().get(0);
        this.pingNanos = options.times().assumedPingInterval().toNanos();
    }

    /** Returns the link if it has the list of subscriptions, so that later ones are requested one by one. */
    private @Nullable Link listedLink() {
        return subscriptionsRequested ? link : null;
    }

    private void pause(boolean full) {
        readingPaused = full;
        if (link != null) {
            link.pauseReading(full);
        }
    }

    void start() {
        if (state == State.IDLE || state == State.STOPPED) {
            attempts.reset();
            connect();
        }
    }

    private void connect() {
        state = State.CONNECTING;
        long mine = ++plan;
        server = choice.next(loop.clock().getAsLong());
        reconnectAfterMillis = -1;
        reports.report(new Status.Connecting(server, attempts.count()));
        loop.runAfter(options.times().connectTimeout().toNanos(), () -> {
            if (mine == plan && state == State.CONNECTING) {
                abandon(new Ending(
                        Ending.Cause.TIMED_OUT,
                        server + " did not answer within "
                                + options.times().connectTimeout().toMillis() + " ms"));
            }
        });
        dialer.dial(server, (dialled, failure) -> {
            if (mine != plan) {
                return;
            }
            if (dialled == null) {
                onLinkEnd(failure);
            } else {
                link = dialled;
                dialled.open();
            }
        });
    }

    /** Gives up the connection, or the attempt to connect. */
    private void abandon(Ending ending) {
        if (link != null) {
            link.fail(ending);
        } else {
            onLinkEnd(ending);
        }
    }

    @Override
    public List<WantedSubscription> wantedSubscriptions() {
        subscriptionsRequested = true;
        return subscriptions.wantedSubscriptions();
    }

    @Override
    public @Nullable KeptSession keptSession() {
        return continuation.request(loop.clock().getAsLong());
    }

    /** A stream has no greeting; on a WebSocket the event {@code connected} follows. */
    @Override
    public void onLinkOpen() {
        if (readingPaused && link != null) {
            link.pauseReading(true);
        }
        watches.requestAll();
        if (options.wire().transport() != Transport.WEBSOCKET) {
            up("", "");
        }
    }

    @Override
    public void onConnected(long id, ConnectedEvent event) {
        onPingInterval(event.pingMillis());
        outgoing.limit(event.maxMessage() > 0 ? event.maxMessage() : Integer.MAX_VALUE);
        subscriptionsRequested |= event.resumed();
        continuation.onConnected(event, link);
        up(event.session(), event.node());
    }

    @Override
    public void onPingInterval(long millis) {
        if (millis > 0) {
            pingNanos = TimeUnit.MILLISECONDS.toNanos(millis);
        }
    }

    private void up(String session, String node) {
        if (state != State.CONNECTING) {
            return;
        }
        state = State.UP;
        sinceNanos = loop.clock().getAsLong();
        silence.restart(sinceNanos);
        choice.worked(server);
        reports.report(new Status.Connected(server, session, node));
        outgoing.send();
        tick();
    }

    /** Schedules the periodic check for a silent server and for publishes that time out. */
    private void tick() {
        if (!ticking) {
            ticking = true;
            loop.runAfter(TICK_NANOS, this::ticked);
        }
    }

    private void ticked() {
        ticking = false;
        long now = loop.clock().getAsLong();
        publishes.failLate(now);
        if (state == State.UP) {
            watchSilence(now);
        }
        if (state == State.UP || !publishes.isEmpty()) {
            tick();
        }
    }

    /** Checks now whether the connection works; a client that waits to reconnect waits only as the server requires. */
    void checkConnection() {
        long now = loop.clock().getAsLong();
        if (state == State.UP && link != null && !readingPaused && link.expectsReads()) {
            silence.probe(now);
            link.ping();
        } else if (state == State.WAITING) {
            connectAfter(attempts.requiredNanos(now));
        }
    }

    private void watchSilence(long now) {
        if (link == null) {
            return;
        }
        if (readingPaused || !link.expectsReads()) {
            silence.restart(now);
            return;
        }
        long lastRead = link.lastReadNanos();
        switch (silence.look(now, lastRead, pingNanos)) {
            case FINE -> {}
            case PING -> link.ping();
            case SILENT -> {
                if (continuation.isKept()) {
                    link.keepSession();
                }
                link.fail(new Ending(
                        Ending.Cause.TIMED_OUT,
                        "the server sent nothing for "
                                + TimeUnit.NANOSECONDS.toMillis(silence.silentNanos(now, lastRead)) + " ms"));
            }
        }
    }

    @Override
    public void onLinkEnd(Ending ending) {
        if (state == State.CLOSED) {
            return;
        }
        boolean wasUp = state == State.UP;
        long now = loop.clock().getAsLong();
        link = null;
        subscriptionsRequested = false;
        plan++;
        continuation.onEnd(ending, now);
        publishes.disconnected(publish -> reports.report(new Status.PublishUnknown(publish.subjectText())));
        if (wasUp && now - sinceNanos >= options.reconnect().stableAfter().toNanos()) {
            attempts.reset();
        }
        if (Refusals.isFinal(ending) && !(options.credentials().tokenRenewable() && Refusals.isAboutToken(ending))) {
            stop(ending);
        } else {
            connectLater(ending, now);
        }
    }

    private void stop(Ending ending) {
        state = State.STOPPED;
        reports.report(new Status.Refused(server, Refusals.code(ending), ending.sentence()));
        publishes.failAll(PublishException.Kind.CLOSED, Refusals.code(ending), "the server rejected this client");
    }

    private void connectLater(Ending ending, long now) {
        state = State.WAITING;
        choice.putAside(server, now, TimeUnit.MILLISECONDS.toNanos(ending.retryAfterMillis()));
        boolean leaves = Refusals.concernsServerOnly(ending) && choice.hasOther(now);
        long pauseMillis = attempts.pauseMillis(ending, leaves, reconnectAfterMillis, now);
        reports.report(new Status.Disconnected(
                server, Refusals.code(ending), ending.sentence(), Duration.ofMillis(pauseMillis)));
        connectAfter(TimeUnit.MILLISECONDS.toNanos(pauseMillis));
        tick();
    }

    /** Ends the pause after this time, if it has not ended before. */
    private void connectAfter(long nanos) {
        long mine = plan;
        loop.runAfter(nanos, () -> {
            if (mine == plan && state == State.WAITING) {
                connect();
            }
        });
    }

    /** Queues a publish. Any thread. */
    void offer(Publish publish) {
        outgoing.offer(publish);
    }

    /** Publishes wait for the event {@code connected}, which has the maximum message size. */
    @Override
    public @Nullable Link openLink() {
        return state == State.UP ? link : null;
    }

    @Override
    public boolean isOver() {
        return state == State.STOPPED || state == State.CLOSED;
    }

    @Override
    public void publishesWait() {
        tick();
    }

    @Override
    public void onLinkWritable() {
        outgoing.send();
    }

    void subscribe(Subscription subscription) {
        requests.subscribe(subscription);
    }

    void unsubscribe(Subscription subscription) {
        if (requests.unsubscribe(subscription)) {
            reports.report(new Status.Unsubscribed(subscription.subject()));
        }
    }

    void suspend(Subscription subscription) {
        requests.suspend(subscription);
    }

    void resume(Subscription subscription) {
        requests.resume(subscription);
    }

    void watch(SubjectWatch watch) {
        watches.add(watch);
    }

    void unwatch(SubjectWatch watch) {
        watches.remove(watch);
    }

    @Override
    public void onWatched(long id, byte[] subject, boolean subscribers) {
        watches.state(text(subject), subscribers);
    }

    @Override
    public void onInterest(byte[] subject, boolean subscribers) {
        watches.state(text(subject), subscribers);
    }

    @Override
    public void onUnwatched(long id, byte[] subject, @Nullable String reason) {
        if (reason != null) {
            watchFailed(text(subject), reason, "the new token does not allow it", 0);
        }
    }

    private void watchFailed(String subject, String code, String reason, long afterMillis) {
        if (watches.failed(subject, code, reason, afterMillis)) {
            reports.report(new Status.CommandFailed(code, reason));
        }
    }

    @Override
    public void onMessage(MessageView message) {
        if (subscriptions.message(message)) {
            requests.endBridges();
        } else {
            onBadEvent("a delta that does not fit the message before");
        }
    }

    @Override
    public void onSubscribed(long id, byte[] subject, @Nullable Position at, Recovery recovery) {
        requests.confirmed(id, text(subject), at);
        subscriptions.subscribed(text(subject), at, recovery);
        requests.endBridges();
    }

    @Override
    public void onPatternSubscribed(
            long id, byte[] pattern, PatternPosition at, Recovery recovery, int conflateMillis) {
        requests.confirmed(id, text(pattern), null);
        subscriptions.patternSubscribed(text(pattern), at, recovery);
        requests.endBridges();
    }

    @Override
    public void onPosition(PatternPosition at) {
        subscriptions.position(at);
    }

    @Override
    public void onProgress(byte[] pattern, PatternPosition at) {
        subscriptions.progress(text(pattern), at);
    }

    @Override
    public void onTokenToExpire(long afterMillis) {
        reports.report(new Status.TokenToExpire(Duration.ofMillis(afterMillis)));
        dialer.renew(() -> link, reports::report);
    }

    @Override
    public void onStale(boolean stale) {
        reports.report(new Status.Stale(stale));
    }

    @Override
    public void onUnsubscribed(long id, byte[] subject, @Nullable String reason) {
        requests.unsubscribed(text(subject), reason);
    }

    @Override
    public void onPublished(long id, long epoch, long seq) {
        publishes.acknowledged(id, new Position(epoch, seq));
    }

    @Override
    public void onGap(byte[] subject, @Nullable Position from, Position to, String reason) {
        subscriptions.gap(text(subject), from, to, reason);
        requests.endBridges();
    }

    @Override
    public void onError(long id, String code, String reason, byte @Nullable [] subject) {
        onError(id, code, reason, subject, 0);
    }

    @Override
    public void onError(long id, String code, String reason, byte @Nullable [] subject, long afterMillis) {
        if (id == Link.CONNECT && state == State.CONNECTING) {
            Ending refusal = Refusals.ofConnect(code, reason, afterMillis, options.isNamed());
            if (refusal != null) {
                abandon(refusal);
                return;
            }
        }
        if (id == Link.WATCH && subject != null) {
            watchFailed(text(subject), code, reason, afterMillis);
            return;
        }
        if (Refusals.isTransient(code) && publishes.repeatLater(id)) {
            outgoing.repeatLater();
            return;
        }
        if (publishes.failed(id, new PublishException(PublishException.Kind.REFUSED, code, reason, afterMillis))) {
            return;
        }
        if (subject == null || !requests.failed(id, text(subject), code, reason, afterMillis)) {
            reports.report(new Status.CommandFailed(code, reason));
        }
    }

    @Override
    public void onReconnect(long afterMillis, String reason) {
        reconnectAfterMillis = afterMillis;
        reports.report(new Status.ReconnectAsked(Duration.ofMillis(afterMillis), reason));
    }

    @Override
    public void onBadEvent(String reason) {
        if (link != null) {
            link.fail(new Ending(Ending.Cause.BAD_FRAME, "the server sent an invalid event: " + reason));
        }
    }

    private static String text(byte[] utf8) {
        return new String(utf8, StandardCharsets.UTF_8);
    }

    void close() {
        if (state == State.CLOSED) {
            return;
        }
        state = State.CLOSED;
        plan++;
        if (link != null) {
            link.finish();
            link = null;
        }
        outgoing.takeOffered();
        watches.close();
        subscriptions.all().forEach(each -> each.refused("client-closed", "the client was closed"));
        reports.report(new Status.Closed());
    }
}
