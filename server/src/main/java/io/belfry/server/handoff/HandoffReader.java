package io.belfry.server.handoff;

import io.belfry.protocol.MessageHeaders;
import io.belfry.protocol.MessageType;
import io.belfry.protocol.MessageView;
import io.belfry.protocol.Position;
import io.belfry.server.broker.Publication;
import io.belfry.server.subject.SubjectKey;
import io.belfry.server.trace.Tracer;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Makes the calls of a batch; the mirror of {@link Handoff}. Owner: the receiving lane's loop. */
public final class HandoffReader {
    private final SubjectKey key;
    private final Publication publication = new Publication();
    private final MessageView view = new MessageView();
    private final ToHome home;
    private final ToEdge edge;
    private final @Nullable Tracer tracer;

    public HandoffReader(SubjectKey key, ToHome home, ToEdge edge, @Nullable Tracer tracer) {
        this.key = key;
        this.home = home;
        this.edge = edge;
        this.tracer = tracer;
    }

    /** Makes every call of the batch; the caller releases the batch. */
    void read(ByteBuf in) {
        while (in.isReadable()) {
            call(in, in.readByte());
        }
    }

    private void call(ByteBuf in, byte call) {
        switch (call) {
            case Handoff.PUBLISH -> publish(key(in), in);
            case Handoff.PUBLISH_TRACED -> publishTraced(key(in), in);
            case Handoff.DELIVER -> deliver(key(in), in);
            case Handoff.PUBLISHED -> edge.published(in.readLong(), in.readLong(), in.readLong(), in.readLong());
            case Handoff.JOIN -> join(key(in), in);
            case Handoff.FOLLOW -> {
                SubjectKey subject = key(in);
                home.follow(in.readInt(), subject);
            }
            case Handoff.READ -> read(key(in), in);
            case Handoff.LEAVE -> {
                SubjectKey subject = key(in);
                home.leave(in.readInt(), subject);
            }
            case Handoff.JOIN_PATTERN -> home.joinPattern(in.readInt(), bytes(in));
            case Handoff.READ_PATTERN ->
                home.readPattern(in.readInt(), in.readLong(), in.readInt(), bytes(in), in.readLong());
            case Handoff.LEAVE_PATTERN -> home.leavePattern(in.readInt(), bytes(in));
            case Handoff.WATCH -> {
                SubjectKey subject = key(in);
                home.watch(in.readInt(), in.readLong(), in.readLong(), subject);
            }
            case Handoff.UNWATCH -> {
                SubjectKey subject = key(in);
                home.unwatch(in.readInt(), in.readLong(), subject);
            }
            case Handoff.REFUSED -> {
                SubjectKey subject = key(in);
                edge.refused(in.readLong(), in.readLong(), Handoff.CODES[in.readUnsignedByte()], text(in), subject);
            }
            case Handoff.JOINED -> joined(key(in), in);
            case Handoff.GAP -> gap(key(in), in);
            case Handoff.MESSAGE -> message(key(in), in);
            case Handoff.READ_DONE -> {
                SubjectKey subject = key(in);
                edge.readDone(in.readLong(), in.readInt(), subject, in.readLong(), in.readBoolean());
            }
            case Handoff.PATTERN_SNAPSHOT -> patternSnapshot(in);
            case Handoff.PATTERN_READ ->
                edge.patternRead(in.readInt(), in.readLong(), in.readInt(), bytes(in), in.readLong(), longs(in));
            case Handoff.READ_PATTERN_LOG ->
                home.readPatternLog(in.readInt(), in.readLong(), in.readInt(), bytes(in), longs(in), in.readLong());
            case Handoff.PATTERN_MESSAGE -> patternMessage(in);
            case Handoff.PATTERN_GAP ->
                edge.patternGap(in.readLong(), in.readInt(), bytes(in), Handoff.CODES[in.readUnsignedByte()]);
            case Handoff.DELIVERED -> edge.delivered(in.readInt(), longs(in));
            case Handoff.INTEREST -> {
                SubjectKey subject = key(in);
                edge.interest(in.readLong(), in.readLong(), subject, in.readBoolean());
            }
            default -> throw new IllegalStateException("unknown call between lanes: " + call);
        }
    }

    private void publish(SubjectKey subject, ByteBuf in) {
        publication.from(in.readInt(), in.readLong(), in.readLong(), in.readLong());
        int flags = in.readByte();
        long ttl = (flags & Handoff.TTL) == 0 ? 0 : in.readLong();
        byte[] publisher = (flags & Handoff.PUBLISHER) == 0 ? null : longBytes(in);
        byte[] origin = (flags & Handoff.ORIGIN) == 0 ? null : longBytes(in);
        int idLength = in.readUnsignedByte();
        int idAt = skip(in, idLength);
        int headersLength = headersLength(in, flags);
        int headersAt = skip(in, headersLength);
        int dataLength = in.readInt();
        int dataAt = skip(in, dataLength);
        publication
                .content(in, dataAt, dataLength, idAt, idLength, (flags & Handoff.RETAINED) != 0)
                .headers(headersAt, headersLength)
                .terms(ttl, publisher, origin);
        home.publish(subject, publication);
    }

    private void publishTraced(SubjectKey subject, ByteBuf in) {
        Tracer own = java.util.Objects.requireNonNull(tracer);
        publication.trace(own.context(in.readLong(), in.readLong(), in.readLong()));
        try {
            publish(subject, in);
        } finally {
            publication.trace(null);
        }
    }

    private void deliver(SubjectKey subject, ByteBuf in) {
        int from = in.readInt();
        long receivedNanos = in.readLong();
        edge.deliver(from, subject, view(in, subject), receivedNanos);
    }

    private void join(SubjectKey subject, ByteBuf in) {
        int edgeIndex = in.readInt();
        long session = in.readLong();
        int ticket = in.readInt();
        long commandId = in.readLong();
        Position from = position(in);
        home.join(edgeIndex, session, ticket, commandId, subject, from, in.readInt(), in.readBoolean());
    }

    private void read(SubjectKey subject, ByteBuf in) {
        int edgeIndex = in.readInt();
        long session = in.readLong();
        int ticket = in.readInt();
        long afterSeq = in.readLong();
        MessageType type = Handoff.TYPES[in.readByte()];
        CatchUpBounds cut = new CatchUpBounds(Handoff.POLICIES[in.readByte()], in.readLong(), in.readLong());
        home.read(edgeIndex, session, ticket, subject, afterSeq, type, cut);
    }

    private void joined(SubjectKey subject, ByteBuf in) {
        long session = in.readLong();
        int ticket = in.readInt();
        long commandId = in.readLong();
        Position at = known(position(in));
        edge.joined(session, ticket, commandId, subject, at, Handoff.RECOVERIES[in.readByte()]);
    }

    private void gap(SubjectKey subject, ByteBuf in) {
        long session = in.readLong();
        int ticket = in.readInt();
        Position from = position(in);
        Position to = known(position(in));
        edge.gap(session, ticket, subject, from, to, Handoff.CODES[in.readUnsignedByte()]);
    }

    private void message(SubjectKey subject, ByteBuf in) {
        long session = in.readLong();
        int ticket = in.readInt();
        edge.message(session, ticket, subject, view(in, subject));
    }

    private void patternSnapshot(ByteBuf in) {
        int from = in.readInt();
        long session = in.readLong();
        int ticket = in.readInt();
        byte[] pattern = bytes(in);
        SubjectKey subject = key(in);
        edge.patternSnapshot(from, session, ticket, pattern, view(in, subject));
    }

    private void patternMessage(ByteBuf in) {
        int from = in.readInt();
        long session = in.readLong();
        int ticket = in.readInt();
        byte[] pattern = bytes(in);
        int log = in.readInt();
        long place = in.readLong();
        SubjectKey subject = key(in);
        edge.patternMessage(from, session, ticket, pattern, log, place, view(in, subject));
    }

    private SubjectKey key(ByteBuf in) {
        int length = in.readUnsignedByte();
        return key.set(in, skip(in, length), length);
    }

    private MessageView view(ByteBuf in, SubjectKey subject) {
        view.subject(subject.buffer(), 0, subject.length());
        view.position(in.readLong(), in.readUnsignedByte(), in.readLong()).time(in.readLong());
        view.type(Handoff.TYPES[in.readByte()]);
        int flags = in.readByte();
        view.retained((flags & Handoff.RETAINED) != 0).prev(in.readLong());
        int headersLength = headersLength(in, flags);
        int headersAt = skip(in, headersLength);
        int length = in.readInt();
        return view.data(in, skip(in, length), length).headers(in, headersAt, headersLength);
    }

    /** Returns the length of the block of headers that begins here; 0 if there is none. */
    private static int headersLength(ByteBuf in, int flags) {
        return (flags & Handoff.HEADERS) == 0 ? 0 : MessageHeaders.LENGTH_BYTES + in.getUnsignedShort(in.readerIndex());
    }

    private static int skip(ByteBuf in, int length) {
        int at = in.readerIndex();
        in.skipBytes(length);
        return at;
    }

    private static byte[] bytes(ByteBuf in) {
        byte[] bytes = new byte[in.readUnsignedByte()];
        in.readBytes(bytes);
        return bytes;
    }

    private static byte[] longBytes(ByteBuf in) {
        byte[] bytes = new byte[in.readUnsignedShort()];
        in.readBytes(bytes);
        return bytes;
    }

    private static long[] longs(ByteBuf in) {
        long[] values = new long[in.readUnsignedShort()];
        for (int i = 0; i < values.length; i++) {
            values[i] = in.readLong();
        }
        return values;
    }

    private static String text(ByteBuf in) {
        int length = in.readInt();
        return in.readCharSequence(length, StandardCharsets.UTF_8).toString();
    }

    private static @Nullable Position position(ByteBuf in) {
        long epoch = in.readLong();
        long seq = in.readLong();
        return epoch < 0 ? null : new Position(epoch, seq);
    }

    private static Position known(@Nullable Position position) {
        return java.util.Objects.requireNonNull(position);
    }
}
