package io.belfry.integration;

import io.belfry.protocol.ClientEncoding;
import io.belfry.protocol.ConnectRequest;
import io.belfry.protocol.ConnectedEvent;
import io.belfry.protocol.MessageHeaders;
import io.belfry.protocol.MessageView;
import io.belfry.protocol.Position;
import io.belfry.protocol.PublishTerms;
import io.belfry.protocol.Recovery;
import io.belfry.protocol.ServerEventDecoder;
import io.belfry.protocol.ServerEventHandler;
import io.belfry.protocol.SubscribeRequest;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A WebSocket session in either encoding with one call at a time. Owner: the test's thread. */
public final class TestClient implements AutoCloseable, ServerEventHandler {
    /** Close code for a connection that ended without a close frame; no server can send this code. */
    static final int CUT = 1006;

    private static final long RELOAD_PING = Long.MAX_VALUE >> 20;
    private static final int PASSED_OVER_MAX = 100_000;

    private final SocketFrames frames;
    private final WireEncoding encoding;
    private final ClientEncoding commands;
    private final ServerEventDecoder decoder;
    private final Queue<Event> received = new ArrayDeque<>();
    private final List<Boolean> staleNotices = new CopyOnWriteArrayList<>();
    private long lastId;

    private TestClient(SocketFrames frames, WireEncoding encoding) {
        this.frames = frames;
        this.encoding = encoding;
        commands = encoding.client();
        decoder = encoding.events();
    }

    public static TestClient open(TestServer server, WireEncoding encoding, String... headers) {
        return over(RawConnection.to(server.port()), encoding, headers);
    }

    static TestClient over(RawConnection connection, WireEncoding encoding, String... headers) {
        List<String> all = new ArrayList<>(List.of(headers));
        all.add(encoding.header());
        return new TestClient(SocketFrames.open(connection, "/", all.toArray(String[]::new)), encoding);
    }

    SocketFrames frames() {
        return frames;
    }

    // ---- commands ----

    long connect(@Nullable String token) {
        send(out -> commands.connect(out, ++lastId, new ConnectRequest(token, 0)));
        return lastId;
    }

    /** Sends a connect with this name of the client. */
    void connectAs(String name) {
        send(out -> commands.connect(out, ++lastId, new ConnectRequest(null, 0, null, name)));
    }

    /** Sends a connect that requests a ping interval, and waits for the answer. */
    public Event.Connected requestPing(long millis) {
        send(out -> commands.connect(out, ++lastId, new ConnectRequest(null, millis)));
        return expect(Event.Connected.class);
    }

    long ask(SubscribeRequest request) {
        send(out -> commands.subscribe(out, ++lastId, request));
        return lastId;
    }

    long ask(String subject) {
        return ask(new SubscribeRequest(List.of(bytes(subject)), null, 0, 0));
    }

    long askFrom(String subject, Position from) {
        return ask(new SubscribeRequest(List.of(bytes(subject)), from, 0, 0));
    }

    /** Subscribes and waits for the confirmation. */
    Event.Subscribed subscribe(String subject) {
        ask(subject);
        return expect(Event.Subscribed.class);
    }

    Event.Subscribed resume(String subject, Position from) {
        askFrom(subject, from);
        return expect(Event.Subscribed.class);
    }

    Event.Unsubscribed unsubscribe(String subject) {
        send(out -> commands.unsubscribe(out, ++lastId, List.of(bytes(subject))));
        return expect(Event.Unsubscribed.class);
    }

    long send(String subject, String data) {
        send(publication(++lastId, subject, data));
        return lastId;
    }

    /** Publishes and waits for the position. */
    public Position publish(String subject, String data) {
        send(subject, data);
        return expect(Event.Published.class).at();
    }

    Position retain(String subject, String data, @Nullable String msgId) {
        send(++lastId, subject, data, true, msgId);
        return expect(Event.Published.class).at();
    }

    /** Publishes under an id of the caller and does not wait. */
    public void send(long id, String subject, String data, boolean retain, @Nullable String msgId) {
        send(id, subject, data, PublishTerms.of(retain, msgId));
    }

    void send(long id, String subject, String data, PublishTerms terms) {
        ByteBuf text = Unpooled.wrappedBuffer(bytes(data));
        send(out -> commands.publish(out, id, bytes(subject), text, terms));
    }

    /** Publishes with headers and waits for the position. */
    Position publish(String subject, String data, PublishTerms terms) {
        send(++lastId, subject, data, terms);
        return expect(Event.Published.class).at();
    }

    void ping(long id) {
        send(out -> commands.ping(out, id));
    }

    /**
     * Waits until the session's loop has applied a reload: the reload is a task of the loop, and a loop that has answered
     * a ping runs its tasks before it reads again.
     */
    void awaitReload() {
        ping(RELOAD_PING);
        expect(Event.Pong.class);
    }

    long watch(String subject) {
        send(out -> commands.watch(out, ++lastId, bytes(subject)));
        return lastId;
    }

    /** Returns the frame of a publish, for callers that send many at once. */
    byte[] publicationFrame(long id, String subject, String data) {
        return SocketFrames.frame(encoding.opcode(), payload(publication(id, subject, data)));
    }

    private Consumer<ByteBuf> publication(long id, String subject, String data) {
        return out -> commands.publish(out, id, bytes(subject), Unpooled.wrappedBuffer(bytes(data)));
    }

    /** Sends a payload, which need not be a valid command, in a frame of this encoding. */
    void sendRaw(byte[] payload) {
        frames.send(encoding.opcode(), payload);
    }

    private void send(Consumer<ByteBuf> command) {
        sendRaw(payload(command));
    }

    private static byte[] payload(Consumer<ByteBuf> command) {
        ByteBuf out = Unpooled.buffer();
        command.accept(out);
        byte[] payload = new byte[out.readableBytes()];
        out.readBytes(payload);
        return payload;
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    // ---- events ----

    /** Returns the stale notices received so far. The methods that wait for other events skip these notices. */
    List<Boolean> staleNotices() {
        return staleNotices;
    }

    /** Returns the next event, or the close of the session. */
    public Event next() {
        while (received.isEmpty()) {
            SocketFrames.Frame frame = frames.next();
            if (frame.opcode() == SocketFrames.CLOSE) {
                return new Event.Closed(frame.closeCode(), frame.closeReason());
            }
            ByteBuf payload = Unpooled.wrappedBuffer(frame.payload());
            decoder.decode(payload, 0, payload.readableBytes(), this);
        }
        return received.remove();
    }

    /** Returns the next event, which must be of this kind. */
    <E extends Event> E expect(Class<E> kind) {
        Event event = next();
        if (!kind.isInstance(event)) {
            throw new AssertionError("expected " + kind.getSimpleName() + ", not " + event);
        }
        return kind.cast(event);
    }

    /** Returns the next event of this kind and skips other events. */
    <E extends Event> E await(Class<E> kind) {
        for (int i = 0; i < PASSED_OVER_MAX; i++) {
            Event event = next();
            if (kind.isInstance(event)) {
                return kind.cast(event);
            }
            if (event instanceof Event.Closed) {
                throw new AssertionError("closed before " + kind.getSimpleName() + ": " + event);
            }
        }
        throw new AssertionError("no " + kind.getSimpleName());
    }

    /**
     * Reads all remaining input and returns the close code, or {@link #CUT}. A server resets a client that ignores its
     * close.
     */
    int end() {
        for (int i = 0; i < PASSED_OVER_MAX; i++) {
            try {
                if (next() instanceof Event.Closed closed) {
                    return closed.code();
                }
            } catch (RawConnection.Ended cut) {
                return CUT;
            }
        }
        throw new AssertionError("the connection does not end");
    }

    /** Returns the data of the next messages; any other event in between fails the test. */
    List<String> data(int count) {
        List<String> data = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            data.add(expect(Event.Message.class).data());
        }
        return data;
    }

    @Override
    public void onMessage(MessageView message) {
        received.add(new Event.Message(
                text(message.subject(), message.subjectOffset(), message.subjectLength()),
                text(message.data(), message.dataOffset(), message.dataLength()),
                new Position(message.epoch(), message.seq()),
                message.prev(),
                message.type(),
                message.retained(),
                MessageHeaders.of(message)));
    }

    private static String text(ByteBuf bytes, int offset, int length) {
        return bytes.toString(offset, length, StandardCharsets.UTF_8);
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    @Override
    public void onConnected(long id, ConnectedEvent event) {
        received.add(new Event.Connected(id, event.session(), event.node(), event.pingMillis(), event.maxMessage()));
    }

    @Override
    public void onSubscribed(long id, byte[] subject, @Nullable Position at, Recovery recovery) {
        received.add(new Event.Subscribed(id, text(subject), at, recovery));
    }

    @Override
    public void onUnsubscribed(long id, byte[] subject) {
        received.add(new Event.Unsubscribed(id, text(subject)));
    }

    @Override
    public void onUnsubscribed(long id, byte[] subject, @Nullable String reason) {
        if (reason == null) {
            onUnsubscribed(id, subject);
        } else {
            received.add(new Event.Ended(text(subject), reason));
        }
    }

    @Override
    public void onTokenToExpire(long afterMillis) {
        received.add(new Event.TokenToExpire(afterMillis));
    }

    /** Recorded apart from other events, because a stale notice may arrive at any time. */
    @Override
    public void onStale(boolean stale) {
        staleNotices.add(stale);
    }

    @Override
    public void onPublished(long id, long epoch, long seq) {
        received.add(new Event.Published(id, new Position(epoch, seq)));
    }

    @Override
    public void onGap(byte[] subject, @Nullable Position from, Position to, String reason) {
        received.add(new Event.Gap(text(subject), from, to, reason));
    }

    @Override
    public void onError(long id, String code, String reason, byte @Nullable [] subject) {
        throw new AssertionError("decoders must pass the retry time");
    }

    @Override
    public void onError(long id, String code, String reason, byte @Nullable [] subject, long afterMillis) {
        received.add(new Event.Failed(id, code, reason, subject == null ? null : text(subject), afterMillis));
    }

    @Override
    public void onReconnect(long afterMillis, String reason) {
        received.add(new Event.Reconnect(afterMillis, reason));
    }

    @Override
    public void onPong(long id) {
        received.add(new Event.Pong(id));
    }

    @Override
    public void onInterest(byte[] subject, boolean subscribers) {
        received.add(new Event.Interest(text(subject), subscribers));
    }

    @Override
    public void onWatched(long id, byte[] subject, boolean subscribers) {
        received.add(new Event.Interest(text(subject), subscribers));
    }

    @Override
    public void onBadEvent(String reason) {
        throw new AssertionError("invalid event from the server: " + reason);
    }

    @Override
    public void close() {
        frames.close();
    }
}
