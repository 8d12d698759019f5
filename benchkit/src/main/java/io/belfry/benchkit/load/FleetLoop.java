package io.belfry.benchkit.load;

import io.belfry.benchkit.measure.ClockOffset;
import io.belfry.benchkit.measure.Count;
import io.belfry.benchkit.measure.Counts;
import io.belfry.benchkit.measure.Figures;
import io.belfry.client.connection.ClientLoop;
import io.belfry.client.connection.ConnectionListener;
import io.belfry.client.connection.Ending;
import io.belfry.client.connection.Route;
import io.belfry.client.connection.ServerConnection;
import io.belfry.protocol.ClientEncoding;
import io.belfry.protocol.Position;
import io.belfry.protocol.ServerEventDecoder;
import io.belfry.protocol.ServerEventHandler;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The clients of a fleet that live on one loop: opens them along the ramp, decodes the events of their server, counts the
 * unexpected ones, and closes the connections. Owner: the loop.
 */
abstract sealed class FleetLoop<C extends LoadClient> implements ServerEventHandler
        permits SubscriberLoop, PublisherLoop {
    /** Interval of the loop lag measurement: rare enough to cost nothing, frequent enough for percentiles per report. */
    private static final long LAG_INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    final Fleet<?> fleet;
    final ClientLoop loop;
    final LoadTarget target;
    /** The figures since the last {@link #exchangeFigures}, and their counts. */
    Figures figures = new Figures();

    Counts counts = figures.counts();
    final List<C> clients;
    final ClientEncoding encoding;
    final ByteBuf command = Unpooled.buffer(1024);
    /** False during the warm-up: latencies are then not recorded. */
    boolean measuring = true;
    /** The time at which the bytes of the current event were read. */
    long readNanos;

    private final ServerEventDecoder[] decoders;
    private final ConnectRamp ramp;
    private @Nullable C current;
    private long lagDueNanos;
    private int standing;
    private boolean finishing;

    FleetLoop(Fleet<?> fleet, ClientLoop loop, int count) {
        this.fleet = fleet;
        this.loop = loop;
        this.target = fleet.target;
        this.clients = new ArrayList<>(count);
        this.encoding = target.webSocketEncoding();
        this.decoders = target.decoders();
        double perSecond = target.connectRate() * count / fleet.clients();
        ConnectRamp.Schedule schedule = new ConnectRamp.Schedule(count, perSecond, ConnectRamp.UNANSWERED_MAX);
        this.ramp = new ConnectRamp(this, schedule);
    }

    /** Makes the client of an index, not yet connected. */
    abstract C make(int index, long begunNanos);

    /** Begins the work of a client whose connection is open. */
    abstract void opened(C client, ServerConnection connection);

    /** Handles an HTTP response, which belongs to the oldest request of its connection. */
    void answered(C client, int status, ByteBuf body) {}

    /** Called when sockets may have become writable. */
    void writable() {}

    /** The server and the request that a client connects with. */
    abstract Route route(C client);

    /** Updates the offset of this process's clock to the server's. */
    abstract void clock(ClockOffset offset);

    /** Number of events still to arrive before the run can end; see {@link Fleet.FleetState}. */
    abstract long awaited();

    /** Handles the unexpected end of a client that was ready. */
    abstract void broken(C client, Ending ending);

    /** Handles an error of the server; a client that is not ready, or not permitted, makes the run fail. */
    abstract void refused(C client, String code, String sentence);

    /** Schedules another attempt for a client that did not become ready; returns false if the failure ends the run. */
    boolean retries(C client, Ending ending) {
        return false;
    }

    void begin() {
        lagDueNanos = System.nanoTime() + LAG_INTERVAL_NANOS;
        loop.runAfter(LAG_INTERVAL_NANOS, this::measureLag);
        ramp.start();
    }

    /** A message may have waited in its socket as long as the loop is late, so the lag bounds the generator's own part. */
    private void measureLag() {
        long now = System.nanoTime();
        figures.loopLags().record(now - lagDueNanos);
        if (!finishing) {
            lagDueNanos = now + LAG_INTERVAL_NANOS;
            loop.runAfter(LAG_INTERVAL_NANOS, this::measureLag);
        }
    }

    /** Connects the client of an index; {@code again}: it was connected before, so the ramp does not wait for it. */
    void connect(int index, boolean again) {
        C client = make(index, loop.clock().getAsLong());
        client.again = again;
        if (index < clients.size()) {
            clients.set(index, client);
        } else {
            clients.add(client);
        }
        loop.connect(route(client), eventsOf(client));
    }

    /** Passes the events of a client's connection to this loop. */
    private ConnectionListener eventsOf(C client) {
        return new ConnectionListener() {
            @Override
            public void onOpen(ServerConnection connection) {
                client.connection = connection;
                opened(client, connection);
            }

            @Override
            public void onMessage(
                    ServerConnection from, ByteBuf bytes, int offset, int length, boolean binary, long nanos) {
                current = client;
                readNanos = nanos;
                decoders[target.serverIndex(client.index)].decode(bytes, offset, length, FleetLoop.this);
                current = null;
            }

            @Override
            public void onAnswer(ServerConnection from, int status, ByteBuf body) {
                answered(client, status, body);
            }

            @Override
            public void onReadEnd(ServerConnection from, int bytes) {
                counts.add(Count.BYTES_READ, bytes);
                writable();
            }

            @Override
            public void onWritable(ServerConnection from, boolean writable) {
                writable();
            }

            @Override
            public void onEnd(Ending ending) {
                ended(client, ending);
            }
        };
    }

    /** Replaces a client whose connection has ended by a new one of the same index. */
    void connectAgain(C ended) {
        if (!finishing) {
            connect(ended.index, ended.again || ended.ready);
        }
    }

    /** Records the time to connect; called when the server has answered all that the client needs for its work. */
    void ready(C client, long nowNanos) {
        client.ready = true;
        standing++;
        figures.connects().record(nowNanos - client.begunNanos);
        counts.add(Count.CONNECTS);
        if (!client.again && ramp.ready()) {
            fleet.loopReady();
        }
    }

    /** Called for the end of every connection. */
    void ended(C client, Ending ending) {
        client.connection = null;
        standing -= client.ready ? 1 : 0;
        if (finishing) {
            return;
        }
        if (client.ready) {
            broken(client, ending);
        } else if (!retries(client, ending)) {
            ramp.ended(client.index, ending);
        }
    }

    void forEachOpen(Predicate<C> wanted, Consumer<ServerConnection> action) {
        for (C client : clients) {
            if (wanted.test(client) && client.connection != null) {
                action.accept(client.connection);
            }
        }
    }

    /** Returns the figures so far and continues with {@code empty}. */
    Figures exchangeFigures(Figures empty) {
        Figures taken = figures;
        figures = empty;
        counts = empty.counts();
        return taken;
    }

    Fleet.FleetState state() {
        return new Fleet.FleetState(ramp.ready, standing, awaited());
    }

    /** Closes every connection in order. */
    void finish() {
        finishing = true;
        ramp.stop();
        forEachOpen(client -> true, ServerConnection::finish);
    }

    /** The client whose bytes are being decoded. */
    final C current() {
        if (current == null) {
            throw new IllegalStateException("an event outside a read");
        }
        return current;
    }

    @Override
    public void onError(long id, String code, String reason, byte @Nullable [] subject) {
        counts.add(Count.ERRORS);
        String sentence = "the server answered " + code + ": " + reason;
        fleet.incidents().add(sentence);
        String about = subject == null ? "" : " (" + new String(subject, StandardCharsets.UTF_8) + ")";
        refused(current(), code, sentence + about);
    }

    @Override
    public void onReconnect(long afterMillis, String reason) {
        counts.add(Count.RECONNECT_NOTICES);
        fleet.incidents().add("the server asked clients to reconnect: " + reason);
    }

    @Override
    public void onBadEvent(String reason) {
        counts.add(Count.ERRORS);
        fleet.incidents().add("the server sent an invalid event: " + reason);
    }

    @Override
    public void onGap(byte[] subject, @Nullable Position from, Position to, String reason) {
        counts.add(Count.GAPS_ANNOUNCED);
        fleet.incidents().add("the server announced a gap: " + reason);
    }
}
