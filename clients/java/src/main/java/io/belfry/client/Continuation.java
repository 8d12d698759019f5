package io.belfry.client;

import io.belfry.protocol.ConnectedEvent;
import io.belfry.protocol.KeptSession;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The session that the server keeps for a client after a lost connection. The next connection continues it with one command if
 * client and server agree on the subscriptions; otherwise the client subscribes again. Owner: the client's loop.
 */
final class Continuation {
    private final boolean wanted;
    private final ClientSubscriptions subscriptions;
    private String session = "";
    private long keepNanos;
    private long lostNanos;

    Continuation(boolean wanted, ClientSubscriptions subscriptions) {
        this.wanted = wanted;
        this.subscriptions = subscriptions;
    }

    void onConnected(ConnectedEvent event) {
        session = event.keepMillis() > 0 ? event.session() : "";
        keepNanos = TimeUnit.MILLISECONDS.toNanos(event.keepMillis());
    }

    void onConnectionLost(long nowNanos) {
        lostNanos = nowNanos;
    }

    /** Returns what to request of the server on a new connection; null if the program does not want a kept session. */
    @Nullable
    KeptSession request(long nowNanos) {
        if (!wanted) {
            return null;
        }
        String lost = session;
        session = "";
        return lost.isEmpty() || nowNanos - lostNanos > keepNanos ? KeptSession.NEW : subscriptions.toContinue(lost);
    }
}
