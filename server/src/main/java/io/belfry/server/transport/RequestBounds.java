package io.belfry.server.transport;

import io.belfry.server.codec.HttpRequest;
import io.belfry.server.codec.WebSocketHandshake;
import io.belfry.server.session.RateBucket;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * What the requests of one connection may take: how many a second, how long each, and of a body that nobody wants how
 * much. Owner: the loop.
 */
final class RequestBounds {
    private final Connection connection;
    private final LoopContext context;
    private @Nullable RateBucket rate;

    /** By when the request that has begun must be whole. */
    private LoopContext.@Nullable Deadline wholeBy;

    /** Bytes of a body that nobody wants, still to come. */
    private int unwantedBytes;

    RequestBounds(Connection connection) {
        this.connection = connection;
        this.context = connection.context();
    }

    /** Takes one request of Limit.RequestRate, if there is one. */
    boolean isWithinRate() {
        int perSecond = context.limits().load().requestRate();
        if (perSecond == 0) {
            return true;
        }
        long now = context.nowNanos();
        if (rate == null || rate.perSecond() != perSecond) {
            rate = new RateBucket(perSecond, now);
        }
        return rate.take(now);
    }

    /**
     * The request without its body: a short one is passed over when it comes, with another the connection ends. It ends
     * too behind a wish to upgrade: a proxy that believes it granted would take what follows for frames.
     */
    HttpRequest withoutBody(HttpRequest next) {
        if (next.framing() == HttpRequest.Framing.NONE) {
            return next;
        }
        boolean isShort = next.framing() == HttpRequest.Framing.LENGTH
                && next.contentLength() <= context.limits().handshakeBytes()
                && !WebSocketHandshake.isWanted(next);
        if (!isShort || next.expectContinue()) {
            return next.last();
        }
        unwantedBytes = (int) next.contentLength();
        return next;
    }

    /** Passes over what has come of such a body; answers whether there was any to come. */
    boolean passOver(ByteBuf in) {
        int bytes = Math.min(unwantedBytes, in.readableBytes());
        in.skipBytes(bytes);
        unwantedBytes -= bytes;
        return bytes > 0;
    }

    /** A request has its time from its first byte on; bytes that dribble in do not lengthen it. */
    void onRead(boolean answering, boolean begun) {
        if (answering || !(begun || unwantedBytes > 0)) {
            settle();
        } else if (wholeBy == null) {
            wholeBy = context.expectHandshake(connection);
        }
    }

    void settle() {
        if (wholeBy != null) {
            wholeBy.settle();
            wholeBy = null;
        }
    }

    /** Whether the rest of a request is to come in time. */
    boolean isAwaited() {
        return wholeBy != null;
    }
}
