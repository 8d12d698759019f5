package io.belfry.server.catchup;

import io.belfry.server.session.Session;
import java.util.HashMap;
import java.util.Map;

/**
 * Remembers which sessions lost messages to the bounds of the history, because one that goes on losing them is closed where
 * its policy is to disconnect. It knows a session from its first loss until it has had none for the grace. Owner: the lane's
 * loop.
 */
final class Losses {
    /** When a session began to lose messages, and when it lost some last. */
    private static final class Losing {
        final long sinceNanos;
        long lastNanos;

        Losing(long nowNanos) {
            sinceNanos = nowNanos;
            lastNanos = nowNanos;
        }
    }

    private final Map<Session, Losing> sessions = new HashMap<>();

    /** The session lost messages. Returns whether it has done so again and again for the grace. */
    boolean onLoss(Session session, long graceNanos, long nowNanos) {
        Losing losing = sessions.get(session);
        if (losing == null || nowNanos - losing.lastNanos > graceNanos) {
            losing = new Losing(nowNanos);
            sessions.put(session, losing);
        }
        losing.lastNanos = nowNanos;
        return nowNanos - losing.sinceNanos >= graceNanos;
    }

    void forget(Session session) {
        sessions.remove(session);
    }

    /** Forgets those that have lost nothing for the grace. */
    void forgetOlder(long graceNanos, long nowNanos) {
        if (!sessions.isEmpty()) {
            sessions.values().removeIf(losing -> nowNanos - losing.lastNanos > graceNanos);
        }
    }
}
