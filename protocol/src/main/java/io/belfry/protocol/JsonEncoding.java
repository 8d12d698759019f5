package io.belfry.protocol;

import static io.belfry.protocol.CommandHandler.NO_ID;
import static io.belfry.protocol.JsonText.ascii;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * Writes events in {@code belfry.json.v1}, on the server's side: each event is a JSON object on one line. Immutable.
 */
public final class JsonEncoding implements ServerEncoding {
    private static final byte[] MESSAGE = ascii("{\"op\":\"message\",\"subject\":\"");
    private static final byte[] CONNECTED = ascii("{\"op\":\"connected\"");
    private static final byte[] SUBSCRIBED = ascii("{\"op\":\"subscribed\"");
    private static final byte[] UNSUBSCRIBED = ascii("{\"op\":\"unsubscribed\"");
    private static final byte[] PUBLISHED = ascii("{\"op\":\"published\"");
    private static final byte[] GAP = ascii("{\"op\":\"gap\"");
    private static final byte[] PONG = ascii("{\"op\":\"pong\"");
    private static final byte[] ERROR = ascii("{\"op\":\"error\"");
    private static final byte[] RECONNECT = ascii("{\"op\":\"reconnect\"");
    private static final byte[] TOKEN_TO_EXPIRE = ascii("{\"op\":\"token-to-expire\"");
    private static final byte[] STALE = ascii("{\"op\":\"stale\",\"stale\":");
    private static final byte[] POSITION = ascii("{\"op\":\"position\"");
    private static final byte[] WATCHED = ascii("{\"op\":\"watched\"");
    private static final byte[] UNWATCHED = ascii("{\"op\":\"unwatched\"");
    private static final byte[] INTEREST = ascii("{\"op\":\"interest\"");

    private static final byte[] DATA = ascii("\",\"data\":\"");
    private static final byte[] DELTA = ascii("\",\"delta\":\"");
    private static final byte[] BASE64 = ascii("\",\"base64\":\"");
    private static final byte[] AFTER_DATA_EPOCH = ascii("\",\"epoch\":");
    private static final byte[] ID = ascii(",\"id\":");
    private static final byte[] SESSION = ascii(",\"session\":");
    private static final byte[] NODE = ascii(",\"node\":");
    private static final byte[] PING = ascii(",\"ping\":");
    private static final byte[] MAX_MESSAGE = ascii(",\"maxMessage\":");
    private static final byte[] KEEP = ascii(",\"keep\":");
    private static final byte[] RESUMED = ascii(",\"resumed\":true");
    private static final byte[] SUBJECT = ascii(",\"subject\":");
    private static final byte[] EPOCH = ascii(",\"epoch\":");
    private static final byte[] SEQ = ascii(",\"seq\":");
    private static final byte[] PREV = ascii(",\"prev\":");
    private static final byte[] TIME = ascii(",\"time\":");
    private static final byte[] TYPE = ascii(",\"type\":");
    private static final byte[] RETAINED = ascii(",\"retained\":true");
    private static final byte[] HEADERS = ascii(",\"headers\":");
    private static final byte[] DELTA_NAME = ascii(",\"delta\":");
    private static final byte[] CONFLATE = ascii(",\"conflate\":");
    private static final byte[] RECOVERY = ascii(",\"recovery\":");
    private static final byte[] FROM = ascii(",\"from\":\"");
    private static final byte[] TO = ascii(",\"to\":\"");
    private static final byte[] AT = ascii(",\"at\":");
    private static final byte[] REASON = ascii(",\"reason\":");
    private static final byte[] CODE = ascii(",\"code\":");
    private static final byte[] CLOCK = ascii(",\"clock\":");
    private static final byte[] AFTER = ascii(",\"after\":");
    private static final byte[] SUBSCRIBERS = ascii(",\"subscribers\":");
    private static final byte[] TRUE = ascii("true");
    private static final byte[] FALSE = ascii("false");

    /** The length of a message without its subject, its data and the digits of its three numbers. */
    private static final int MESSAGE_FRAME =
            MESSAGE.length + DATA.length + AFTER_DATA_EPOCH.length + SEQ.length + TIME.length + 1;

    private static final int MESSAGE_ROOM = 192;

    @Override
    public void message(ByteBuf out, MessageView m) {
        out.ensureWritable(MESSAGE_ROOM + m.subjectLength() + m.dataLength());
        out.writeBytes(MESSAGE);
        JsonText.escaped(out, m.subject(), m.subjectOffset(), m.subjectLength());
        data(out, m.isDelta() ? DELTA : DATA, m.data(), m.dataOffset(), m.dataLength());
        out.writeBytes(AFTER_DATA_EPOCH);
        JsonText.number(out, m.epoch());
        number(out, SEQ, m.seq());
        if (m.prev() != MessageView.NO_PREV) {
            number(out, PREV, m.prev());
        }
        number(out, TIME, m.timeMillis());
        if (m.type() != MessageType.LIVE) {
            string(out, TYPE, m.type().text());
        }
        if (m.retained()) {
            out.writeBytes(RETAINED);
        }
        if (m.headersLength() > 0) {
            headers(out, m);
        }
        out.writeByte('}');
    }

    private static void headers(ByteBuf out, MessageView m) {
        ByteBuf block = m.headers();
        int end = m.headersOffset() + m.headersLength();
        out.writeBytes(HEADERS);
        byte before = '{';
        for (int at = m.headersOffset() + MessageHeaders.LENGTH_BYTES; at < end; ) {
            int nameLength = block.getUnsignedByte(at);
            int value = MessageHeaders.valueOffset(at, nameLength);
            int next = MessageHeaders.after(block, at, end);
            out.writeByte(before);
            JsonText.string(out, block, at + 1, nameLength);
            out.writeByte(':');
            JsonText.string(out, block, value, next - value);
            before = ',';
            at = next;
        }
        out.writeByte('}');
    }

    /**
     * Writes the data as text or base64. Most data is ASCII without characters to escape, which needs one scan and one
     * copy. A delta is always text.
     */
    private static void data(ByteBuf out, byte[] name, ByteBuf data, int offset, int length) {
        int plain = JsonText.plainLength(data, offset, length);
        if (plain == length) {
            out.writeBytes(name).writeBytes(data, offset, length);
        } else if (Utf8.valid(data, offset + plain, length - plain)) {
            out.writeBytes(name);
            JsonText.escaped(out, data, offset, length);
        } else {
            out.writeBytes(BASE64);
            JsonText.base64(out, data, offset, length);
        }
    }

    /**
     * Returns the exact length of a message without escapes, base64 and optional members; for other messages a lower
     * bound.
     */
    static int messageLengthMin(MessageView m) {
        int digits = JsonText.digits(m.epoch()) + JsonText.digits(m.seq()) + JsonText.digits(m.timeMillis());
        return MESSAGE_FRAME + m.subjectLength() + m.dataLength() + digits;
    }

    @Override
    public void connected(ByteBuf out, long id, ConnectedEvent event) {
        head(out, CONNECTED, id);
        string(out, SESSION, event.session());
        string(out, NODE, event.node());
        number(out, PING, event.pingMillis());
        number(out, MAX_MESSAGE, event.maxMessage());
        if (event.keepMillis() > 0) {
            number(out, KEEP, event.keepMillis());
        }
        if (event.resumed()) {
            out.writeBytes(RESUMED);
        }
        out.writeByte('}');
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
        head(out, SUBSCRIBED, id);
        subject(out, subject);
        if (at != null) {
            number(out, EPOCH, at.epoch());
            number(out, SEQ, at.seq());
        }
        string(out, RECOVERY, recovery.text());
        if (conflateMillis > 0) {
            number(out, CONFLATE, conflateMillis);
        }
        out.writeByte('}');
    }

    @Override
    public void deltaSubscribed(
            ByteBuf out, long id, byte[] subject, Position at, int epochIndex, Recovery recovery, String delta) {
        head(out, SUBSCRIBED, id);
        subject(out, subject);
        number(out, EPOCH, at.epoch());
        number(out, SEQ, at.seq());
        string(out, RECOVERY, recovery.text());
        string(out, DELTA_NAME, delta);
        out.writeByte('}');
    }

    @Override
    public void patternSubscribed(
            ByteBuf out, long id, byte[] pattern, PatternPosition at, Recovery recovery, int conflateMillis) {
        head(out, SUBSCRIBED, id);
        subject(out, pattern);
        string(out, RECOVERY, recovery.text());
        if (conflateMillis > 0) {
            number(out, CONFLATE, conflateMillis);
        }
        string(out, AT, at.toString());
        out.writeByte('}');
    }

    @Override
    public void position(ByteBuf out, PatternPosition at) {
        out.writeBytes(POSITION);
        string(out, AT, at.toString());
        out.writeByte('}');
    }

    @Override
    public void progress(ByteBuf out, byte[] pattern, PatternPosition at) {
        out.writeBytes(POSITION);
        subject(out, pattern);
        string(out, AT, at.toString());
        out.writeByte('}');
    }

    @Override
    public void unsubscribed(ByteBuf out, long id, byte[] subject, @Nullable Code reason) {
        ended(out, UNSUBSCRIBED, id, subject, reason);
    }

    private static void ended(ByteBuf out, byte[] op, long id, byte[] subject, @Nullable Code reason) {
        head(out, op, id);
        subject(out, subject);
        if (reason != null) {
            string(out, REASON, reason.text());
        }
        out.writeByte('}');
    }

    @Override
    public void published(ByteBuf out, long id, long epoch, long seq) {
        head(out, PUBLISHED, id);
        number(out, EPOCH, epoch);
        number(out, SEQ, seq);
        out.writeByte('}');
    }

    @Override
    public void gap(ByteBuf out, byte[] subject, @Nullable Position from, Position to, Code reason) {
        out.writeBytes(GAP);
        subject(out, subject);
        if (from != null) {
            position(out, FROM, from);
        }
        position(out, TO, to);
        string(out, REASON, reason.text());
        out.writeByte('}');
    }

    @Override
    public void pong(ByteBuf out, long id, long clockMicros) {
        head(out, PONG, id);
        if (clockMicros != NO_CLOCK) {
            number(out, CLOCK, clockMicros);
        }
        out.writeByte('}');
    }

    @Override
    public void error(ByteBuf out, long id, Code code, String reason, byte @Nullable [] subject, long afterMillis) {
        head(out, ERROR, id);
        string(out, CODE, code.text());
        string(out, REASON, reason);
        if (subject != null) {
            subject(out, subject);
        }
        if (afterMillis > 0) {
            number(out, AFTER, afterMillis);
        }
        out.writeByte('}');
    }

    @Override
    public void reconnect(ByteBuf out, long afterMillis, Code reason) {
        out.writeBytes(RECONNECT);
        number(out, AFTER, afterMillis);
        string(out, REASON, reason.text());
        out.writeByte('}');
    }

    @Override
    public void tokenToExpire(ByteBuf out, long afterMillis) {
        out.writeBytes(TOKEN_TO_EXPIRE);
        number(out, AFTER, afterMillis);
        out.writeByte('}');
    }

    @Override
    public void stale(ByteBuf out, boolean stale) {
        out.writeBytes(STALE).writeBytes(stale ? TRUE : FALSE).writeByte('}');
    }

    @Override
    public void watched(ByteBuf out, long id, byte[] subject, boolean subscribers) {
        head(out, WATCHED, id);
        subject(out, subject);
        flag(out, SUBSCRIBERS, subscribers);
        out.writeByte('}');
    }

    @Override
    public void unwatched(ByteBuf out, long id, byte[] subject, @Nullable Code reason) {
        ended(out, UNWATCHED, id, subject, reason);
    }

    @Override
    public void interest(ByteBuf out, byte[] subject, boolean subscribers) {
        out.writeBytes(INTEREST);
        subject(out, subject);
        flag(out, SUBSCRIBERS, subscribers);
        out.writeByte('}');
    }

    @Override
    public void epoch(ByteBuf out, int index, long epoch) {
        // Nothing to declare: JSON messages contain their epoch.
    }

    @Override
    public boolean binary() {
        return false;
    }

    private static void head(ByteBuf out, byte[] op, long id) {
        out.writeBytes(op);
        if (id != NO_ID) {
            number(out, ID, id);
        }
    }

    private static void number(ByteBuf out, byte[] name, long value) {
        out.writeBytes(name);
        JsonText.number(out, value);
    }

    private static void string(ByteBuf out, byte[] name, String value) {
        out.writeBytes(name);
        JsonText.string(out, value);
    }

    private static void flag(ByteBuf out, byte[] name, boolean value) {
        out.writeBytes(name).writeBytes(value ? TRUE : FALSE);
    }

    private static void subject(ByteBuf out, byte[] subject) {
        out.writeBytes(SUBJECT);
        JsonText.string(out, subject);
    }

    private static void position(ByteBuf out, byte[] name, Position position) {
        out.writeBytes(name);
        JsonText.number(out, position.epoch());
        out.writeByte(':');
        JsonText.number(out, position.seq());
        out.writeByte('"');
    }
}
