package io.belfry.client;

import io.belfry.client.connection.ClientLoop;
import io.belfry.client.connection.Connection;
import io.belfry.client.connection.ConnectionListener;
import io.belfry.client.connection.Ending;
import io.belfry.client.connection.Route;
import io.belfry.protocol.ClientEncoding;
import io.belfry.protocol.Position;
import io.belfry.protocol.ServerEventDecoder;
import io.belfry.protocol.SubscribeRequest;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Everything over one WebSocket. Owner: the client's loop. */
final class WebSocketLink implements Link, ConnectionListener {
    /** Ids of commands whose answers tell by themselves what they are about; publishes count from 1. */
    private static final long CONNECT = -1;

    private static final long SUBSCRIBE = -2;
    private static final long UNSUBSCRIBE = -3;
    private static final long PING = -4;

    private static final int SUBJECTS_PER_COMMAND = 256;

    private final ClientLoop loop;
    private final Route route;
    private final boolean binary;
    private final ClientEncoding commands;
    private final ServerEventDecoder events;
    private final Owner owner;
    private final ByteBuf command = Unpooled.buffer(256);
    private @Nullable Connection connection;
    private @Nullable ByteBuf frames;
    private boolean over;
    private long lastReadNanos;

    WebSocketLink(ClientLoop loop, Route route, Encoding encoding, Owner owner) {
        this.loop = loop;
        this.route = route;
        this.binary = encoding == Encoding.BINARY;
        this.commands = encoding.commands();
        this.events = encoding.events();
        this.owner = owner;
        this.lastReadNanos = loop.clock().getAsLong();
    }

    @Override
    public void open() {
        connection = loop.connect(route, this);
    }

    @Override
    public void onOpen(Connection opened) {
        connection = opened;
        commands.connect(command.clear(), CONNECT, null);
        append();
        List<byte[]> live = new ArrayList<>();
        for (Wish wish : owner.wishes()) {
            // In the order of the wishes, as many as go together.
            if (!live.isEmpty() && (!wish.isPlainLive() || live.size() == SUBJECTS_PER_COMMAND)) {
                subscribe(live, null, 0, 0);
                live = new ArrayList<>();
            }
            if (wish.isPlainLive()) {
                live.add(wish.subject());
            } else {
                subscribe(wish);
            }
        }
        if (!live.isEmpty()) {
            subscribe(live, null, 0, 0);
        }
        flush();
        owner.onLinkOpen();
    }

    @Override
    public void subscribe(Wish wish) {
        subscribe(List.of(wish.subject()), wish.from(), wish.history(), wish.conflateMillis());
    }

    private void subscribe(List<byte[]> subjects, @Nullable Position from, int history, int conflateMillis) {
        commands.subscribe(command.clear(), SUBSCRIBE, new SubscribeRequest(subjects, from, history, conflateMillis));
        append();
    }

    @Override
    public void unsubscribe(List<byte[]> subjects) {
        for (int from = 0; from < subjects.size(); from += SUBJECTS_PER_COMMAND) {
            List<byte[]> some = subjects.subList(from, Math.min(subjects.size(), from + SUBJECTS_PER_COMMAND));
            commands.unsubscribe(command.clear(), UNSUBSCRIBE, some);
            append();
        }
    }

    @Override
    public boolean publish(Publish publish) {
        if (connection == null || !connection.isOpen() || !connection.isWritable()) {
            return false;
        }
        commands.publish(
                command.clear(),
                publish.id(),
                publish.subject(),
                Unpooled.wrappedBuffer(publish.data()),
                publish.retain(),
                publish.msgId());
        append();
        if (frames != null && frames.readableBytes() > 64 << 10) {
            flush();
        }
        return true;
    }

    private void append() {
        if (connection == null || !connection.isOpen()) {
            return;
        }
        if (frames == null) {
            frames = connection.buffer();
        }
        connection.append(frames, command, binary);
    }

    @Override
    public void flush() {
        if (frames != null && connection != null) {
            ByteBuf all = frames;
            frames = null;
            connection.flush(all);
        }
    }

    @Override
    public void renew(String token) {
        commands.connect(command.clear(), CONNECT, token);
        append();
        flush();
    }

    @Override
    public void ping() {
        commands.ping(command.clear(), PING);
        append();
        flush();
    }

    @Override
    public boolean expectsReads() {
        return true;
    }

    @Override
    public long lastReadNanos() {
        return lastReadNanos;
    }

    @Override
    public void pauseReading(boolean pause) {
        if (connection != null && pause) {
            connection.pauseReading();
        } else if (connection != null) {
            connection.resumeReading();
        }
    }

    @Override
    public void onMessage(Connection from, ByteBuf bytes, int offset, int length, boolean isBinary, long readNanos) {
        lastReadNanos = readNanos;
        if (!over) {
            events.decode(bytes, offset, length, owner);
        }
    }

    @Override
    public void onReadEnd(Connection from, int bytes) {
        lastReadNanos = loop.clock().getAsLong();
        flush();
    }

    @Override
    public void onWritable(Connection from, boolean writable) {
        if (writable && !over) {
            owner.onLinkWritable();
        }
    }

    @Override
    public void onEnd(Ending ending) {
        fail(ending);
    }

    @Override
    public void fail(Ending ending) {
        if (!over) {
            finish();
            owner.onLinkEnd(ending);
        }
    }

    @Override
    public void finish() {
        if (!over) {
            over = true;
            if (frames != null) {
                frames.release();
                frames = null;
            }
            if (connection != null) {
                connection.finish();
            }
        }
    }
}
