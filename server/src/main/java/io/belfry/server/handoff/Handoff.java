package io.belfry.server.handoff;

import io.belfry.protocol.Code;
import io.belfry.protocol.MessageType;
import io.belfry.protocol.MessageView;
import io.belfry.protocol.Position;
import io.belfry.protocol.Recovery;
import io.belfry.server.broker.Publication;
import io.belfry.server.config.SlowConsumerConfig;
import io.belfry.server.subject.SubjectKey;
import io.belfry.server.trace.TraceContext;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The calls of one lane to another, serialised into a batch that is passed on at the end of the turn: one
 * offer and one wake-up for all of them, and no object per call. {@link HandoffReader} is its mirror and reads the fields in
 * the same order. Owner: the sending lane's loop; the receiver releases the batch.
 */
final class Handoff implements ToHome, ToEdge {
    static final byte PUBLISH = 1;
    static final byte JOIN = 2;
    static final byte READ = 3;
    static final byte LEAVE = 4;
    static final byte JOIN_PATTERN = 5;
    static final byte LEAVE_PATTERN = 6;
    static final byte WATCH = 7;
    static final byte UNWATCH = 8;
    static final byte DELIVER = 9;
    static final byte PUBLISHED = 10;
    static final byte REFUSED = 11;
    static final byte JOINED = 12;
    static final byte GAP = 13;
    static final byte MESSAGE = 14;
    static final byte READ_DONE = 15;
    static final byte PATTERN_SNAPSHOT = 16;
    static final byte PATTERN_READ = 17;
    static final byte INTEREST = 18;
    static final byte READ_PATTERN = 19;
    static final byte FOLLOW = 20;
    static final byte PUBLISH_TRACED = 21;
    static final byte READ_PATTERN_LOG = 22;
    static final byte PATTERN_MESSAGE = 23;
    static final byte PATTERN_GAP = 24;
    static final byte DELIVERED = 25;

    /** Flags of a publish and of a message. */
    static final int RETAINED = 1;

    /** A block of headers follows. */
    static final int HEADERS = 2;

    /** The time to live of a publish follows. */
    static final int TTL = 4;

    /** The name of the publisher follows. */
    static final int PUBLISHER = 8;

    /** The tag of the publisher's origin follows. */
    static final int ORIGIN = 16;

    static final MessageType[] TYPES = MessageType.values();
    static final Recovery[] RECOVERIES = Recovery.values();
    static final Code[] CODES = Code.values();
    static final SlowConsumerConfig.Policy[] POLICIES = SlowConsumerConfig.Policy.values();

    private static final int INITIAL_BYTES = 16 * 1024;

    private @Nullable ByteBuf batch;
    private int calls;

    /** Returns the number of calls since the last {@link #take}. */
    int calls() {
        return calls;
    }

    boolean isEmpty() {
        return batch == null;
    }

    /** Releases calls that no lane will receive any more. */
    void release() {
        if (batch != null) {
            batch.release();
            batch = null;
        }
    }

    /** Returns the calls written since the last call; the caller releases them. */
    ByteBuf take() {
        ByteBuf full = java.util.Objects.requireNonNull(batch);
        batch = null;
        calls = 0;
        return full;
    }

    private ByteBuf begin(byte call) {
        if (batch == null) {
            batch = PooledByteBufAllocator.DEFAULT.directBuffer(INITIAL_BYTES);
        }
        calls++;
        return batch.writeByte(call);
    }

    @Override
    public void publish(SubjectKey subject, Publication p) {
        TraceContext trace = p.trace();
        ByteBuf out = key(begin(trace == null ? PUBLISH : PUBLISH_TRACED), subject);
        if (trace != null) {
            out.writeLong(trace.traceHigh()).writeLong(trace.traceLow()).writeLong(trace.spanId());
        }
        out.writeInt(p.edge()).writeLong(p.session()).writeLong(p.commandId()).writeLong(p.receivedNanos());
        byte[] publisher = p.publisher();
        byte[] origin = p.origin();
        int terms =
                (p.ttlMillis() == 0 ? 0 : TTL) | (publisher == null ? 0 : PUBLISHER) | (origin == null ? 0 : ORIGIN);
        out.writeByte(flags(p.retain(), p.headersLength()) | terms);
        if (p.ttlMillis() != 0) {
            out.writeLong(p.ttlMillis());
        }
        if (publisher != null) {
            out.writeShort(publisher.length).writeBytes(publisher);
        }
        if (origin != null) {
            out.writeShort(origin.length).writeBytes(origin);
        }
        out.writeByte(p.idLength()).writeBytes(p.buffer(), p.idOffset(), p.idLength());
        if (p.headersLength() > 0) {
            out.writeBytes(p.headers(), p.headersOffset(), p.headersLength());
        }
        out.writeInt(p.dataLength()).writeBytes(p.buffer(), p.dataOffset(), p.dataLength());
    }

    @Override
    public void join(
            int edge,
            long session,
            int ticket,
            long commandId,
            SubjectKey subject,
            @Nullable Position from,
            int history,
            boolean follow) {
        ByteBuf out = key(begin(JOIN), subject);
        out.writeInt(edge).writeLong(session).writeInt(ticket).writeLong(commandId);
        position(out, from);
        out.writeInt(history).writeBoolean(follow);
    }

    @Override
    public void follow(int edge, SubjectKey subject) {
        key(begin(FOLLOW), subject).writeInt(edge);
    }

    @Override
    public void read(
            int edge,
            long session,
            int ticket,
            SubjectKey subject,
            long afterSeq,
            MessageType type,
            CatchUpBounds cut) {
        ByteBuf out = key(begin(READ), subject);
        out.writeInt(edge)
                .writeLong(session)
                .writeInt(ticket)
                .writeLong(afterSeq)
                .writeByte(type.ordinal());
        out.writeByte(cut.policy().ordinal()).writeLong(cut.bytesMax()).writeLong(cut.millisMax());
    }

    @Override
    public void leave(int edge, SubjectKey subject) {
        key(begin(LEAVE), subject).writeInt(edge);
    }

    @Override
    public void joinPattern(int edge, byte[] pattern) {
        bytes(begin(JOIN_PATTERN).writeInt(edge), pattern);
    }

    @Override
    public void readPattern(int edge, long session, int ticket, byte[] pattern, long cursor) {
        ByteBuf out = begin(READ_PATTERN).writeInt(edge).writeLong(session).writeInt(ticket);
        bytes(out, pattern).writeLong(cursor);
    }

    @Override
    public void readPatternLog(int edge, long session, int ticket, byte[] pattern, long[] from, long cursor) {
        ByteBuf out = begin(READ_PATTERN_LOG).writeInt(edge).writeLong(session).writeInt(ticket);
        longs(bytes(out, pattern), from).writeLong(cursor);
    }

    @Override
    public void leavePattern(int edge, byte[] pattern) {
        bytes(begin(LEAVE_PATTERN).writeInt(edge), pattern);
    }

    @Override
    public void watch(int edge, long session, long commandId, SubjectKey subject) {
        key(begin(WATCH), subject).writeInt(edge).writeLong(session).writeLong(commandId);
    }

    @Override
    public void unwatch(int edge, long session, SubjectKey subject) {
        key(begin(UNWATCH), subject).writeInt(edge).writeLong(session);
    }

    @Override
    public void deliver(int home, SubjectKey subject, MessageView message, long receivedNanos) {
        ByteBuf out = key(begin(DELIVER), subject).writeInt(home).writeLong(receivedNanos);
        view(out, message);
    }

    @Override
    public void published(long session, long commandId, long epoch, long seq) {
        begin(PUBLISHED)
                .writeLong(session)
                .writeLong(commandId)
                .writeLong(epoch)
                .writeLong(seq);
    }

    @Override
    public void refused(long session, long commandId, Code code, String reason, SubjectKey subject) {
        ByteBuf out = key(begin(REFUSED), subject).writeLong(session).writeLong(commandId);
        text(out.writeByte(code.ordinal()), reason);
    }

    @Override
    public void joined(long session, int ticket, long commandId, SubjectKey subject, Position at, Recovery recovery) {
        ByteBuf out =
                key(begin(JOINED), subject).writeLong(session).writeInt(ticket).writeLong(commandId);
        position(out, at);
        out.writeByte(recovery.ordinal());
    }

    @Override
    public void gap(long session, int ticket, SubjectKey subject, @Nullable Position from, Position to, Code reason) {
        ByteBuf out = key(begin(GAP), subject).writeLong(session).writeInt(ticket);
        position(out, from);
        position(out, to);
        out.writeByte(reason.ordinal());
    }

    @Override
    public void message(long session, int ticket, SubjectKey subject, MessageView message) {
        view(key(begin(MESSAGE), subject).writeLong(session).writeInt(ticket), message);
    }

    @Override
    public void readDone(long session, int ticket, SubjectKey subject, long seq, boolean more) {
        ByteBuf out = key(begin(READ_DONE), subject).writeLong(session).writeInt(ticket);
        out.writeLong(seq).writeBoolean(more);
    }

    @Override
    public void patternSnapshot(int home, long session, int ticket, byte[] pattern, MessageView message) {
        ByteBuf out = begin(PATTERN_SNAPSHOT).writeInt(home).writeLong(session).writeInt(ticket);
        viewWithSubject(bytes(out, pattern), message);
    }

    @Override
    public void patternRead(int home, long session, int ticket, byte[] pattern, long cursor, long[] ends) {
        ByteBuf out = begin(PATTERN_READ).writeInt(home).writeLong(session).writeInt(ticket);
        longs(bytes(out, pattern).writeLong(cursor), ends);
    }

    @Override
    public void patternMessage(
            int home, long session, int ticket, byte[] pattern, int log, long place, MessageView message) {
        ByteBuf out = begin(PATTERN_MESSAGE).writeInt(home).writeLong(session).writeInt(ticket);
        bytes(out, pattern).writeInt(log).writeLong(place);
        viewWithSubject(out, message);
    }

    @Override
    public void patternGap(long session, int ticket, byte[] pattern, Code reason) {
        bytes(begin(PATTERN_GAP).writeLong(session).writeInt(ticket), pattern).writeByte(reason.ordinal());
    }

    @Override
    public void delivered(int home, long[] ends) {
        longs(begin(DELIVERED).writeInt(home), ends);
    }

    @Override
    public void interest(long session, long commandId, SubjectKey subject, boolean subscribers) {
        ByteBuf out = key(begin(INTEREST), subject).writeLong(session).writeLong(commandId);
        out.writeBoolean(subscribers);
    }

    private static ByteBuf key(ByteBuf out, SubjectKey subject) {
        return out.writeByte(subject.length()).writeBytes(subject.bytes(), 0, subject.length());
    }

    private static ByteBuf bytes(ByteBuf out, byte[] bytes) {
        return out.writeByte(bytes.length).writeBytes(bytes);
    }

    private static void text(ByteBuf out, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        out.writeInt(bytes.length).writeBytes(bytes);
    }

    private static void position(ByteBuf out, @Nullable Position position) {
        out.writeLong(position == null ? -1 : position.epoch()).writeLong(position == null ? -1 : position.seq());
    }

    private static ByteBuf longs(ByteBuf out, long[] values) {
        out.writeShort(values.length);
        for (long each : values) {
            out.writeLong(each);
        }
        return out;
    }

    private static void viewWithSubject(ByteBuf out, MessageView message) {
        out.writeByte(message.subjectLength());
        out.writeBytes(message.subject(), message.subjectOffset(), message.subjectLength());
        view(out, message);
    }

    private static int flags(boolean retained, int headersLength) {
        return (retained ? RETAINED : 0) | (headersLength > 0 ? HEADERS : 0);
    }

    private static void view(ByteBuf out, MessageView m) {
        out.writeLong(m.epoch()).writeByte(m.epochIndex()).writeLong(m.seq()).writeLong(m.timeMillis());
        out.writeByte(m.type().ordinal())
                .writeByte(flags(m.retained(), m.headersLength()))
                .writeLong(m.prev());
        if (m.headersLength() > 0) {
            out.writeBytes(m.headers(), m.headersOffset(), m.headersLength());
        }
        out.writeInt(m.dataLength()).writeBytes(m.data(), m.dataOffset(), m.dataLength());
    }
}
