package io.belfry.server.catchup;

import io.belfry.server.session.Session;
import java.util.HashMap;
import java.util.Map;

/**
 * Records which sessions lose messages because of the bounds of the history. With the policy {@code disconnect} a session that loses
 * messages for longer than the grace time is closed. A session is recorded from its first loss until it has had none for the grace time.
 * Owner: the lane's loop.
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

    /** Records that the session lost messages. Returns whether it has lost some repeatedly for the grace time. */
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

    /** Forgets sessions that have lost nothing for the grace time. */
    void forgetOlder(long graceNanos, long nowNanos) {
        if (!sessions.isEmpty()) {
            sessions.values().removeIf(losing -> nowNanos - losing.lastNanos > graceNanos);
        }
    }
}
