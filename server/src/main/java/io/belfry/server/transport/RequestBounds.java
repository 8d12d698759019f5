package io.belfry.server.transport;

import io.belfry.server.codec.HttpRequest;
import io.belfry.server.codec.WebSocketHandshake;
import io.belfry.server.session.RateBucket;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * Bounds the requests of one connection: their rate, the time of each, and the size of a body to skip. Owner: the loop.
 */
final class RequestBounds {
    private final Connection connection;
    private @Nullable RateBucket rate;

    /** Deadline by which the current request must be complete. */
    private Deadlines.@Nullable Deadline wholeBy;

    /** Bytes of a body to skip that have not been received yet. */
    private int unwantedBytes;

    RequestBounds(Connection connection) {
        this.connection = connection;
    }

    private LoopContext context() {
        return connection.context();
    }

    /** Takes one request from Limit.RequestRate; returns false if none is left. */
    boolean isWithinRate() {
        int perSecond = context().limits().load().requestRate();
        if (perSecond == 0) {
            return true;
        }
        long now = context().nowNanos();
        if (rate == null || rate.perSecond() != perSecond) {
            rate = new RateBucket(perSecond, now);
        }
        return rate.take(now);
    }

    /**
     * Returns the request with keep-alive only if its body can be skipped: a short body is skipped, otherwise the
     * connection closes. It also closes after an upgrade request, because a proxy that assumes success would send
     * frames next.
     */
    HttpRequest withoutBody(HttpRequest next) {
        if (next.framing() == HttpRequest.Framing.NONE) {
            return next;
        }
        boolean isShort = next.framing() == HttpRequest.Framing.LENGTH
                && next.contentLength() <= context().limits().ofConnections().handshakeBytes()
                && !WebSocketHandshake.isWanted(next);
        if (!isShort || next.expectContinue()) {
            return next.last();
        }
        unwantedBytes = (int) next.contentLength();
        return next;
    }

    /** Skips the available bytes of such a body; returns whether there were any. */
    boolean passOver(ByteBuf in) {
        int bytes = Math.min(unwantedBytes, in.readableBytes());
        in.skipBytes(bytes);
        unwantedBytes -= bytes;
        return bytes > 0;
    }

    /** Sets the deadline at the first byte of a request; further bytes do not extend it. */
    void onRead(boolean answering, boolean begun) {
        if (answering || !(begun || unwantedBytes > 0)) {
            settle();
        } else if (wholeBy == null) {
            wholeBy = context().deadlines().expectHandshake(connection);
        }
    }

    void settle() {
        if (wholeBy != null) {
            wholeBy.settle();
            wholeBy = null;
        }
    }

    /** Returns whether the rest of a request is expected before a deadline. */
    boolean isAwaited() {
        return wholeBy != null;
    }
}
