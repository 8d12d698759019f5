package io.belfry.benchkit.load;

import io.belfry.benchkit.measure.ClockSync;
import io.belfry.client.connection.ClientLoop;
import io.belfry.client.connection.ConnectionListener;
import io.belfry.client.connection.Ending;
import io.belfry.client.connection.ServerConnection;
import io.belfry.protocol.ClientEncoding;
import io.belfry.protocol.ServerEncoding;
import io.belfry.protocol.ServerEventDecoder;
import io.belfry.protocol.ServerEventHandler;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Measures the offset to the first server's clock on a connection of its own: some thirty pings at once, then one every
 * second. If the connection fails, the offset stays unknown; the clients report why the server is unreachable. Owner: the
 * loop.
 */
final class ClockProbe implements ServerEventHandler, ConnectionListener {
    private static final int FIRST_EXCHANGES = 32;
    private static final long BETWEEN_FIRST_NANOS = TimeUnit.MILLISECONDS.toNanos(3);
    private static final long BETWEEN_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Fleet<?> fleet;
    private final ClientLoop loop;
    private final LoadTarget target;
    private final ClockSync sync;
    private final ClientEncoding encoding;
    private final ServerEventDecoder decoder;
    private final ByteBuf command = Unpooled.buffer(64);
    private @Nullable ServerConnection connection;
    private int exchanges;
    private long sentNanos;
    private long readNanos;
    private boolean finished;

    /** {@code fleet} receives each new estimate, on {@code loop}. */
    ClockProbe(Fleet<?> fleet, ClientLoop loop, int machine) {
        this.fleet = fleet;
        this.loop = loop;
        this.target = fleet.target;
        this.sync = new ClockSync(machine);
        this.encoding = target.webSocketEncoding();
        this.decoder = target.webSocketDecoder();
    }

    void begin() {
        loop.connect(target.probing(), this);
    }

    private void ping() {
        if (connection != null) {
            encoding.ping(command.clear(), exchanges);
            sentNanos = loop.clock().getAsLong();
            connection.send(command, target.webSocketBinary());
        }
    }

    @Override
    public void onOpen(ServerConnection opened) {
        connection = opened;
        if (finished) {
            opened.finish();
        } else {
            ping();
        }
    }

    @Override
    public void onMessage(ServerConnection from, ByteBuf bytes, int offset, int length, boolean binary, long nanos) {
        readNanos = nanos;
        decoder.decode(bytes, offset, length, this);
    }

    @Override
    public void onPong(long id, long clockMicros) {
        if (clockMicros == ServerEncoding.NO_CLOCK) {
            finish();
            return;
        }
        sync.exchanged(sentNanos, clockMicros, readNanos);
        exchanges++;
        if (exchanges >= FIRST_EXCHANGES) {
            fleet.setClock(sync.at(readNanos));
            fleet.clockCompared().complete(null);
        }
        loop.runAfter(exchanges < FIRST_EXCHANGES ? BETWEEN_FIRST_NANOS : BETWEEN_NANOS, this::ping);
    }

    @Override
    public void onError(long id, String code, String reason, byte @Nullable [] subject) {
        finish();
    }

    @Override
    public void onBadEvent(String reason) {
        finish();
    }

    @Override
    public void onEnd(Ending ending) {
        connection = null;
        fleet.clockCompared().complete(null);
    }

    void finish() {
        finished = true;
        if (connection != null) {
            connection.finish();
        }
    }
}
