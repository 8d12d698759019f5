package io.belfry.benchkit.load;

import io.belfry.benchkit.measure.Count;
import io.belfry.benchkit.measure.Counts;
import io.belfry.benchkit.measure.DeliveryCheck;
import io.belfry.benchkit.measure.Figures;
import io.belfry.benchkit.measure.PublisherIndex;
import io.belfry.benchkit.measure.Stamp;
import io.belfry.client.connection.ClientLoop;
import io.belfry.client.connection.Connection;
import io.belfry.client.connection.Ending;
import io.belfry.protocol.ClientEncoding;
import io.belfry.protocol.MessageType;
import io.belfry.protocol.MessageView;
import io.belfry.protocol.Position;
import io.belfry.protocol.Recovery;
import io.belfry.protocol.ServerEventDecoder;
import io.belfry.protocol.ServerEventHandler;
import io.belfry.protocol.SubscribeRequest;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The subscribers of one loop and everything they measure. Owner: that loop. */
final class SubscriberLoop implements FleetLoop, ServerEventHandler {
    /** Subjects of one subscribe command: some 32 KB at the longest, within any server's bound. */
    private static final int SUBJECTS_PER_COMMAND = 128;

    private final SubscriberFleet fleet;
    private final SubscriberOptions options;
    private final ClientLoop loop;
    private final int firstClient;
    private final List<Subscriber> subscribers;
    private final ConnectRamp ramp;
    private final ClientEncoding encoding;
    private final ServerEventDecoder[] decoders;
    private final ByteBuf command = Unpooled.buffer(1024);
    private final Figures figures = new Figures();
    private final Counts counts = figures.counts();
    private final PublisherIndex publishers = new PublisherIndex();
    private final byte[] stamp = new byte[Stamp.BYTES];

    private boolean measuring = true;
    private boolean finishing;
    private int ready;
    private int standing;

    /** Whose bytes are being decoded, and when they were read. */
    private @Nullable Subscriber current;

    private long readNanos;

    SubscriberLoop(SubscriberFleet fleet, SubscriberOptions options, ClientLoop loop, int firstClient, int clients) {
        this.fleet = fleet;
        this.options = options;
        this.loop = loop;
        this.firstClient = firstClient;
        this.subscribers = new ArrayList<>(clients);
        this.encoding = options.target().encoding();
        this.decoders = options.target().decoders();
        double rate = options.target().connectRate() * clients / options.clients();
        this.ramp = new ConnectRamp(
                loop, options.target(), ConnectRamp.schedule(clients, rate), this::subscriber, fleet::failed);
    }

    @Override
    public ClientLoop loop() {
        return loop;
    }

    @Override
    public void begin() {
        ramp.start();
    }

    private Subscriber subscriber(int index) {
        int client = firstClient + index;
        Subscriber subscriber = new Subscriber(
                this,
                client,
                options.assignment().of(client),
                options.verify(),
                loop.clock().getAsLong());
        if (index < subscribers.size()) {
            subscribers.set(index, subscriber);
        } else {
            subscribers.add(subscriber);
        }
        return subscriber;
    }

    /** The connection is open: asks for all its subjects. Each is answered by itself. */
    void subscribe(Subscriber subscriber, Connection connection) {
        int[] subjects = subscriber.subjects;
        subscriber.answersOpen = subjects.length;
        for (int from = 0; from < subjects.length; from += SUBJECTS_PER_COMMAND) {
            List<byte[]> some = new ArrayList<>();
            for (int i = from; i < Math.min(from + SUBJECTS_PER_COMMAND, subjects.length); i++) {
                some.add(options.subjects().copy(subjects[i]));
            }
            encoding.subscribe(command.clear(), from + 1L, new SubscribeRequest(some, null, 0, 0));
            connection.send(command, options.target().binary());
        }
    }

    void read(Subscriber subscriber, ByteBuf bytes, int offset, int length, long nanos) {
        current = subscriber;
        readNanos = nanos;
        decoders[options.target().serverIndex(subscriber.client - firstClient)].decode(bytes, offset, length, this);
        current = null;
    }

    void readEnd(int bytes) {
        counts.add(Count.BYTES_READ, bytes);
    }

    @Override
    public void onMessage(MessageView message) {
        Subscriber subscriber = current();
        int slot = subscriber.slotOf(
                options.subjects(), message.subject(), message.subjectOffset(), message.subjectLength());
        if (slot < 0) {
            counts.add(Count.MISDELIVERED);
        } else if (message.type() == MessageType.SNAPSHOT || message.type() == MessageType.HISTORY) {
            counts.add(Count.REPLAYED);
        } else {
            delivered(subscriber.check, slot, message);
        }
    }

    private void delivered(@Nullable DeliveryCheck check, int slot, MessageView message) {
        if (check != null) {
            long prev = message.prev() == MessageView.NO_PREV ? message.seq() - 1 : message.prev();
            check.position(slot, message.epoch(), message.seq(), prev, counts);
        }
        long intendedNanos = intendedNanos(message);
        if (intendedNanos == Stamp.NO_STAMP) {
            counts.add(Count.UNSTAMPED);
            return;
        }
        if (measuring) {
            counts.add(Count.MESSAGES);
            figures.latencies().record(readNanos - intendedNanos);
        } else {
            counts.add(Count.WARM_UP_MESSAGES);
        }
        if (check != null) {
            check.arrived(slot, publishers.indexOf(Stamp.publisher(stamp)), Stamp.sequence(stamp), counts);
        }
    }

    private long intendedNanos(MessageView message) {
        if (message.dataLength() < Stamp.BYTES) {
            return Stamp.NO_STAMP;
        }
        message.data().getBytes(message.dataOffset(), stamp);
        return Stamp.intendedNanos(stamp);
    }

    @Override
    public void onSubscribed(long id, byte[] subject, @Nullable Position at, Recovery recovery) {
        Subscriber subscriber = current();
        int slot = subscriber.slotOf(options.subjects(), Unpooled.wrappedBuffer(subject), 0, subject.length);
        if (slot < 0) {
            return;
        }
        if (subscriber.check != null && at != null) {
            subscriber.check.subscribed(slot, at.epoch(), at.seq());
        }
        if (--subscriber.answersOpen == 0) {
            figures.connects().record(readNanos - subscriber.begunNanos);
            ready++;
            standing++;
            if (ramp.ready()) {
                fleet.loopReady();
            }
        }
    }

    @Override
    public void onGap(byte[] subject, @Nullable Position from, Position to, String reason) {
        Subscriber subscriber = current();
        counts.add(Count.GAPS_ANNOUNCED);
        fleet.surprises().add("the server announced a gap: " + reason);
        int slot = subscriber.slotOf(options.subjects(), Unpooled.wrappedBuffer(subject), 0, subject.length);
        if (subscriber.check != null && slot >= 0) {
            subscriber.check.gap(slot, to.epoch(), to.seq());
        }
    }

    @Override
    public void onError(long id, String code, String reason, byte @Nullable [] subject) {
        counts.add(Count.ERRORS);
        String about = subject == null ? "" : " (" + new String(subject, StandardCharsets.UTF_8) + ")";
        String sentence = "the server answered " + code + ": " + reason;
        fleet.surprises().add(sentence);
        if (current().answersOpen != 0) {
            fleet.failed(sentence + about);
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
    public void onConnected(long id, String session, String node, long pingMillis, int maxMessage) {}

    @Override
    public void onUnsubscribed(long id, byte[] subject) {}

    @Override
    public void onPublished(long id, long epoch, long seq) {}

    void ended(Subscriber subscriber, Ending ending) {
        if (subscriber.answersOpen != 0) {
            ramp.ended(subscriber.client - firstClient, ending);
            return;
        }
        standing--;
        if (!finishing) {
            counts.add(Count.DISCONNECTIONS);
            fleet.surprises().add("connection ended: " + ending.sentence());
        }
    }

    @Override
    public FleetState state() {
        return new FleetState(ready, standing, 0);
    }

    @Override
    public Figures figures() {
        return figures;
    }

    @Override
    public void measure(boolean on) {
        measuring = on;
    }

    @Override
    public void finish() {
        finishing = true;
        for (Subscriber subscriber : subscribers) {
            if (subscriber.connection != null) {
                subscriber.connection.finish();
            }
        }
    }

    long expected(long[] messagesOfSubject) {
        long sum = 0;
        for (Subscriber subscriber : subscribers) {
            for (int subject : subscriber.subjects) {
                sum += messagesOfSubject[subject];
            }
        }
        return sum;
    }

    long missing(long[] messagesOfSubject) {
        long sum = 0;
        for (Subscriber subscriber : subscribers) {
            for (int slot = 0; slot < subscriber.subjects.length; slot++) {
                long came = subscriber.check == null ? 0 : subscriber.check.distinctMessages(slot);
                sum += Math.max(0, messagesOfSubject[subscriber.subjects[slot]] - came);
            }
        }
        return sum;
    }

    private Subscriber current() {
        if (current == null) {
            throw new IllegalStateException("an event outside a read");
        }
        return current;
    }
}
