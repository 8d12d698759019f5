package io.belfry.client;

import io.belfry.protocol.PatternPosition;
import io.belfry.protocol.Position;
import io.belfry.protocol.Subjects;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A subscription of a {@link BelfryClient}. Public methods may be called by any thread; all others belong to the
 * client's loop.
 */
public final class Subscription {
    private final String subject;
    private final SubscribeOptions options;
    private final MessageListener listener;
    private final Control control;
    private final CompletableFuture<Void> ready = new CompletableFuture<>();
    private final CompletableFuture<SubscribeException> over = new CompletableFuture<>();
    private final byte[] key;
    private final byte[] target;
    private final boolean pattern;
    private final Tracker tracker;
    private final Map<String, Tracker> trackers;
    private final PatternProgress progress;

    /** Whether the server confirmed the subscription on the current connection. */
    private boolean confirmed;

    private boolean everConfirmed;

    /** Whether the program has unsubscribed: calls of the listener that still wait are then dropped. */
    private volatile boolean ended;

    /** Whether the program wants no messages for now. */
    private volatile boolean paused;

    private Phase phase = Phase.REQUESTED;

    /** Calls of the listener that a pause keeps; used only where the listener is called. */
    private final Queue<Runnable> kept = new ArrayDeque<>();

    /** The state of the subscription at the server. */
    private enum Phase {
        /** Requested on each connection. */
        REQUESTED,
        /** Paused, and the answer to unsubscribe is on its way: messages before it are not taken. */
        ENDING,
        /** Paused, and unknown to the server. */
        SUSPENDED
    }

    /** The client's side of a subscription. Any thread. */
    interface Control {
        void unsubscribe(Subscription subscription);

        void pause(Subscription subscription);

        void resume(Subscription subscription);
    }

    /** {@code trackersMax} bounds how many subjects of a pattern are tracked. */
    Subscription(String subject, SubscribeOptions options, MessageListener listener, int trackersMax, Control control) {
        this.target = subject.getBytes(StandardCharsets.UTF_8);
        this.key = Subjects.followed(target);
        this.subject = new String(key, StandardCharsets.UTF_8);
        this.options = options;
        this.listener = listener;
        this.control = control;
        String problem = Subjects.followProblem(target, true);
        if (problem != null) {
            throw new IllegalArgumentException(problem + ": " + subject);
        }
        this.pattern = Subjects.isPattern(key);
        if (pattern && options.areForPlainSubjects()) {
            throw new IllegalArgumentException("history and from require a plain subject, not the pattern " + subject);
        }
        if (!pattern && options.patternFrom() != null) {
            throw new IllegalArgumentException(
                    "a position of a pattern requires a pattern, not the subject " + subject);
        }
        this.progress = new PatternProgress(options.patternStart());
        boolean conflating = options.conflateMillis() > 0;
        this.tracker = options.from() == null ? new Tracker(conflating) : new Tracker(options.from(), conflating);
        this.trackers = new LinkedHashMap<>(16, 0.75f, true) {
            private static final long serialVersionUID = 1;

            @Override
            protected boolean removeEldestEntry(Map.Entry<String, Tracker> eldest) {
                return size() > trackersMax;
            }
        };
    }

    /** Returns the subject or pattern; an inbox without its key. */
    public String subject() {
        return subject;
    }

    /**
     * Returns the position of a pattern: the listener was called with everything that was published up to it on the matching
     * subjects. It is up to some seconds behind the latest message. A later subscription, also in another program, continues
     * after it with {@link SubscribeOptions#fromPattern}.
     *
     * @return null for a plain subject, before the first confirmation, while known subjects are recovered one by one, or if the
     *     server stores no messages
     */
    public @Nullable String position() {
        PatternPosition delivered = progress.delivered();
        return delivered == null ? null : delivered.toString();
    }

    /**
     * Returns a future that completes when the server first confirms the subscription, or fails with a {@link
     * SubscribeException} if the server rejects it.
     */
    public CompletableFuture<Void> ready() {
        return ready.copy();
    }

    /**
     * Ends the subscription; no message is delivered after the listener's current call. Further calls have no effect.
     */
    public void unsubscribe() {
        ended = true;
        control.unsubscribe(this);
    }

    /**
     * Pauses the subscription: no message is delivered after the listener's current call. The client keeps the position
     * and ends the subscription at the server, so that messages do not collect in the client. Other subscriptions
     * continue.
     */
    public void pause() {
        paused = true;
        control.pause(this);
    }

    /**
     * Continues a paused subscription: the messages since then are delivered, or a gap. A pattern without a position recovers
     * the subjects that it has received, as after a disconnect.
     */
    public void resume() {
        paused = false;
        control.resume(this);
    }

    /** Whether the program has paused the subscription. */
    public boolean isPaused() {
        return paused;
    }

    /** Makes a call of the listener, or keeps it during a pause. Called where the listener is called. */
    void call(Runnable listenerCall) {
        if (ended) {
            return;
        }
        if (paused || !kept.isEmpty()) {
            kept.add(listenerCall);
        } else {
            listenerCall.run();
        }
    }

    /** Makes the kept calls after a pause, until the next one. Called where the listener is called. */
    void deliverKept() {
        while (!paused && !ended && !kept.isEmpty()) {
            kept.remove().run();
        }
    }

    SubscribeOptions options() {
        return options;
    }

    MessageListener listener() {
        return listener;
    }

    byte[] key() {
        return key;
    }

    /** Returns what a request of the subscription names: the subject, or an inbox with its key. */
    byte[] target() {
        return target;
    }

    boolean isPattern() {
        return pattern;
    }

    /**
     * Whether messages belong to this subscription. Messages of a plain subject before its confirmation belong to an
     * earlier subscription.
     */
    boolean takes() {
        return phase == Phase.REQUESTED && (pattern || confirmed);
    }

    /** Called for each new connection, on which the subscription must be confirmed again. */
    void unconfirm() {
        confirmed = false;
        if (phase == Phase.ENDING) {
            phase = paused ? Phase.SUSPENDED : Phase.REQUESTED;
        }
    }

    /** Suspends the subscription; returns false if it is suspended already. */
    boolean suspend() {
        boolean requested = phase == Phase.REQUESTED;
        if (requested) {
            phase = Phase.ENDING;
            confirmed = false;
            progress.suspended();
        }
        return requested;
    }

    /** The server has answered that the subscription ended. */
    void ended() {
        phase = Phase.SUSPENDED;
    }

    /** The subscription is requested again. */
    void awake() {
        phase = Phase.REQUESTED;
        confirmed = false;
    }

    boolean isSuspended() {
        return phase != Phase.REQUESTED;
    }

    boolean isEnding() {
        return phase == Phase.ENDING;
    }

    /** Records the confirmation; returns true for the first one ever. */
    boolean confirm() {
        boolean first = !everConfirmed;
        confirmed = true;
        everConfirmed = true;
        ready.complete(null);
        return first;
    }

    /** Whether the server confirmed the subscription on the current connection. */
    boolean isConfirmed() {
        return confirmed;
    }

    /** Returns a future that completes when the server or the end of the client ends the subscription. */
    CompletableFuture<SubscribeException> over() {
        return over;
    }

    void refused(String code, String reason) {
        SubscribeException why = new SubscribeException(code, reason);
        over.complete(why);
        if (!ready.completeExceptionally(why)) {
            // The subscription was confirmed earlier and ends now; the program may subscribe again. Messages that wait
            // for
            // the listener arrived before the end, so they are delivered.
            control.unsubscribe(this);
        }
    }

    boolean everConfirmed() {
        return everConfirmed;
    }

    Tracker tracker(String concrete) {
        return pattern ? trackers.computeIfAbsent(concrete, s -> new Tracker(options.conflateMillis() > 0)) : tracker;
    }

    /** Returns the position and the recovery of a pattern. */
    PatternProgress progress() {
        return progress;
    }

    /** Returns the trackers of a pattern by subject. */
    Map<String, Tracker> trackers() {
        return trackers;
    }

    @Nullable
    Position resumeFrom() {
        return tracker.resumeFrom();
    }
}
