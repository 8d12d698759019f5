package io.belfry.protocol;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The message that stands for the removal of its subject's earlier messages. It has a place in the order like any message, so each
 * follower and each history applies it at the same point, and clients receive a gap in its place. It has one header, with a name
 * that clients must not use, and no data. Pure.
 */
public final class HistoryRemoval {
    /** The name of the header. */
    public static final String HEADER = "$removed";

    private static final byte[] NAME = HEADER.getBytes(StandardCharsets.US_ASCII);

    /** The length of the block of headers. */
    public static final int HEADERS_LENGTH = MessageHeaders.LENGTH_BYTES + MessageHeaders.PAIR_BYTES + NAME.length;

    private HistoryRemoval() {}

    /** Appends the block of headers. */
    public static void writeHeaders(ByteBuf out) {
        int start = MessageHeaders.begin(out);
        MessageHeaders.pair(out, NAME, new byte[0]);
        MessageHeaders.end(out, start);
    }

    /** Returns whether the message stands for a removal. */
    public static boolean is(MessageView message) {
        return is(message.headers(), message.headersOffset(), message.headersLength());
    }

    /** Returns whether a message with this block of headers stands for a removal. */
    public static boolean is(ByteBuf headers, int offset, int length) {
        if (length != HEADERS_LENGTH || headers.getByte(offset + MessageHeaders.LENGTH_BYTES) != NAME.length) {
            return false;
        }
        for (int i = 0; i < NAME.length; i++) {
            if (headers.getByte(offset + MessageHeaders.LENGTH_BYTES + 1 + i) != NAME[i]) {
                return false;
            }
        }
        return true;
    }

    /** Returns the position before the removal, if the receiver of a live message has it; otherwise null. */
    public static @Nullable Position from(MessageView message) {
        long before = message.prev() == MessageView.NO_PREV ? message.seq() - 1 : message.prev();
        return message.type() == MessageType.LIVE ? new Position(message.epoch(), before) : null;
    }

    /** Returns the position of the removal, at which the gap ends. */
    public static Position to(MessageView message) {
        return new Position(message.epoch(), message.seq());
    }

    /** Returns the subject of the message. */
    public static byte[] subject(MessageView message) {
        byte[] subject = new byte[message.subjectLength()];
        message.subject().getBytes(message.subjectOffset(), subject);
        return subject;
    }
}
