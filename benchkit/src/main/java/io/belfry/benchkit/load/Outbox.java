package io.belfry.benchkit.load;

import io.belfry.client.connection.Connection;
import io.belfry.protocol.CommandHandler;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;

/** What the publishers of a loop send in one turn: one write for each connection. Owner: the loop. */
final class Outbox {
    /** In an {@link AckWindow}: the answer to an end mark, whose time nobody measures. */
    static final long NOT_MEASURED = -1;

    private final PublisherOptions options;
    private final PublishWire wire;
    private final Payloads payloads;
    private final ByteBuf payload;
    private final int firstPublisher;
    private final byte[][] subjectsByLength = new byte[256][];
    private final List<Publisher> dirty = new ArrayList<>();
    private int bytes;

    Outbox(PublisherOptions options, int firstPublisher, Payloads payloads) {
        this.options = options;
        this.wire = PublishWire.of(options);
        this.payloads = payloads;
        this.payload = Unpooled.wrappedBuffer(payloads.bytes());
        this.firstPublisher = options.firstPublisher() + firstPublisher;
    }

    void message(Publisher publisher, int subject, long intendedNanos, long sequence) {
        payloads.next(intendedNanos, firstPublisher + publisher.index, sequence);
        boolean answered = options.acknowledged() || wire.alwaysAnswered();
        add(publisher, answered ? publisher.acks.open(intendedNanos, subject) : CommandHandler.NO_ID, subject);
    }

    void endMark(Publisher publisher, int subject, long startNanos, long lastSequence) {
        payloads.end(startNanos, firstPublisher + publisher.index, lastSequence);
        boolean answered = wire.alwaysAnswered();
        add(publisher, answered ? publisher.acks.open(NOT_MEASURED, subject) : CommandHandler.NO_ID, subject);
    }

    private void add(Publisher publisher, long id, int subject) {
        Connection connection = publisher.connection;
        if (connection == null) {
            return;
        }
        if (publisher.frames == null) {
            publisher.frames = connection.buffer();
            dirty.add(publisher);
        }
        int before = publisher.frames.readableBytes();
        wire.append(publisher, connection, publisher.frames, id, subject(subject), payload);
        bytes += publisher.frames.readableBytes() - before;
    }

    /** The bytes of a subject in an array that is used again; the encoding copies them. */
    private byte[] subject(int index) {
        int length = options.subjects().length(index);
        byte[] subject = subjectsByLength[length];
        if (subject == null) {
            subject = new byte[length];
            subjectsByLength[length] = subject;
        }
        options.subjects().bytes().getBytes(options.subjects().offset(index), subject);
        return subject;
    }

    /** How much has gathered for the next flush. */
    int bytes() {
        return bytes;
    }

    void flush() {
        for (Publisher publisher : dirty) {
            ByteBuf frames = publisher.frames;
            if (frames != null && publisher.connection != null) {
                publisher.frames = null;
                publisher.connection.flush(frames);
            }
        }
        dirty.clear();
        bytes = 0;
    }
}
