package io.belfry.benchkit.load;

import io.belfry.benchkit.measure.ClockOffset;
import io.belfry.benchkit.measure.Stamp;
import io.belfry.client.connection.Random32;
import io.belfry.client.connection.ServerConnection;
import io.belfry.protocol.CommandHandler;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Makes what the publishers of a loop send in one turn, as frames of a WebSocket or as POST requests, and flushes it in one
 * write per connection. A payload is a stamp, then letters and digits from a random place of a long random text, so that
 * payloads differ and do not compress. Owner: the loop.
 */
final class Outbox {
    /** Intended time in an {@link AckWindow} for an end mark, whose acknowledgement is not measured. */
    static final long NOT_MEASURED = -1;

    private static final byte[] ALPHANUMERIC =
            "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".getBytes(StandardCharsets.US_ASCII);
    private static final int TEXT_BYTES = 1 << 18;

    private final PublisherOptions options;
    private final PublisherLoop home;
    private final Random32 random;
    /** The payload of the current message, which is at least as long as a stamp, and its buffer. */
    private final byte[] payload;

    private final ByteBuf data;
    private final byte[] text;
    private final int firstPublisher;
    /** The server answers every POST, whether the acknowledgement is measured or not. */
    private final boolean posts;

    private final byte[][] subjectsByLength = new byte[256][];
    private final List<PublisherClient> dirty = new ArrayList<>();
    /** Number of bytes collected since the last flush. */
    int bytes;

    Outbox(PublisherLoop home, PublisherOptions options, int firstPublisher, Random32 random) {
        this.home = home;
        this.options = options;
        this.random = random;
        this.firstPublisher = options.firstPublisher() + firstPublisher;
        this.posts = home.target.transport() != LoadTransport.WEBSOCKET;
        this.payload = new byte[options.messageSize()];
        this.data = Unpooled.wrappedBuffer(payload);
        this.text = new byte[TEXT_BYTES + payload.length];
        for (int i = 0; i < text.length; i++) {
            text[i] = ALPHANUMERIC[random.below(ALPHANUMERIC.length)];
        }
        clock(ClockOffset.UNKNOWN);
    }

    /** Sets the clock offset that the following payloads carry. */
    void clock(ClockOffset offset) {
        Stamp.writeClock(payload, offset);
    }

    void message(PublisherClient publisher, int subject, long intendedNanos, long sequence) {
        Stamp.write(payload, intendedNanos, firstPublisher + publisher.index, sequence);
        add(publisher, subject, options.acknowledged() || posts, intendedNanos);
    }

    void endMark(PublisherClient publisher, int subject, long startNanos, long lastSequence) {
        Stamp.writeEnd(payload, startNanos, firstPublisher + publisher.index, lastSequence);
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
        System.arraycopy(text, random.below(TEXT_BYTES), payload, Stamp.BYTES, payload.length - Stamp.BYTES);
        int before = frames.readableBytes();
        if (posts) {
            String path =
                    "/publish?subject=" + LoadTarget.inQuery(options.subjects().text(subject));
            home.target.serverOf(publisher.index).calls().post(frames, path, data);
        } else {
            home.encoding.publish(home.command.clear(), id, subject(subject), data);
            connection.append(frames, home.command, home.target.webSocketBinary());
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
