package io.belfry.benchkit.load;

import io.belfry.benchkit.measure.ClockOffset;
import io.belfry.benchkit.measure.ClockSync;
import io.belfry.client.connection.ClientLoop;
import io.belfry.client.connection.Connection;
import io.belfry.client.connection.ConnectionListener;
import io.belfry.client.connection.Ending;
import io.belfry.protocol.ClientEncoding;
import io.belfry.protocol.MessageView;
import io.belfry.protocol.Position;
import io.belfry.protocol.Recovery;
import io.belfry.protocol.ServerEncoding;
import io.belfry.protocol.ServerEventDecoder;
import io.belfry.protocol.ServerEventHandler;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Asks the first server what time it is, on a connection of its own: some thirty times at once, then every second. Where
 * that fails nothing is known of the clock, and that is all: why a server cannot be reached, the clients tell. Owner: the
 * loop.
 */
final class ClockProbe implements ConnectionListener, ServerEventHandler {
    private static final int FIRST_EXCHANGES = 32;
    private static final long BETWEEN_FIRST_NANOS = TimeUnit.MILLISECONDS.toNanos(3);
    private static final long BETWEEN_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final ClientLoop loop;
    private final Target target;
    private final ClockSync sync;
    private final Consumer<ClockOffset> heard;
    private final Runnable firstDone;
    private final ClientEncoding encoding;
    private final ServerEventDecoder decoder;
    private final ByteBuf command = Unpooled.buffer(64);
    private @Nullable Connection connection;
    private int exchanges;
    private long sentNanos;
    private long readNanos;
    private boolean finished;

    /** {@code heard} gets each new estimate; {@code firstDone} runs once, whether there is one or not. */
    ClockProbe(ClientLoop loop, Target target, int machine, Consumer<ClockOffset> heard, Runnable firstDone) {
        this.loop = loop;
        this.target = target;
        this.sync = new ClockSync(machine);
        this.heard = heard;
        this.firstDone = firstDone;
        this.encoding = target.webSocketEncoding();
        this.decoder = target.webSocketDecoder();
    }

    void begin() {
        loop.connect(target.asking(), this);
    }

    private void ask() {
        if (connection != null) {
            encoding.ping(command.clear(), exchanges);
            sentNanos = loop.clock().getAsLong();
            connection.send(command, target.webSocketBinary());
        }
    }

    @Override
    public void onOpen(Connection opened) {
        connection = opened;
        if (finished) {
            opened.finish();
        } else {
            ask();
        }
    }

    @Override
    public void onMessage(Connection from, ByteBuf bytes, int offset, int length, boolean binary, long nanos) {
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
            heard.accept(sync.at(readNanos));
            firstDone.run();
        }
        loop.runAfter(exchanges < FIRST_EXCHANGES ? BETWEEN_FIRST_NANOS : BETWEEN_NANOS, this::ask);
    }

    @Override
    public void onEnd(Ending ending) {
        connection = null;
        firstDone.run();
    }

    void finish() {
        finished = true;
        if (connection != null) {
            connection.finish();
        }
    }

    @Override
    public void onMessage(MessageView message) {}

    @Override
    public void onConnected(long id, String session, String node, long pingMillis, int maxMessage) {}

    @Override
    public void onSubscribed(long id, byte[] subject, @Nullable Position at, Recovery recovery) {}

    @Override
    public void onUnsubscribed(long id, byte[] subject) {}

    @Override
    public void onPublished(long id, long epoch, long seq) {}

    @Override
    public void onGap(byte[] subject, @Nullable Position from, Position to, String reason) {}

    @Override
    public void onError(long id, String code, String reason, byte @Nullable [] subject) {
        finish();
    }

    @Override
    public void onReconnect(long afterMillis, String reason) {}

    @Override
    public void onBadEvent(String reason) {
        finish();
    }
}
