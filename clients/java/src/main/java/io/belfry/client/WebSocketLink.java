package io.belfry.client;

import io.belfry.client.connection.ClientLoop;
import io.belfry.client.connection.ConnectionListener;
import io.belfry.client.connection.Ending;
import io.belfry.client.connection.Route;
import io.belfry.client.connection.ServerConnection;
import io.belfry.protocol.ClientEncoding;
import io.belfry.protocol.ConnectRequest;
import io.belfry.protocol.KeptSession;
import io.belfry.protocol.ServerEventDecoder;
import io.belfry.protocol.SubscribeRequest;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A link over one WebSocket. Owner: the client's loop. */
final class WebSocketLink extends ConnectionLink implements ConnectionListener {
    /** Ids of commands whose events need no lookup by id; publishes use ids from 1. */
    private static final long SUBSCRIBE = -2;

    private static final long PING = -4;

    private static final int SUBJECTS_PER_COMMAND = 256;

    private final boolean binary;
    private final long pingMillis;
    private final @Nullable String clientName;
    private final ClientEncoding commands;
    private final ServerEventDecoder events;
    private final ByteBuf command = Unpooled.buffer(256);

    /** Whether the subscriptions depend on the answer to the request to continue a session. */
    private boolean awaitsSession;

    /** {@code pingMillis} is the ping interval to request from the server, or 0 for none. */
    WebSocketLink(ClientLoop loop, Route route, ClientOptions.Wire wire, long pingMillis, Owner owner) {
        super(loop, route, owner);
        this.binary = wire.encoding() == Encoding.BINARY;
        this.pingMillis = pingMillis;
        this.clientName = wire.clientName();
        this.commands = wire.encoding().commands();
        this.events = wire.encoding().events();
    }

    @Override
    public void open() {
        connection = loop.connect(route, this);
    }

    @Override
    public void onOpen(ServerConnection opened) {
        connection = opened;
        KeptSession session = owner.keptSession();
        commands.connect(command.clear(), CONNECT, new ConnectRequest(null, pingMillis, session, clientName));
        append();
        awaitsSession = session != null && !session.id().isEmpty();
        if (awaitsSession) {
            flush();
        } else {
            requestAll();
        }
    }

    @Override
    public void onSession(boolean continues) {
        if (awaitsSession) {
            awaitsSession = false;
            if (continues) {
                owner.onLinkOpen();
            } else {
                requestAll();
            }
        }
    }

    @Override
    public void keepSession() {
        keepsSession = true;
    }

    private void requestAll() {
        List<byte[]> live = new ArrayList<>();
        for (WantedSubscription wanted : owner.wantedSubscriptions()) {
            // Keeps the order, and combines consecutive live subscriptions into one command.
            if (!live.isEmpty() && (!wanted.isPlainLive() || live.size() == SUBJECTS_PER_COMMAND)) {
                request(new SubscribeRequest(live, null, 0, 0));
                live = new ArrayList<>();
            }
            if (wanted.isPlainLive()) {
                live.add(wanted.subject());
            } else {
                subscribe(wanted);
            }
        }
        if (!live.isEmpty()) {
            request(new SubscribeRequest(live, null, 0, 0));
        }
        flush();
        owner.onLinkOpen();
    }

    @Override
    public void subscribe(WantedSubscription wanted) {
        request(new SubscribeRequest(
                List.of(wanted.subject()),
                wanted.from(),
                wanted.patternFrom(),
                wanted.history(),
                wanted.conflateMillis(),
                wanted.deltas()));
    }

    private void request(SubscribeRequest request) {
        commands.subscribe(command.clear(), SUBSCRIBE, request);
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
    public boolean answersUnsubscribe() {
        return true;
    }

    @Override
    public void watch(byte[] subject) {
        commands.watch(command.clear(), WATCH, subject);
        append();
    }

    @Override
    public void unwatch(byte[] subject) {
        commands.unwatch(command.clear(), WATCH, subject);
        append();
    }

    @Override
    public boolean publish(Publish publish) {
        if (!isWritable()) {
            return false;
        }
        commands.publish(
                command.clear(),
                publish.id(),
                publish.subject(),
                Unpooled.wrappedBuffer(publish.data()),
                publish.terms());
        append();
        if (pending != null && pending.readableBytes() > 64 << 10) {
            flush();
        }
        return true;
    }

    private void append() {
        append(command, binary);
    }

    @Override
    public void renew(String token) {
        commands.connect(command.clear(), CONNECT, new ConnectRequest(token, 0));
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
    public void pauseReading(boolean pause) {
        if (connection != null && pause) {
            connection.pauseReading();
        } else if (connection != null) {
            connection.resumeReading();
        }
    }

    @Override
    public void onMessage(
            ServerConnection from, ByteBuf bytes, int offset, int length, boolean isBinary, long readNanos) {
        lastReadNanos = readNanos;
        if (!over) {
            events.decode(bytes, offset, length, owner);
        }
    }

    @Override
    public void onReadEnd(ServerConnection from, int bytes) {
        lastReadNanos = loop.clock().getAsLong();
        flush();
    }

    @Override
    public void onWritable(ServerConnection from, boolean writable) {
        if (writable) {
            notifyWritable();
        }
    }

    @Override
    public void onEnd(Ending ending) {
        fail(ending);
    }
}
