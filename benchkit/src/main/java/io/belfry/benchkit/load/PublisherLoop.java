package io.belfry.benchkit.load;

import io.belfry.benchkit.measure.Count;
import io.belfry.benchkit.measure.Counts;
import io.belfry.benchkit.measure.Figures;
import io.belfry.client.connection.ClientLoop;
import io.belfry.client.connection.Connection;
import io.belfry.client.connection.Ending;
import io.belfry.client.connection.Random32;
import io.belfry.protocol.ClientEncoding;
import io.belfry.protocol.CommandHandler;
import io.belfry.protocol.MessageView;
import io.belfry.protocol.Position;
import io.belfry.protocol.Recovery;
import io.belfry.protocol.ServerEventDecoder;
import io.belfry.protocol.ServerEventHandler;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The publishers of one loop: sends what the schedule says is due, the frames of one turn and connection in one write.
 * When a socket takes no more, the schedule goes on and the loop waits; what it sends then carries its old times, so the
 * wait is seen as latency at the subscribers and as lag here. Owner: the loop.
 */
final class PublisherLoop implements FleetLoop, ServerEventHandler {
    /** Messages and bytes of one turn; then acknowledgements are read and the sockets get their due. */
    private static final int TURN_MESSAGES_MAX = 2048;

    private static final int TURN_BYTES_MAX = 1 << 20;
    private static final int NO_STREAM = -1;

    /** Ids of publishes count up from 1; this one answers "ready?" and "all done?". */
    private static final long PING_ID = 0;

    private final PublisherFleet fleet;
    private final PublisherOptions options;
    private final ClientLoop loop;
    private final int firstPublisher;
    private final List<Publisher> publishers;
    private final ConnectRamp ramp;
    private final ClientEncoding encoding;
    private final ServerEventDecoder[] decoders;
    private final Pacer pacer;
    private final Streams streams;
    private final Random32 random = new Random32(System.nanoTime());
    private final Payloads payloads;
    private final ByteBuf payload;
    private final ByteBuf command = Unpooled.buffer(1024);
    private final byte[][] subjectsByLength = new byte[256][];
    private final Figures figures = new Figures();
    private final Counts counts = figures.counts();
    private final long[] acknowledgedOfSubject;

    /** Who has frames in this turn, and the intended times of its messages. */
    private final List<Publisher> dirty = new ArrayList<>();

    private final long[] turnIntended = new long[TURN_MESSAGES_MAX];
    private int turnMessages;
    private int turnBytes;

    /** The stream whose publisher cannot take a message now; everything waits for it. */
    private int waitingStream = NO_STREAM;

    private boolean publishing;
    private boolean measuring = true;
    private boolean finishing;
    private int ready;
    private int standing;
    private int pongsOpen;
    private @Nullable Publisher current;
    private long readNanos;

    PublisherLoop(PublisherFleet fleet, PublisherOptions options, ClientLoop loop, int first, int count) {
        this.fleet = fleet;
        this.options = options;
        this.loop = loop;
        this.firstPublisher = first;
        this.publishers = new ArrayList<>(count);
        this.encoding = options.target().encoding();
        this.decoders = options.target().decoders();
        double share = (double) count / options.publishers();
        this.pacer = new Pacer(options.perSecond() * share, options.burst(), PublisherFleet.TICK_NANOS);
        this.streams = new Streams(count, options.subjects().size());
        this.payloads = new Payloads(options.messageSize(), random);
        this.payload = Unpooled.wrappedBuffer(payloads.bytes());
        this.acknowledgedOfSubject =
                new long[options.acknowledged() ? options.subjects().size() : 0];
        this.ramp = new ConnectRamp(
                loop,
                options.target(),
                ConnectRamp.schedule(count, options.target().connectRate() * share),
                this::publisher,
                fleet::failed);
    }

    @Override
    public ClientLoop loop() {
        return loop;
    }

    @Override
    public void begin() {
        ramp.start();
    }

    private Publisher publisher(int index) {
        Publisher publisher = new Publisher(this, index, loop.clock().getAsLong());
        if (index < publishers.size()) {
            publishers.set(index, publisher);
        } else {
            publishers.add(publisher);
        }
        return publisher;
    }

    /** The pong says that the server takes commands from this client. */
    void opened(Publisher publisher, Connection connection) {
        ping(connection);
    }

    private void ping(Connection connection) {
        encoding.ping(command.clear(), PING_ID);
        connection.send(command, options.target().binary());
    }

    /** Begins the schedule. */
    void publish() {
        publishing = true;
        pacer.start(loop.clock().getAsLong());
        turn();
    }

    /** Ends the schedule and asks each server whether it has seen everything. */
    void settle() {
        publishing = false;
        pongsOpen = 0;
        for (Publisher publisher : publishers) {
            if (publisher.connection != null) {
                pongsOpen++;
                ping(publisher.connection);
            }
        }
    }

    /** Sends what is due and comes back when the next message is. */
    private void turn() {
        if (!publishing || waitingStream != NO_STREAM) {
            return;
        }
        long now = loop.clock().getAsLong();
        turnMessages = 0;
        turnBytes = 0;
        while (pacer.intendedNanos() <= now && turnMessages < TURN_MESSAGES_MAX && turnBytes < TURN_BYTES_MAX) {
            if (!publishNext()) {
                break;
            }
        }
        flushTurn();
        if (waitingStream == NO_STREAM) {
            long wait = pacer.intendedNanos() - loop.clock().getAsLong();
            if (wait > 0) {
                loop.runAfter(wait, this::turn);
            } else {
                loop.run(this::turn);
            }
        }
    }

    private boolean publishNext() {
        int stream = random.below(streams.count());
        Publisher publisher = publishers.get(streams.publisher(stream));
        if (!canTake(publisher)) {
            waitingStream = stream;
            counts.add(Count.STALLS);
            return false;
        }
        publish(publisher, stream, pacer.intendedNanos());
        turnIntended[turnMessages++] = pacer.intendedNanos();
        pacer.advance();
        return true;
    }

    private boolean canTake(Publisher publisher) {
        return publisher.connection != null && publisher.connection.isWritable() && !publisher.acks.full();
    }

    private void publish(Publisher publisher, int stream, long intendedNanos) {
        int subject = streams.subject(stream);
        int stamped = options.firstPublisher() + firstPublisher + publisher.index;
        payloads.next(intendedNanos, stamped, streams.nextSequence(stream));
        long id = options.acknowledged() ? publisher.acks.open(intendedNanos, subject) : CommandHandler.NO_ID;
        encoding.publish(command.clear(), id, subject(subject), payload);
        append(publisher);
    }

    /** The bytes of a subject in an array that is used again; the encoding copies them. */
    private byte[] subject(int index) {
        int length = options.subjects().length(index);
        byte[] bytes = subjectsByLength[length];
        if (bytes == null) {
            bytes = new byte[length];
            subjectsByLength[length] = bytes;
        }
        options.subjects().bytes().getBytes(options.subjects().offset(index), bytes);
        return bytes;
    }

    private void append(Publisher publisher) {
        Connection connection = publisher.connection;
        if (connection == null) {
            return;
        }
        if (publisher.frames == null) {
            publisher.frames = connection.buffer();
            dirty.add(publisher);
        }
        connection.append(publisher.frames, command, options.target().binary());
        turnBytes += command.readableBytes();
    }

    private void flushTurn() {
        for (Publisher publisher : dirty) {
            ByteBuf frames = publisher.frames;
            if (frames != null && publisher.connection != null) {
                publisher.frames = null;
                publisher.connection.flush(frames);
            }
        }
        dirty.clear();
        long now = loop.clock().getAsLong();
        for (int i = 0; i < turnMessages && measuring; i++) {
            figures.lags().record(now - turnIntended[i]);
        }
        counts.add(measuring ? Count.PUBLISHED : Count.WARM_UP_PUBLISHED, turnMessages);
    }

    /** A socket may take more, or an answer has made room: goes on if that was waited for. */
    void writable(Publisher publisher) {
        if (waitingStream != NO_STREAM && canTake(publishers.get(streams.publisher(waitingStream)))) {
            waitingStream = NO_STREAM;
            turn();
        }
    }

    void read(Publisher publisher, ByteBuf bytes, int offset, int length, long nanos) {
        current = publisher;
        readNanos = nanos;
        decoders[options.target().serverIndex(publisher.index)].decode(bytes, offset, length, this);
        current = null;
    }

    void readEnd(int bytes) {
        counts.add(Count.BYTES_READ, bytes);
        if (waitingStream != NO_STREAM) {
            writable(publishers.get(streams.publisher(waitingStream)));
        }
    }

    @Override
    public void onPublished(long id, long epoch, long seq) {
        AckWindow acks = current().acks;
        if (!acks.isOpen(id)) {
            counts.add(Count.ERRORS);
            fleet.surprises().add("the server acknowledged a publish that waits for no answer");
            return;
        }
        counts.add(Count.ACKNOWLEDGED);
        acknowledgedOfSubject[acks.subject(id)]++;
        if (measuring) {
            figures.latencies().record(readNanos - acks.intendedNanos(id));
        }
        acks.close(id);
    }

    @Override
    public void onPong(long id) {
        Publisher publisher = current();
        if (publisher.ready) {
            pongsOpen--;
            return;
        }
        publisher.ready = true;
        figures.connects().record(readNanos - publisher.begunNanos);
        ready++;
        standing++;
        if (ramp.ready()) {
            fleet.loopReady();
        }
    }

    @Override
    public void onError(long id, String code, String reason, byte @Nullable [] subject) {
        counts.add(Count.ERRORS);
        String sentence = "the server answered " + code + ": " + reason;
        fleet.surprises().add(sentence);
        Publisher publisher = current();
        if (publisher.acks.isOpen(id)) {
            publisher.acks.close(id);
        }
        if (!publisher.ready || code.equals("publish-denied") || code.equals("unauthorized")) {
            fleet.failed(sentence);
        }
    }

    @Override
    public void onReconnect(long afterMillis, String reason) {
        counts.add(Count.RECONNECT_NOTICES);
        fleet.surprises().add("the server asks to reconnect: " + reason);
    }

    @Override
    public void onBadEvent(String reason) {
        counts.add(Count.ERRORS);
        fleet.surprises().add("the server sent what is no event: " + reason);
    }

    @Override
    public void onMessage(MessageView message) {
        counts.add(Count.MISDELIVERED);
    }

    @Override
    public void onGap(byte[] subject, @Nullable Position from, Position to, String reason) {
        counts.add(Count.GAPS_ANNOUNCED);
    }

    @Override
    public void onConnected(long id, String session, String node, long pingMillis, int maxMessage) {}

    @Override
    public void onSubscribed(long id, byte[] subject, @Nullable Position at, Recovery recovery) {}

    @Override
    public void onUnsubscribed(long id, byte[] subject) {}

    void ended(Publisher publisher, Ending ending) {
        if (!publisher.ready) {
            ramp.ended(publisher.index, ending);
            return;
        }
        standing--;
        if (!finishing) {
            counts.add(Count.DISCONNECTIONS);
            fleet.failed("a publisher's connection ended: " + ending.sentence());
        }
    }

    @Override
    public FleetState state() {
        long open = pongsOpen;
        for (Publisher publisher : publishers) {
            open += publisher.acks.open();
        }
        return new FleetState(ready, standing, open);
    }

    @Override
    public Figures figures() {
        return figures;
    }

    @Override
    public void measure(boolean on) {
        measuring = on;
    }

    long[] acknowledgedOfSubject() {
        return acknowledgedOfSubject.clone();
    }

    @Override
    public void finish() {
        finishing = true;
        publishing = false;
        for (Publisher publisher : publishers) {
            if (publisher.connection != null) {
                publisher.connection.finish();
            }
        }
    }

    private Publisher current() {
        if (current == null) {
            throw new IllegalStateException("an event outside a read");
        }
        return current;
    }
}
