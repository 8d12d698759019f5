package io.belfry.client;

import io.belfry.client.connection.Ending;
import io.belfry.protocol.Code;
import io.belfry.protocol.ConnectedEvent;
import io.belfry.protocol.KeptSession;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The session that the server keeps for a client after a lost connection. The next connection continues it with one command if
 * client and server agree on the subjects; otherwise the client subscribes again. The server keeps no patterns, so they are
 * requested again from their positions. Owner: the client's loop.
 */
final class Continuation {
    private static final String TAKEN = Code.SESSION_TAKEN.text();

    /** Maximum bytes of a position in a command, with what separates it from the next one. */
    private static final int POSITION_BYTES = 40;

    private final boolean wanted;
    private final ClientSubscriptions subscriptions;
    private final SubscriptionRequests requests;
    private String session = "";
    private long keepNanos;
    private long lostNanos;
    private long positionBytesMax;
    private boolean connected;

    Continuation(boolean wanted, ClientSubscriptions subscriptions, SubscriptionRequests requests) {
        this.wanted = wanted;
        this.subscriptions = subscriptions;
        this.requests = requests;
    }

    void onConnected(ConnectedEvent event, @Nullable Link link) {
        session = event.keepMillis() > 0 ? event.session() : "";
        keepNanos = TimeUnit.MILLISECONDS.toNanos(event.keepMillis());
        // The server closes a connection whose command is larger than six of its largest messages.
        positionBytesMax = 4L * event.maxMessage();
        connected = true;
        if (link != null) {
            link.onSession(event.resumed());
        }
        if (event.resumed()) {
            requests.catchUp();
        }
    }

    /** Whether the server keeps the session of this connection. */
    boolean isKept() {
        return connected && !session.isEmpty();
    }

    /** Called at the end of a connection, or of an attempt to connect. */
    void onEnd(Ending ending, long nowNanos) {
        if (connected) {
            connected = false;
            lostNanos = nowNanos;
        }
        if (Refusals.code(ending).equals(TAKEN)) {
            session = "";
        }
    }

    /** Returns what to request of the server on a new connection; null if the program does not want a kept session. */
    @Nullable
    KeptSession request(long nowNanos) {
        if (!wanted) {
            return null;
        }
        boolean kept = !session.isEmpty() && nowNanos - lostNanos <= keepNanos;
        KeptSession request = kept ? subscriptions.toContinue(session) : KeptSession.NEW;
        return bytes(request) <= positionBytesMax ? request : KeptSession.NEW;
    }

    private static long bytes(KeptSession request) {
        return request.received().stream()
                .mapToLong(each -> each.subject().length + POSITION_BYTES)
                .sum();
    }
}
