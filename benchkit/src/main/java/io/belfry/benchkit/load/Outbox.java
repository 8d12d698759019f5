package io.belfry.benchkit.load;

import io.belfry.client.connection.ServerConnection;
import io.belfry.protocol.ClientEncoding;
import io.belfry.protocol.CommandHandler;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Collects what the publishers of a loop send in one turn, as frames of a WebSocket or as POST requests, and flushes it in
 * one write per connection. Owner: the loop.
 */
final class Outbox {
    /** Intended time in an {@link AckWindow} for an end mark, whose acknowledgement is not measured. */
    static final long NOT_MEASURED = -1;

    private final PublisherOptions options;
    private final LoadTarget target;
    private final Payloads payloads;
    private final ClientEncoding encoding;
    private final ByteBuf command = Unpooled.buffer(1024);
    private final ByteBuf payload;
    private final int firstPublisher;
    /** The server answers every POST, whether the acknowledgement is measured or not. */
    private final boolean posts;

    private final byte[][] subjectsByLength = new byte[256][];
    private final List<PublisherClient> dirty = new ArrayList<>();
    private int bytes;

    Outbox(PublisherOptions options, int firstPublisher, Payloads payloads, ClientEncoding encoding) {
        this.options = options;
        this.target = options.target();
        this.payloads = payloads;
        this.encoding = encoding;
        this.payload = Unpooled.wrappedBuffer(payloads.bytes());
        this.firstPublisher = options.firstPublisher() + firstPublisher;
        this.posts = target.transport() != LoadTransport.WEBSOCKET;
    }

    void message(PublisherClient publisher, int subject, long intendedNanos, long sequence) {
        payloads.next(intendedNanos, firstPublisher + publisher.index, sequence);
        add(publisher, subject, options.acknowledged() || posts, intendedNanos);
    }

    void endMark(PublisherClient publisher, int subject, long startNanos, long lastSequence) {
        payloads.end(startNanos, firstPublisher + publisher.index, lastSequence);
        add(publisher, subject, posts, NOT_MEASURED);
    }

    private void add(PublisherClient publisher, int subject, boolean answered, long intendedNanos) {
        long id = answered ? publisher.acks.open(intendedNanos, subject) : CommandHandler.NO_ID;
        ServerConnection connection = publisher.connection;
        if (connection == null) {
            return;
        }
        ByteBuf frames = publisher.frames;
        if (frames == null) {
            frames = connection.buffer();
            publisher.frames = frames;
            dirty.add(publisher);
        }
        int before = frames.readableBytes();
        if (posts) {
            String path =
                    "/publish?subject=" + LoadTarget.inQuery(new String(subject(subject), StandardCharsets.UTF_8));
            target.serverOf(publisher.index).calls().post(frames, path, payload);
        } else {
            encoding.publish(command.clear(), id, subject(subject), payload);
            connection.append(frames, command, target.webSocketBinary());
        }
        bytes += frames.readableBytes() - before;
    }

    /** Returns the subject's bytes in an array that the next call reuses; the encoding copies them. */
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

    /** Number of bytes collected since the last flush. */
    int bytes() {
        return bytes;
    }

    void flush() {
        for (PublisherClient publisher : dirty) {
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
