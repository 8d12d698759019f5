package io.belfry.server.transport;

import io.belfry.server.turn.Clock;
import io.belfry.server.workgroup.Lane;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * The deadlines of all connections of one loop, in one queue for each kind. All deadlines of a queue have the same
 * duration, so the oldest expires first, and a connection needs no timer. Owner: the loop.
 */
final class Deadlines {
    /** Time a client has to read the close message; input is discarded meanwhile, up to LINGER_KILOBYTES_MAX. */
    static final int LINGER_MILLIS = 2000;

    static final int LINGER_KILOBYTES_MAX = 16 << 10;

    /** Time to wait for a reset; longer than the round trip to most clients. */
    private static final int RESET_MILLIS = 500;

    private static final int LOOKS_PER_PING = 4;

    /** The methods of a connection that its deadlines call. */
    interface TimedConnection {
        void onHandshakeDeadline();

        /** Checks for silence. */
        void onLook();

        void onResetDeadline();

        /** Closes at once. */
        void cut();
    }

    /** A deadline of a connection. It drops its reference when the connection meets it or closes. */
    static final class Deadline {
        private final long atNanos;
        private @Nullable TimedConnection connection;

        private Deadline(TimedConnection connection, long atNanos) {
            this.connection = connection;
            this.atNanos = atNanos;
        }

        void settle() {
            connection = null;
        }
    }

    private final Lane lane;
    private final Clock clock;
    private final Deque<Deadline> handshaking = new ArrayDeque<>();
    private final Deque<Deadline> lingering = new ArrayDeque<>();
    private final Deque<Deadline> watched = new ArrayDeque<>();
    private final Deque<Deadline> halfClosed = new ArrayDeque<>();

    Deadlines(Lane lane, Clock clock) {
        this.lane = lane;
        this.clock = clock;
    }

    /** Sets the deadline for a complete request. */
    Deadline expectHandshake(TimedConnection connection) {
        return expect(
                handshaking, connection, lane.config().limits().ofConnections().handshakeMillis());
    }

    /** Sets the deadline after which a closing connection is cut if its client has not closed. */
    Deadline expectEnd(TimedConnection connection) {
        return expect(lingering, connection, LINGER_MILLIS);
    }

    /**
     * Sets the next silence check, a few per ping interval, of a connection without a session that its lane would
     * check.
     */
    Deadline expectLook(TimedConnection connection) {
        return expect(watched, connection, lane.config().limits().pingMillis() / LOOKS_PER_PING);
    }

    /**
     * Sets the time of the second keep-alive; a client that closed both halves has answered the first with a reset by
     * then.
     */
    Deadline expectReset(TimedConnection connection) {
        return expect(halfClosed, connection, RESET_MILLIS);
    }

    /** Returns whether this number of silent checks in a row is more than two ping intervals. */
    static boolean isTooSilent(int looks) {
        return looks > 2 * LOOKS_PER_PING;
    }

    private Deadline expect(Deque<Deadline> kind, TimedConnection connection, long millis) {
        Deadline deadline = new Deadline(connection, clock.nanos() + millis * 1_000_000);
        kind.add(deadline);
        return deadline;
    }

    /** Handles expired deadlines. */
    void check() {
        long now = clock.nanos();
        for (TimedConnection late = late(handshaking, now); late != null; late = late(handshaking, now)) {
            late.onHandshakeDeadline();
        }
        for (TimedConnection late = late(lingering, now); late != null; late = late(lingering, now)) {
            late.cut();
        }
        for (TimedConnection late = late(watched, now); late != null; late = late(watched, now)) {
            late.onLook();
        }
        for (TimedConnection late = late(halfClosed, now); late != null; late = late(halfClosed, now)) {
            late.onResetDeadline();
        }
    }

    private static @Nullable TimedConnection late(Deque<Deadline> kind, long now) {
        for (Deadline next = kind.peek(); next != null && next.atNanos - now < 0; next = kind.peek()) {
            kind.remove();
            if (next.connection != null) {
                return next.connection;
            }
        }
        return null;
    }
}
