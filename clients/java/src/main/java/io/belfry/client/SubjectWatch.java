package io.belfry.client;

import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The watch of a {@link BelfryClient} on the subscribers of one subject. Public methods may be called by any thread; all
 * others belong to the client's loop.
 */
public final class SubjectWatch {
    private final String subject;
    private final InterestListener listener;
    private final Consumer<SubjectWatch> unwatch;
    private final CompletableFuture<Boolean> ready = new CompletableFuture<>();
    private volatile boolean ended;
    private @Nullable Boolean last;

    SubjectWatch(String subject, InterestListener listener, Consumer<SubjectWatch> unwatch) {
        this.subject = subject;
        this.listener = listener;
        this.unwatch = unwatch;
    }

    /** Returns the subject. */
    public String subject() {
        return subject;
    }

    /**
     * Returns a future that completes with the first state, or fails with a {@link SubscribeException} if the server
     * refuses.
     */
    public CompletableFuture<Boolean> ready() {
        return ready.copy();
    }

    /** Ends the watch; no call follows the listener's current one. Further calls have no effect. */
    public void unwatch() {
        ended = true;
        unwatch.accept(this);
    }

    byte[] key() {
        return subject.getBytes(StandardCharsets.UTF_8);
    }

    /** Records a state; returns true if the listener does not know it yet. */
    boolean changes(boolean subscribers) {
        boolean changed = last == null || last != subscribers;
        last = subscribers;
        ready.complete(subscribers);
        return changed;
    }

    /** Calls the listener, unless the program has ended the watch. */
    void report(boolean subscribers) {
        if (!ended) {
            listener.onInterest(subject, subscribers);
        }
    }

    void refused(String code, String reason) {
        if (!ready.completeExceptionally(new SubscribeException(code, reason))) {
            // The watch was confirmed earlier and ends now; the program may watch again.
            unwatch.accept(this);
        }
    }
}
