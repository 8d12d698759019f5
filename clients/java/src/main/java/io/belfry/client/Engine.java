package io.belfry.client;

import io.belfry.client.connection.ClientLoop;
import io.belfry.client.connection.Ending;
import io.belfry.protocol.MessageView;
import io.belfry.protocol.Position;
import io.belfry.protocol.Recovery;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Keeps a client connected: which server, when again, what to ask for, what to send again. Owner: the client's loop, on
 * which everything runs but {@link #offer}.
 */
final class Engine implements Link.Owner {
    private static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    /** A second brings as many commands as a session may send at once, so that asking for each at its moment gains nothing. */
    private static final long ASK_AGAIN_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** As long as a node takes to start anew what publishes for it. */
    private static final long REPEAT_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

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
    private final Subscriptions subscriptions;
    private final Publishes publishes;
    private final ServerChoice choice;
    private final Dialer dialer;
    private final ConcurrentLinkedQueue<Publish> offered = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean offerNoticed = new AtomicBoolean();

    private State state = State.IDLE;
    private @Nullable Link link;
    private ServerAddress server;
    private int attempt;

    /** Grows with every change of plan, so that what was set going under an older one has no effect. */
    private long plan;

    private long sinceNanos;
    private long pingNanos;
    private int dataBytesMax = Integer.MAX_VALUE;
    private long reconnectAfterMillis = -1;
    private boolean pinged;
    private boolean ticking;
    private boolean repeating;

    /** The link has been told what to ask for; what comes later is told by itself. */
    private boolean wishesTold;

    private volatile boolean readingPaused;

    Engine(ClientOptions options, ClientLoop loop, Publishes publishes) {
        this.options = options;
        this.loop = loop;
        this.publishes = publishes;
        this.delivery = new Delivery(
                options.executor(), options.waitingMax(), this::listenerFailed, full -> loop.run(() -> pause(full)));
        this.subscriptions = new Subscriptions(delivery, this::tell, options.bridgesMax());
        this.choice = new ServerChoice(
                options.servers(), options.reconnect().avoidFailedFor().toNanos(), options.random());
        this.dialer = new Dialer(options, loop, this);
        this.server = options.servers().get(0);
        this.pingNanos = options.pingInterval().toNanos();
    }

    private void tell(Status status) {
        delivery.run(() -> options.status().onStatus(status));
    }

    /** Its own failure has nobody to go to. */
    private void listenerFailed(Throwable cause) {
        try {
            options.status().onStatus(new Status.ListenerFailed(cause));
        } catch (RuntimeException again) {
            cause.addSuppressed(again);
        }
    }

    private void pause(boolean full) {
        readingPaused = full;
        if (link != null) {
            link.pauseReading(full);
        }
    }

    void start() {
        if (state == State.IDLE || state == State.STOPPED) {
            attempt = 0;
            connect();
        }
    }

    private void connect() {
        state = State.CONNECTING;
        long mine = ++plan;
        server = choice.next(loop.clock().getAsLong());
        reconnectAfterMillis = -1;
        tell(new Status.Connecting(server, attempt));
        loop.runAfter(options.connectTimeout().toNanos(), () -> {
            if (mine == plan && state == State.CONNECTING) {
                abandon(new Ending(
                        Ending.Cause.TIMED_OUT,
                        server + " does not answer within "
                                + options.connectTimeout().toMillis() + " ms"));
            }
        });
        dialer.dial(server, (dialled, failure) -> {
            if (mine != plan) {
                return;
            }
            if (dialled == null) {
                ended(failure);
            } else {
                link = dialled;
                dialled.open();
            }
        });
    }

    /** The connection, or the attempt at one, is not waited for any longer. */
    private void abandon(Ending ending) {
        if (link != null) {
            link.fail(ending);
        } else {
            ended(ending);
        }
    }

    @Override
    public List<Wish> wishes() {
        wishesTold = true;
        return subscriptions.wishes();
    }

    /** A stream has no greeting; a WebSocket's follows. */
    @Override
    public void onLinkOpen() {
        if (readingPaused && link != null) {
            link.pauseReading(true);
        }
        if (options.transport() != Transport.WEBSOCKET) {
            up("", "");
        }
    }

    @Override
    public void onConnected(long id, String session, String node, long pingMillis, int maxMessage) {
        if (pingMillis > 0) {
            pingNanos = TimeUnit.MILLISECONDS.toNanos(pingMillis);
        }
        dataBytesMax = maxMessage > 0 ? maxMessage : Integer.MAX_VALUE;
        up(session, node);
    }

    private void up(String session, String node) {
        if (state != State.CONNECTING) {
            return;
        }
        state = State.UP;
        sinceNanos = loop.clock().getAsLong();
        pinged = false;
        choice.worked(server);
        tell(new Status.Connected(server, session, node));
        sendPublishes();
        tick();
    }

    /** While there is something to watch: silence of the server, publishes that wait too long. */
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

    private void watchSilence(long now) {
        if (link == null || readingPaused || !link.expectsReads()) {
            return;
        }
        long silentNanos = now - Math.max(link.lastReadNanos(), sinceNanos);
        if (silentNanos > 2 * pingNanos) {
            link.fail(new Ending(
                    Ending.Cause.TIMED_OUT,
                    "nothing came from the server for " + TimeUnit.NANOSECONDS.toMillis(silentNanos) + " ms"));
        } else if (silentNanos > pingNanos && !pinged) {
            pinged = true;
            link.ping();
        } else if (silentNanos < pingNanos) {
            pinged = false;
        }
    }

    @Override
    public void onLinkEnd(Ending ending) {
        ended(ending);
    }

    private void ended(Ending ending) {
        if (state == State.CLOSED) {
            return;
        }
        boolean wasUp = state == State.UP;
        long now = loop.clock().getAsLong();
        link = null;
        wishesTold = false;
        plan++;
        publishes.disconnected(publish -> tell(new Status.PublishUnknown(publish.subjectText())));
        if (wasUp && now - sinceNanos >= options.reconnect().stableAfter().toNanos()) {
            attempt = 0;
        }
        if (Refusals.isFinal(ending) && !(options.tokenRenewable() && Refusals.isAboutToken(ending))) {
            stop(ending);
        } else {
            connectLater(ending, now);
        }
    }

    private void stop(Ending ending) {
        state = State.STOPPED;
        tell(new Status.Refused(server, Refusals.code(ending), ending.sentence()));
        publishes.failAll(PublishException.Kind.CLOSED, Refusals.code(ending), "the server refused this client");
    }

    private void connectLater(Ending ending, long now) {
        state = State.WAITING;
        choice.putAside(server, now, TimeUnit.MILLISECONDS.toNanos(ending.retryAfterMillis()));
        long pauseMillis = reconnectAfterMillis < 0 ? pauseMillis(ending, now) : reconnectAfterMillis;
        tell(new Status.Disconnected(server, Refusals.code(ending), ending.sentence(), Duration.ofMillis(pauseMillis)));
        long mine = plan;
        loop.runAfter(TimeUnit.MILLISECONDS.toNanos(pauseMillis), () -> {
            if (mine == plan && state == State.WAITING) {
                connect();
            }
        });
        tick();
    }

    private long pauseMillis(Ending ending, long now) {
        boolean refusedToken = Refusals.isAboutToken(ending);
        long asked = Refusals.isOfThatServer(ending) && choice.hasOther(now) ? 0 : ending.retryAfterMillis();
        // A new token takes somebody's work to make, and a server that asks for time has none: neither is a lost
        // connection.
        int counted = refusedToken || asked > 0
                ? Math.max(attempt, options.reconnect().quickAttempts())
                : attempt;
        attempt = counted + 1;
        long pause = options.reconnect().pauseMillis(counted, options.random());
        long floor = refusedToken ? options.reconnect().firstPause().toMillis() : 0;
        // All who were refused together were told the same time: it is where each one's own pause begins.
        return asked + Math.max(pause, floor);
    }

    /** Any thread. */
    void offer(Publish publish) {
        offered.add(publish);
        if (offerNoticed.compareAndSet(false, true)) {
            loop.run(this::takeOffered);
        }
    }

    private void takeOffered() {
        offerNoticed.set(false);
        for (Publish next = offered.poll(); next != null; next = offered.poll()) {
            publishes.add(next);
        }
        if (state == State.STOPPED || state == State.CLOSED) {
            publishes.failAll(PublishException.Kind.CLOSED, "", "the client does not connect any more");
        } else {
            sendPublishes();
            tick();
        }
    }

    /** The cluster behind the server could not take it: many are refused together, and go together. */
    private void repeatPublishesLater() {
        if (!repeating) {
            repeating = true;
            loop.runAfter(REPEAT_NANOS, () -> {
                repeating = false;
                publishes.repeat();
                sendPublishes();
            });
        }
    }

    /** Not before the greeting, which says how large a message may be. */
    private void sendPublishes() {
        Link to = link;
        if (to != null && state == State.UP) {
            publishes.send(publish -> isTooLarge(publish) || to.publish(publish));
            to.flush();
        }
    }

    /** One far too large would end the connection, and be sent again on the next. */
    private boolean isTooLarge(Publish publish) {
        boolean tooLarge = publish.data().length > dataBytesMax;
        if (tooLarge) {
            publishes.failed(
                    publish.id(),
                    new PublishException(
                            PublishException.Kind.REFUSED,
                            "message-too-large",
                            publish.data().length + " bytes, and the server takes " + dataBytesMax));
        }
        return tooLarge;
    }

    @Override
    public void onLinkWritable() {
        sendPublishes();
    }

    void subscribe(Subscription subscription) {
        subscriptions.add(subscription);
        if (wishesTold) {
            ask(subscription);
        }
    }

    private void ask(Subscription subscription) {
        if (link == null) {
            return;
        }
        if (subscriptions.isBridge(subscription.subject())) {
            subscriptions.dropBridge(subscription.subject());
            link.unsubscribe(List.of(subscription.key()));
        }
        link.subscribe(Subscriptions.wish(subscription));
        link.flush();
    }

    /** The server had too much to do with us: it did not take this subscription, or its end. Many are refused together. */
    private void askLater(String subject, long afterMillis) {
        long mine = plan;
        loop.runAfter(Math.max(ASK_AGAIN_NANOS, TimeUnit.MILLISECONDS.toNanos(afterMillis)), () -> {
            if (mine != plan || link == null) {
                return;
            }
            Subscription wanted = subscriptions.find(subject);
            if (wanted == null) {
                link.unsubscribe(List.of(subject.getBytes(StandardCharsets.UTF_8)));
                link.flush();
            } else if (!wanted.isConfirmed()) {
                ask(wanted);
            }
        });
    }

    void unsubscribe(Subscription subscription) {
        if (!subscriptions.remove(subscription)) {
            return;
        }
        if (link != null) {
            link.unsubscribe(List.of(subscription.key()));
            link.flush();
        }
        tell(new Status.Unsubscribed(subscription.subject()));
    }

    @Override
    public void onMessage(MessageView message) {
        subscriptions.message(message);
        giveUpBridges();
    }

    private void giveUpBridges() {
        List<byte[]> done = subscriptions.takeBridgesDone();
        if (!done.isEmpty() && link != null && options.transport() == Transport.WEBSOCKET) {
            link.unsubscribe(done);
        }
    }

    @Override
    public void onSubscribed(long id, byte[] subject, @Nullable Position at, Recovery recovery) {
        subscriptions.subscribed(text(subject), at, recovery);
        giveUpBridges();
    }

    @Override
    public void onTokenToExpire(long afterMillis) {
        tell(new Status.TokenToExpire(Duration.ofMillis(afterMillis)));
        Supplier<@Nullable String> source = options.token();
        if (source == null || !options.tokenRenewable()) {
            return;
        }
        long mine = plan;
        dialer.renew(source, (token, failure) -> {
            if (mine != plan || link == null) {
                return;
            }
            if (token == null) {
                tell(new Status.CommandFailed("token-to-expire", "there is no new token: " + failure));
            } else {
                link.renew(token);
            }
        });
    }

    @Override
    public void onStale(boolean stale) {
        tell(new Status.Stale(stale));
    }

    @Override
    public void onUnsubscribed(long id, byte[] subject, @Nullable String reason) {
        if (reason == null) {
            onUnsubscribed(id, subject);
        } else {
            subscriptions.refused(text(subject), reason, "the new token does not allow it");
        }
    }

    @Override
    public void onUnsubscribed(long id, byte[] subject) {
        // Told when it was asked for: from then on nothing more was delivered.
    }

    @Override
    public void onPublished(long id, long epoch, long seq) {
        publishes.acknowledged(id, new Position(epoch, seq));
    }

    @Override
    public void onGap(byte[] subject, @Nullable Position from, Position to, String reason) {
        subscriptions.gap(text(subject), from, to, reason);
        giveUpBridges();
    }

    @Override
    public void onError(long id, String code, String reason, byte @Nullable [] subject) {
        onError(id, code, reason, subject, 0);
    }

    @Override
    public void onError(long id, String code, String reason, byte @Nullable [] subject, long afterMillis) {
        if (Refusals.isOfTheMoment(code) && publishes.repeatLater(id)) {
            repeatPublishesLater();
            return;
        }
        if (publishes.failed(id, new PublishException(PublishException.Kind.REFUSED, code, reason, afterMillis))) {
            return;
        }
        if (subject != null && Refusals.isForNow(code) && afterMillis > 0) {
            askLater(text(subject), afterMillis);
        } else if (subject == null || !Refusals.isOfSubscription(code)) {
            tell(new Status.CommandFailed(code, reason));
        } else {
            subscriptions.refused(text(subject), code, reason);
        }
    }

    @Override
    public void onReconnect(long afterMillis, String reason) {
        reconnectAfterMillis = afterMillis;
        tell(new Status.ReconnectAsked(Duration.ofMillis(afterMillis), reason));
    }

    @Override
    public void onBadEvent(String reason) {
        if (link != null) {
            link.fail(new Ending(Ending.Cause.BAD_FRAME, "the server sent what is no event: " + reason));
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
        takeOffered();
        for (Subscription subscription : subscriptions.all()) {
            subscription.refused("client-closed", "the client was closed");
        }
        tell(new Status.Closed());
    }
}
