package io.belfry.server.workgroup;

import io.belfry.protocol.BinaryClientEncoding;
import io.belfry.protocol.BinaryCommands;
import io.belfry.protocol.ClientEncoding;
import io.belfry.protocol.Code;
import io.belfry.protocol.CommandDecoder;
import io.belfry.protocol.CommandHandler;
import io.belfry.protocol.ConnectRequest;
import io.belfry.protocol.JsonClientEncoding;
import io.belfry.protocol.JsonCommands;
import io.belfry.protocol.PatternPosition;
import io.belfry.protocol.Position;
import io.belfry.protocol.PublishRequest;
import io.belfry.protocol.PublishTerms;
import io.belfry.protocol.SubscribeRequest;
import io.belfry.protocol.WireFormat;
import io.belfry.server.entitlement.Decision;
import io.belfry.server.entitlement.Principal;
import io.belfry.server.session.Session;
import io.belfry.server.session.Terms;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** A client of one lane; its commands pass through the real encoders and decoders. Owner: the test's thread. */
final class LaneClient {
    final Lane lane;
    final RecordingOutbound socket;
    final Session session;
    private final ManualLoop loop;
    private final ClientEncoding encoding;
    private final CommandDecoder decoder;
    private final Deque<ByteBuf> unsent = new ArrayDeque<>();
    private long lastId;

    /** Whether subscriptions ask for deltas. */
    boolean deltas;

    /** Connects a client; {@code format} null creates a session with an encoding of its own. */
    LaneClient(Lane lane, ManualLoop loop, @Nullable WireFormat format, Principal principal, boolean loopback) {
        this.lane = lane;
        this.loop = loop;
        socket = new RecordingOutbound(lane, loopback);
        boolean binary = format != null && format.binary();
        encoding = binary ? new BinaryClientEncoding() : new JsonClientEncoding();
        decoder = binary ? new BinaryCommands() : new JsonCommands();
        Session[] opened = new Session[1];
        loop.in(() -> opened[0] = lane.open(socket, format, principal));
        session = opened[0];
        socket.session(session, format == null ? new OwnReplies(lane) : null);
    }

    /** Lets time pass while the client answers each ping at once. */
    void answerPings(Lanes lanes, int millis) {
        onEachPing(lanes, millis, () -> lane.onHeard(session));
    }

    /** Lets time pass while the client's system acknowledges each ping at once, and nothing else arrives from it. */
    void acknowledgePings(Lanes lanes, int millis) {
        long[] acknowledgedAt = {lanes.clock.millis()};
        socket.acknowledged = silentMillis -> (int) (lanes.clock.millis() - acknowledgedAt[0]);
        onEachPing(lanes, millis, () -> acknowledgedAt[0] = lanes.clock.millis());
    }

    private void onEachPing(Lanes lanes, int millis, Runnable action) {
        for (int passed = 0; passed < millis; passed += 100) {
            int pings = socket.pings;
            lanes.pass(100);
            if (socket.pings > pings) {
                action.run();
            }
        }
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static List<byte[]> utf8(String... texts) {
        return Arrays.stream(texts).map(LaneClient::utf8).toList();
    }

    long subscribe(String... subjects) {
        return subscribe(new SubscribeRequest(utf8(subjects), null, 0, 0));
    }

    long resume(String subject, long epoch, long seq) {
        return subscribe(new SubscribeRequest(utf8(new String[] {subject}), new Position(epoch, seq), 0, 0));
    }

    long resumePattern(String pattern, String position) {
        PatternPosition from = java.util.Objects.requireNonNull(PatternPosition.parse(position));
        return subscribe(new SubscribeRequest(utf8(new String[] {pattern}), null, from, 0, 0));
    }

    long subscribeWithHistory(String subject, int history) {
        return subscribe(new SubscribeRequest(utf8(new String[] {subject}), null, history, 0));
    }

    long subscribeWithHistory(int history, String... subjects) {
        return subscribe(new SubscribeRequest(utf8(subjects), null, history, 0));
    }

    long conflate(String subject, int millis) {
        return subscribe(new SubscribeRequest(utf8(new String[] {subject}), null, 0, millis));
    }

    long subscribe(SubscribeRequest request) {
        ByteBuf frame = Unpooled.buffer();
        SubscribeRequest asked = new SubscribeRequest(
                request.subjects(),
                request.from(),
                request.patternFrom(),
                request.history(),
                request.conflateMillis(),
                deltas);
        encoding.subscribe(frame, ++lastId, asked);
        return send(frame);
    }

    long unsubscribe(String... subjects) {
        ByteBuf frame = Unpooled.buffer();
        encoding.unsubscribe(frame, ++lastId, utf8(subjects));
        return send(frame);
    }

    long publish(String subject, String data) {
        return publish(subject, data, false, null);
    }

    long publish(String subject, String data, boolean retain, @Nullable String msgId) {
        ByteBuf frame = Unpooled.buffer();
        encoding.publish(frame, ++lastId, utf8(subject), Unpooled.wrappedBuffer(utf8(data)), retain, msgId);
        return send(frame);
    }

    long publish(String subject, byte[] data) {
        ByteBuf frame = Unpooled.buffer();
        encoding.publish(frame, ++lastId, utf8(subject), Unpooled.wrappedBuffer(data), false, null);
        return send(frame);
    }

    long publish(String subject, String data, PublishTerms terms) {
        ByteBuf frame = Unpooled.buffer();
        encoding.publish(frame, ++lastId, utf8(subject), Unpooled.wrappedBuffer(utf8(data)), terms);
        return send(frame);
    }

    /** Announces the subject of a publish, as HTTP does before it reads the body. */
    Decision announce(String subject) {
        Decision[] decided = new Decision[1];
        loop.in(() -> decided[0] = lane.commands(session).mayPublish(utf8(subject)));
        return decided[0];
    }

    /** Sends the data of a publish that was announced and permitted. */
    long publishAnnounced(String subject, String data) {
        byte[] name = utf8(subject);
        byte[] content = utf8(data);
        ByteBuf whole = Unpooled.wrappedBuffer(name, content);
        PublishRequest request = new PublishRequest()
                .start(++lastId, whole, false)
                .subject(0, name.length)
                .msgId(name.length, 0)
                .data(name.length, content.length);
        loop.in(() -> lane.commands(session).onPermittedPublish(request));
        return lastId;
    }

    long watch(String subject) {
        ByteBuf frame = Unpooled.buffer();
        encoding.watch(frame, ++lastId, utf8(subject));
        return send(frame);
    }

    void watchWithoutId(String subject) {
        ByteBuf frame = Unpooled.buffer();
        encoding.watch(frame, CommandHandler.NO_ID, utf8(subject));
        send(frame);
    }

    long unwatch(String subject) {
        ByteBuf frame = Unpooled.buffer();
        encoding.unwatch(frame, ++lastId, utf8(subject));
        return send(frame);
    }

    long connect(@Nullable String token) {
        return request(new ConnectRequest(token, 0));
    }

    long request(ConnectRequest request) {
        ByteBuf frame = Unpooled.buffer();
        encoding.connect(frame, ++lastId, request);
        return send(frame);
    }

    /** Sends a connect that requests a ping interval. */
    long requestPing(long millis) {
        return request(new ConnectRequest(null, millis));
    }

    long ping() {
        ByteBuf frame = Unpooled.buffer();
        encoding.ping(frame, ++lastId);
        return send(frame);
    }

    /** Reads the history of a subject without following it, as plain HTTP does. */
    void read(String subject, @Nullable Position from, int history) {
        loop.in(() -> lane.routing().subscribe(session, 1, utf8(subject), new Terms(from, history, 0, false)));
    }

    private long send(ByteBuf frame) {
        unsent.add(frame);
        sendPending();
        return lastId;
    }

    /** Sends the commands that the server did not read while the connection was paused. */
    void sendPending() {
        while (!unsent.isEmpty() && !session.isClosed() && !socket.isPaused()) {
            ByteBuf frame = unsent.remove();
            loop.in(() -> {
                lane.onHeard(session);
                decoder.decode(frame, 0, frame.readableBytes(), lane.commands(session));
            });
        }
    }

    void stall() {
        socket.stallAfter(0);
    }

    /** Lets the client read this many more bytes; the loop notices the free room. */
    void takeMore(long bytes) {
        socket.free(bytes);
        loop.in(socket::onWritable);
    }

    void takeAll() {
        takeMore(Long.MAX_VALUE);
    }

    /** Breaks the connection without a close. */
    void vanish() {
        if (!session.isClosed()) {
            loop.in(() -> lane.onGone(session, Code.CONNECTION_LOST));
            socket.closed = Code.CONNECTION_LOST;
        }
    }

    List<ReceivedEvent> received() {
        return socket.events.all;
    }

    List<ReceivedEvent> received(Predicate<ReceivedEvent> which) {
        return received().stream().filter(which).toList();
    }

    List<ReceivedEvent> messages(String subject) {
        return received(event -> event.is("message", subject));
    }

    /** Returns the headers of each message of all subjects. */
    List<Map<String, String>> headers() {
        return socket.events.headers;
    }

    List<Long> seqs(String subject) {
        return messages(subject).stream().map(ReceivedEvent::seq).toList();
    }

    List<String> data(String subject) {
        return messages(subject).stream().map(ReceivedEvent::data).toList();
    }

    /** Returns the event that answers a command. */
    ReceivedEvent answer(long id) {
        return received(event -> event.id() == id).getFirst();
    }

    List<String> ops() {
        return received().stream().map(ReceivedEvent::op).toList();
    }

    void clearReceived() {
        received().clear();
    }
}
