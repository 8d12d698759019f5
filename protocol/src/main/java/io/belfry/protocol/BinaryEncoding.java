package io.belfry.protocol;

import static io.belfry.protocol.BinaryLayout.*;
import static io.belfry.protocol.CommandHandler.NO_ID;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Writes events in {@code belfry.binary.v1}, on the server's side; the layout is drawn in {@link BinaryLayout} and
 * docs/protocol.md. Immutable.
 */
public final class BinaryEncoding implements ServerEncoding {
    @Override
    public void message(ByteBuf out, MessageView m) {
        out.ensureWritable(messageLength(m));
        // Writes the 16 bytes before the subject as two longs, because every write to a buffer checks its bounds.
        out.writeLong((long) head(m) << 56 | (m.epochIndex() & 0xffL) << 48 | m.seq() >>> 8);
        out.writeLong(m.seq() << 56 | m.timeMillis() << 16 >>> 8 | m.subjectLength());
        out.writeBytes(m.subject(), m.subjectOffset(), m.subjectLength());
        if (m.prev() != MessageView.NO_PREV) {
            back(out, m.seq() - m.prev());
        }
        out.writeBytes(m.data(), m.dataOffset(), m.dataLength());
    }

    private static int head(MessageView m) {
        int head = MESSAGE | m.type().ordinal();
        if (m.retained()) {
            head |= MESSAGE_RETAINED;
        }
        if (m.headersLength() > 0) {
            head |= MESSAGE_HEADERS;
        }
        if (m.isDelta()) {
            head |= MESSAGE_DELTA;
        }
        if (m.prev() != MessageView.NO_PREV) {
            head |= isFar(m) ? MESSAGE_PREV | MESSAGE_FAR_PREV : MESSAGE_PREV;
        }
        return head;
    }

    private static boolean isFar(MessageView m) {
        return m.seq() - m.prev() > U32_MAX;
    }

    private static void back(ByteBuf out, long distance) {
        if (distance > U32_MAX) {
            u56(out, distance);
        } else {
            out.writeInt((int) distance);
        }
    }

    /** Appends the event with the headers of the message, which the next event must be. */
    static void headers(ByteBuf out, MessageView m) {
        out.writeByte(HEADERS).writeByte(0).writeBytes(m.headers(), m.headersOffset(), m.headersLength());
    }

    /** Returns the exact number of bytes that {@link #headers} appends. */
    static int headersLength(MessageView m) {
        return 2 + m.headersLength();
    }

    /** Returns the exact number of bytes that {@link #message} appends. */
    static int messageLength(MessageView m) {
        int back = m.prev() == MessageView.NO_PREV ? 0 : isFar(m) ? U56_BYTES : Integer.BYTES;
        return MESSAGE_FIXED_BYTES + m.subjectLength() + back + m.dataLength();
    }

    @Override
    public void connected(ByteBuf out, long id, ConnectedEvent event) {
        int flags = event.keepMillis() > 0 ? CONNECTED_KEPT : 0;
        start(out, CONNECT, event.resumed() ? flags | CONNECTED_RESUMED : flags, id);
        out.writeInt((int) Math.min(event.pingMillis(), U32_MAX));
        out.writeInt(event.maxMessage());
        text(out, event.session());
        text(out, event.node());
        if (event.keepMillis() > 0) {
            out.writeInt((int) Math.min(event.keepMillis(), U32_MAX));
        }
    }

    @Override
    public void subscribed(
            ByteBuf out,
            long id,
            byte[] subject,
            @Nullable Position at,
            int epochIndex,
            Recovery recovery,
            int conflateMillis) {
        int flags = recovery.ordinal() << SUBSCRIBED_RECOVERY_SHIFT
                | (at == null ? 0 : SUBSCRIBED_POSITION)
                | (conflateMillis == 0 ? 0 : SUBSCRIBED_CONFLATE);
        start(out, SUBSCRIBE, flags, id);
        bytes(out, subject);
        if (at != null) {
            position(out, at.epoch(), at.seq());
        }
        if (conflateMillis != 0) {
            out.writeInt(conflateMillis);
        }
    }

    @Override
    public void deltaSubscribed(
            ByteBuf out, long id, byte[] subject, Position at, int epochIndex, Recovery recovery, String delta) {
        int flags = recovery.ordinal() << SUBSCRIBED_RECOVERY_SHIFT | SUBSCRIBED_POSITION | SUBSCRIBED_DELTA;
        start(out, SUBSCRIBE, flags, id);
        bytes(out, subject);
        position(out, at.epoch(), at.seq());
        text(out, delta);
    }

    @Override
    public void patternSubscribed(
            ByteBuf out, long id, byte[] pattern, PatternPosition at, Recovery recovery, int conflateMillis) {
        int flags = recovery.ordinal() << SUBSCRIBED_RECOVERY_SHIFT
                | SUBSCRIBED_AT
                | (conflateMillis == 0 ? 0 : SUBSCRIBED_CONFLATE);
        start(out, SUBSCRIBE, flags, id);
        bytes(out, pattern);
        if (conflateMillis != 0) {
            out.writeInt(conflateMillis);
        }
        patternPosition(out, at);
    }

    @Override
    public void position(ByteBuf out, PatternPosition at) {
        start(out, POSITION, 0, NO_ID);
        patternPosition(out, at);
    }

    @Override
    public void progress(ByteBuf out, byte[] pattern, PatternPosition at) {
        start(out, POSITION, POSITION_SUBJECT, NO_ID);
        bytes(out, pattern);
        patternPosition(out, at);
    }

    @Override
    public void unsubscribed(ByteBuf out, long id, byte[] subject, @Nullable Code reason) {
        ended(out, UNSUBSCRIBE, id, subject, reason);
    }

    private static void ended(ByteBuf out, int op, long id, byte[] subject, @Nullable Code reason) {
        start(out, op, reason == null ? 0 : ENDED_REASON, id);
        bytes(out, subject);
        if (reason != null) {
            text(out, reason.text());
        }
    }

    @Override
    public void published(ByteBuf out, long id, long epoch, long seq) {
        start(out, PUBLISH, 0, id);
        position(out, epoch, seq);
    }

    @Override
    public void gap(ByteBuf out, byte[] subject, @Nullable Position from, Position to, Code reason) {
        start(out, GAP, from == null ? 0 : GAP_FROM, NO_ID);
        bytes(out, subject);
        if (from != null) {
            position(out, from.epoch(), from.seq());
        }
        position(out, to.epoch(), to.seq());
        text(out, reason.text());
    }

    @Override
    public void pong(ByteBuf out, long id, long clockMicros) {
        boolean tellsTime = clockMicros != NO_CLOCK;
        start(out, PING, tellsTime ? PONG_CLOCK : 0, id);
        if (tellsTime) {
            out.writeLong(clockMicros);
        }
    }

    @Override
    public void error(ByteBuf out, long id, Code code, String reason, byte @Nullable [] subject, long afterMillis) {
        start(out, ERROR, (subject == null ? 0 : ERROR_SUBJECT) | (afterMillis > 0 ? ERROR_AFTER : 0), id);
        text(out, code.text());
        if (subject != null) {
            bytes(out, subject);
        }
        text(out, reason);
        if (afterMillis > 0) {
            out.writeInt((int) Math.min(afterMillis, U32_MAX));
        }
    }

    @Override
    public void reconnect(ByteBuf out, long afterMillis, Code reason) {
        start(out, RECONNECT, 0, NO_ID);
        out.writeInt((int) Math.min(afterMillis, U32_MAX));
        text(out, reason.text());
    }

    @Override
    public void tokenToExpire(ByteBuf out, long afterMillis) {
        start(out, TOKEN_TO_EXPIRE, 0, NO_ID);
        out.writeInt((int) Math.min(afterMillis, U32_MAX));
    }

    @Override
    public void stale(ByteBuf out, boolean stale) {
        start(out, STALE, stale ? STALE_NOW : 0, NO_ID);
    }

    @Override
    public void watched(ByteBuf out, long id, byte[] subject, boolean subscribers) {
        start(out, WATCH, subscribers ? SUBSCRIBERS : 0, id);
        bytes(out, subject);
    }

    @Override
    public void unwatched(ByteBuf out, long id, byte[] subject, @Nullable Code reason) {
        ended(out, UNWATCH, id, subject, reason);
    }

    @Override
    public void interest(ByteBuf out, byte[] subject, boolean subscribers) {
        start(out, INTEREST, subscribers ? SUBSCRIBERS : 0, NO_ID);
        bytes(out, subject);
    }

    @Override
    public void epoch(ByteBuf out, int index, long epoch) {
        start(out, EPOCH, 0, NO_ID);
        out.writeByte(index).writeLong(epoch);
    }

    @Override
    public boolean binary() {
        return true;
    }

    static void start(ByteBuf out, int op, int flags, long id) {
        out.writeByte(op);
        if (id == NO_ID) {
            out.writeByte(flags);
        } else {
            out.writeByte(flags | HAS_ID).writeLong(id);
        }
    }

    static void position(ByteBuf out, long epoch, long seq) {
        out.writeLong(epoch).writeLong(seq);
    }

    static void patternPosition(ByteBuf out, PatternPosition at) {
        out.writeShort(at.bytes().length).writeBytes(at.bytes());
    }

    static void bytes(ByteBuf out, byte[] bytes) {
        out.writeByte(bytes.length).writeBytes(bytes);
    }

    /** Writes a text of the server, truncated at 255 bytes, the most that one byte of length can describe. */
    private static void text(ByteBuf out, String text) {
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        int length = Math.min(utf8.length, 0xff);
        while (length < utf8.length && (utf8[length] & 0xc0) == 0x80) {
            length--;
        }
        out.writeByte(length).writeBytes(utf8, 0, length);
    }

    private static void u56(ByteBuf out, long value) {
        out.writeMedium((int) (value >>> 32)).writeInt((int) value);
    }
}
