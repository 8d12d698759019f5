package io.belfry.server.transport;

import io.belfry.protocol.Code;
import io.belfry.protocol.JsonEncoding;
import io.belfry.protocol.JsonText;
import io.belfry.protocol.MessageView;
import io.belfry.protocol.PatternPosition;
import io.belfry.protocol.Position;
import io.belfry.server.counter.Counter;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The messages and gaps of one answer to a poll or a history, in JSON and up to a number of bytes. Owner: the loop; the
 * call that created it releases it.
 */
final class CollectedMessages {
    private static final JsonEncoding JSON = new JsonEncoding();
    private static final byte[] MESSAGES = ascii("\"messages\":[");
    private static final byte[] TRUNCATED = ascii(",\"truncated\":true");
    private static final byte[] STALE = ascii(",\"stale\":true");
    private static final byte[] SUBJECT = ascii("\"subject\":");
    private static final byte[] EPOCH = ascii(",\"epoch\":");
    private static final byte[] AT = ascii(",\"at\":\"");
    private static final byte[] SEQ = ascii(",\"seq\":");

    private final ApiSession api;
    private final ByteBuf events;
    private final int bytesMax;
    private int count;

    /** The end of what the position of the answer includes, in bytes and in messages and gaps. */
    private int coveredBytes;

    private int coveredCount;

    /** Once true, it stays true: a message after an omitted one would hide the gap. */
    private boolean truncated;

    CollectedMessages(ApiSession api, int bytesMax) {
        this.api = api;
        this.bytesMax = bytesMax;
        events = api.connection().newBuffer();
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    int bytes() {
        return events.readableBytes();
    }

    boolean isEmpty() {
        return count == 0;
    }

    boolean isTruncated() {
        return truncated;
    }

    /** Adds a message; returns false if it is omitted, because the answer is full. */
    boolean add(MessageView message) {
        truncated |= isFull();
        if (truncated) {
            return false;
        }
        separate();
        JSON.message(events, message);
        api.holds(events.readableBytes());
        api.lane().counters().increment(Counter.MESSAGES_OUT);
        return true;
    }

    private boolean isFull() {
        return events.readableBytes() > bytesMax || (count > 0 && !api.hasRoom());
    }

    /** Adds a gap; returns false if it is omitted, because it follows an omitted message. */
    boolean addGap(byte[] subject, @Nullable Position from, Position at, Code reason) {
        if (!truncated) {
            separate();
            JSON.gap(events, subject, from, at, reason);
        }
        return !truncated;
    }

    /** Adds a gap in place of the omitted messages, which the client cannot request again. */
    void addGapForOmitted(byte[] subject, Position at, Code reason) {
        truncated = false;
        separate();
        JSON.gap(events, subject, null, at, reason);
    }

    /** Records that the position of the answer includes everything added so far. */
    void cover() {
        coveredBytes = events.writerIndex();
        coveredCount = count;
    }

    /** Removes what was added later: the client will request it again. */
    void removeUncovered() {
        events.writerIndex(coveredBytes);
        count = coveredCount;
        truncated = false;
    }

    private void separate() {
        if (count++ > 0) {
            events.writeByte(',');
        }
    }

    /** Completes {@code out}, which contains the first members of the answer, releases the messages, and answers. */
    void answer(ByteBuf out) {
        out.writeBytes(MESSAGES).writeBytes(events).writeByte(']');
        if (truncated) {
            out.writeBytes(TRUNCATED);
        }
        if (api.isStale()) {
            out.writeBytes(STALE);
        }
        out.writeByte('}');
        release();
        api.holds(out.readableBytes());
        api.answer().json(out);
        out.release();
    }

    void release() {
        events.release();
    }

    /** Writes the member subject. */
    static void writeSubject(ByteBuf out, byte[] subject) {
        out.writeBytes(SUBJECT);
        JsonText.string(out, subject);
    }

    /** Writes the members subject and, if there is a position, at: where the next poll of the pattern continues. */
    static void writePosition(ByteBuf out, byte[] pattern, @Nullable PatternPosition at) {
        writeSubject(out, pattern);
        if (at != null) {
            out.writeBytes(AT);
            ByteBufUtil.writeAscii(out, at.toString());
            out.writeByte('"');
        }
    }

    /** Writes the members subject, epoch and seq: the position of a publication, or where the next poll continues. */
    static void writePosition(ByteBuf out, byte[] subject, long epoch, long seq) {
        writeSubject(out, subject);
        out.writeBytes(EPOCH);
        JsonText.number(out, epoch);
        out.writeBytes(SEQ);
        JsonText.number(out, seq);
    }
}
