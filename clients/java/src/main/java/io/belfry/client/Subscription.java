package io.belfry.client;

import io.belfry.protocol.Position;
import io.belfry.protocol.Subjects;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** What {@link BelfryClient#subscribe} answers. Its public part is for any thread; the rest is the client's loop's. */
public final class Subscription {
    private final String subject;
    private final SubscribeOptions options;
    private final MessageListener listener;
    private final Consumer<Subscription> unsubscribe;
    private final CompletableFuture<Void> ready = new CompletableFuture<>();
    private final byte[] key;
    private final boolean pattern;
    private final Tracker tracker;
    private final Map<String, Tracker> trackers;

    /** Answered on the connection that stands. */
    private boolean confirmed;

    private boolean everConfirmed;

    /** {@code trackersMax} bounds how many subjects of a pattern are followed. */
    Subscription(
            String subject,
            SubscribeOptions options,
            MessageListener listener,
            int trackersMax,
            Consumer<Subscription> unsubscribe) {
        this.subject = subject;
        this.options = options;
        this.listener = listener;
        this.unsubscribe = unsubscribe;
        this.key = subject.getBytes(StandardCharsets.UTF_8);
        String problem = Subjects.problem(key, 0, key.length, true);
        if (problem != null) {
            throw new IllegalArgumentException(problem + ": " + subject);
        }
        this.pattern = Subjects.isPattern(key);
        if (pattern && options.areForPlainSubjects()) {
            throw new IllegalArgumentException("history and from go with a plain subject, not with " + subject);
        }
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

    public String subject() {
        return subject;
    }

    /** Done when the server has confirmed it the first time; fails with a {@link SubscribeException} if it refuses. */
    public CompletableFuture<Void> ready() {
        return ready.copy();
    }

    /** No message comes after the listener's current one. Again has no effect. */
    public void unsubscribe() {
        unsubscribe.accept(this);
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

    boolean isPattern() {
        return pattern;
    }

    /** Messages of a plain subject before its confirmation belong to a subscription before this one. */
    boolean takes() {
        return pattern || confirmed;
    }

    /** A new connection: it has to be confirmed again. */
    void unconfirm() {
        confirmed = false;
    }

    /** True the first time ever. */
    boolean confirm() {
        boolean first = !everConfirmed;
        confirmed = true;
        everConfirmed = true;
        ready.complete(null);
        return first;
    }

    /** Whether it was answered on the connection that stands. */
    boolean isConfirmed() {
        return confirmed;
    }

    void refused(String code, String reason) {
        if (!ready.completeExceptionally(new SubscribeException(code, reason))) {
            // It stood before: who wants it again may ask again.
            unsubscribe();
        }
    }

    boolean everConfirmed() {
        return everConfirmed;
    }

    Tracker tracker(String concrete) {
        return pattern ? trackers.computeIfAbsent(concrete, s -> new Tracker(options.conflateMillis() > 0)) : tracker;
    }

    /** The subjects of a pattern that are followed. */
    Map<String, Tracker> trackers() {
        return trackers;
    }

    @Nullable
    Position resumeFrom() {
        return tracker.resumeFrom();
    }
}
