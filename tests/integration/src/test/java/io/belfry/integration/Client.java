package io.belfry.integration;

import io.belfry.protocol.ClientEncoding;
import io.belfry.protocol.MessageView;
import io.belfry.protocol.Position;
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

/** A WebSocket session in either encoding, one call at a time. Owner: the test's thread. */
final class Client implements AutoCloseable, ServerEventHandler {
    /** What stands for a connection that ended without a close frame; no server can send it. */
    static final int CUT = 1006;

    private static final int PASSED_OVER_MAX = 100_000;

    private final Frames frames;
    private final Encoding encoding;
    private final ClientEncoding commands;
    private final ServerEventDecoder decoder;
    private final Queue<Event> heard = new ArrayDeque<>();
    private final List<Boolean> staleNotices = new CopyOnWriteArrayList<>();
    private long lastId;

    private Client(Frames frames, Encoding encoding) {
        this.frames = frames;
        this.encoding = encoding;
        commands = encoding.client();
        decoder = encoding.events();
    }

    static Client open(ServerProcess server, Encoding encoding, String... headers) {
        return over(RawConnection.to(server.port()), encoding, headers);
    }

    static Client over(RawConnection connection, Encoding encoding, String... headers) {
        List<String> all = new ArrayList<>(List.of(headers));
        all.add(encoding.header());
        return new Client(Frames.open(connection, "/", all.toArray(String[]::new)), encoding);
    }

    Frames frames() {
        return frames;
    }

    // ---- what it says ----

    long connect(@Nullable String token) {
        send(out -> commands.connect(out, ++lastId, token));
        return lastId;
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

    /** Subscribes and waits until it is. */
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
    Position publish(String subject, String data) {
        send(subject, data);
        return expect(Event.Published.class).at();
    }

    Position retain(String subject, String data, @Nullable String msgId) {
        send(++lastId, subject, data, true, msgId);
        return expect(Event.Published.class).at();
    }

    /** Publishes under an id of the caller's, and waits for nothing. */
    void send(long id, String subject, String data, boolean retain, @Nullable String msgId) {
        ByteBuf text = Unpooled.copiedBuffer(data, StandardCharsets.UTF_8);
        send(out -> commands.publish(out, id, bytes(subject), text, retain, msgId));
    }

    void ping(long id) {
        send(out -> commands.ping(out, id));
    }

    long watch(String subject) {
        send(out -> commands.watch(out, ++lastId, bytes(subject)));
        return lastId;
    }

    /** The frame of a publish, for those who send many at once. */
    byte[] publicationFrame(long id, String subject, String data) {
        return Frames.frame(encoding.opcode(), payload(publication(id, subject, data)));
    }

    private Consumer<ByteBuf> publication(long id, String subject, String data) {
        return out -> commands.publish(out, id, bytes(subject), Unpooled.copiedBuffer(data, StandardCharsets.UTF_8));
    }

    /** Sends a payload that may be no command at all, in a frame of this encoding. */
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

    // ---- what it hears ----

    /** What it was told so far of its node being stale; nobody who waits for anything else hears of that. */
    List<Boolean> staleNotices() {
        return staleNotices;
    }

    /** The next event, or how the session was closed. */
    Event next() {
        while (heard.isEmpty()) {
            Frames.Frame frame = frames.next();
            if (frame.opcode() == Frames.CLOSE) {
                return new Event.Closed(frame.closeCode(), frame.closeReason());
            }
            ByteBuf payload = Unpooled.wrappedBuffer(frame.payload());
            decoder.decode(payload, 0, payload.readableBytes(), this);
        }
        return heard.remove();
    }

    /** The next event, which must be of this kind. */
    <E extends Event> E expect(Class<E> kind) {
        Event event = next();
        if (!kind.isInstance(event)) {
            throw new AssertionError("expected " + kind.getSimpleName() + ", not " + event);
        }
        return kind.cast(event);
    }

    /** The next event of this kind, whatever comes before it. */
    <E extends Event> E await(Class<E> kind) {
        for (int i = 0; i < PASSED_OVER_MAX; i++) {
            Event event = next();
            if (kind.isInstance(event)) {
                return kind.cast(event);
            }
            if (event instanceof Event.Closed) {
                throw new AssertionError("closed before a " + kind.getSimpleName() + " came: " + event);
            }
        }
        throw new AssertionError("no " + kind.getSimpleName());
    }

    /** The close code after whatever is still to be read, or {@link #CUT}. A server cuts who does not read its close. */
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
        throw new AssertionError("it does not end");
    }

    /** The data of the next messages; nothing else may come between. */
    List<String> data(int count) {
        List<String> data = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            data.add(expect(Event.Message.class).data());
        }
        return data;
    }

    @Override
    public void onMessage(MessageView message) {
        heard.add(new Event.Message(
                text(message.subject(), message.subjectOffset(), message.subjectLength()),
                text(message.data(), message.dataOffset(), message.dataLength()),
                new Position(message.epoch(), message.seq()),
                message.prev(),
                message.type(),
                message.retained()));
    }

    private static String text(ByteBuf bytes, int offset, int length) {
        return bytes.toString(offset, length, StandardCharsets.UTF_8);
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    @Override
    public void onConnected(long id, String session, String node, long pingMillis, int maxMessage) {
        heard.add(new Event.Connected(id, session, node, pingMillis, maxMessage));
    }

    @Override
    public void onSubscribed(long id, byte[] subject, @Nullable Position at, Recovery recovery) {
        heard.add(new Event.Subscribed(id, text(subject), at, recovery));
    }

    @Override
    public void onUnsubscribed(long id, byte[] subject) {
        heard.add(new Event.Unsubscribed(id, text(subject)));
    }

    @Override
    public void onUnsubscribed(long id, byte[] subject, @Nullable String reason) {
        if (reason == null) {
            onUnsubscribed(id, subject);
        } else {
            heard.add(new Event.Ended(text(subject), reason));
        }
    }

    @Override
    public void onTokenToExpire(long afterMillis) {
        heard.add(new Event.TokenToExpire(afterMillis));
    }

    /** Beside the others: it comes when it comes. */
    @Override
    public void onStale(boolean stale) {
        staleNotices.add(stale);
    }

    @Override
    public void onPublished(long id, long epoch, long seq) {
        heard.add(new Event.Published(id, new Position(epoch, seq)));
    }

    @Override
    public void onGap(byte[] subject, @Nullable Position from, Position to, String reason) {
        heard.add(new Event.Gap(text(subject), from, to, reason));
    }

    @Override
    public void onError(long id, String code, String reason, byte @Nullable [] subject) {
        throw new AssertionError("the decoders tell of after");
    }

    @Override
    public void onError(long id, String code, String reason, byte @Nullable [] subject, long afterMillis) {
        heard.add(new Event.Failed(id, code, reason, subject == null ? null : text(subject), afterMillis));
    }

    @Override
    public void onReconnect(long afterMillis, String reason) {
        heard.add(new Event.Reconnect(afterMillis, reason));
    }

    @Override
    public void onPong(long id) {
        heard.add(new Event.Pong(id));
    }

    @Override
    public void onInterest(byte[] subject, boolean subscribers) {
        heard.add(new Event.Interest(text(subject), subscribers));
    }

    @Override
    public void onWatched(long id, byte[] subject, boolean subscribers) {
        heard.add(new Event.Interest(text(subject), subscribers));
    }

    @Override
    public void onBadEvent(String reason) {
        throw new AssertionError("the server sent what is no event: " + reason);
    }

    @Override
    public void close() {
        frames.close();
    }
}
