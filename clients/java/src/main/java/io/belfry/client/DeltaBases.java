package io.belfry.client;

import io.belfry.protocol.FossilDelta;
import io.belfry.protocol.MessageView;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.HashMap;
import java.util.Map;

/**
 * The latest message of each subject that a subscription with deltas follows on the present connection, from which the next delta
 * is made. Owner: the client's loop.
 */
final class DeltaBases {
    /** The longest result that a delta may announce; see docs/protocol.md. */
    private static final int RESULT_MAX = 1 << 20;

    /** The data of a message and its position. */
    private static final class Base {
        private final long epoch;
        private final long seq;
        private final byte[] data;

        Base(MessageView message, byte[] data) {
            this.epoch = message.epoch();
            this.seq = message.seq();
            this.data = data;
        }

        boolean precedes(MessageView message) {
            return message.epoch() == epoch && message.baseSeq() == seq;
        }
    }

    private final Map<String, Base> bases = new HashMap<>();

    /**
     * Replaces a delta by the whole data; returns false if that is impossible, because the delta is malformed or its base is not the
     * message before. {@code wanted} is whether a subscription to the subject has deltas.
     */
    boolean resolve(String subject, boolean wanted, MessageView message) {
        if (!wanted && bases.isEmpty()) {
            return !message.isDelta();
        }
        // A subscription that has ended may still be sent deltas, which belong to a pattern too.
        Base base = bases.get(subject);
        if (!wanted && base == null) {
            return !message.isDelta();
        }
        byte[] data = new byte[message.dataLength()];
        message.data().getBytes(message.dataOffset(), data);
        if (message.isDelta()) {
            byte[] whole =
                    base != null && base.precedes(message) ? FossilDelta.apply(base.data, data, RESULT_MAX) : null;
            if (whole == null) {
                return false;
            }
            replace(message, whole);
            data = whole;
        }
        bases.put(subject, new Base(message, data));
        return true;
    }

    private static void replace(MessageView message, byte[] whole) {
        ByteBuf headers = message.headers();
        int offset = message.headersOffset();
        int length = message.headersLength();
        message.data(Unpooled.wrappedBuffer(whole), 0, whole.length)
                .headers(headers, offset, length)
                .delta(false);
    }

    /** The server has ended the subscription to this subject. */
    void ended(String subject) {
        bases.remove(subject);
    }

    /** A new connection begins. */
    void clear() {
        bases.clear();
    }
}
