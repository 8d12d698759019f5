package io.belfry.server.workgroup;

import io.belfry.protocol.Code;
import io.belfry.protocol.CommandDecoder;
import io.belfry.protocol.CommandHandler;
import io.belfry.protocol.ConnectRequest;
import io.belfry.protocol.HistoryRemoval;
import io.belfry.protocol.JsonCommands;
import io.belfry.protocol.PublishRequest;
import io.belfry.protocol.SubscribeRequest;
import io.belfry.server.config.MessageConfig;
import io.belfry.server.counter.Counter;
import io.belfry.server.entitlement.Decision;
import io.belfry.server.entitlement.Principal;
import io.belfry.server.event.EventMessage;
import io.belfry.server.session.Session;
import io.belfry.server.subject.SubjectKey;
import io.belfry.server.turn.Turn;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Publishes the JSON objects of one request of the server API, in their order, and gathers the outcome of each. A lane decodes and
 * publishes them in slices, so that its clients do not wait; it pauses while a home is behind. Owner: the lane's loop, except for
 * the factories, {@link #start}, {@link #abandon} and {@link #outcomes}.
 */
public final class PublishBatch extends ServerSession {
    /** Number of objects between two looks at the clock. */
    private static final int OBJECTS_PER_LOOK = 16;

    /** The rights of the session. The server API has checked its key before. */
    private static final Principal SERVER = new Principal() {
        @Override
        public Decision maySubscribe(byte[] subject, long nowMillis) {
            return new Decision.Denied(Code.SUBSCRIBE_DENIED, "the session only publishes");
        }

        @Override
        public Decision mayPublish(byte[] subject, int length, long nowMillis) {
            return Decision.ALLOWED;
        }
    };

    /**
     * The outcome of one publish. Immutable.
     *
     * @param subject subject of the message; null in a batch, and if it is unknown
     * @param code why nothing was published; null for an accepted message
     * @param reason sentence about the code
     */
    public record Outcome(
            @Nullable String subject,
            long epoch,
            long seq,
            @Nullable Code code,
            @Nullable String reason) {}

    /** Outcomes in the order of the publishes. {@code whole} is the fault of the request as a whole, or null. */
    public record Outcomes(
            List<Outcome> each,
            @Nullable Code whole,
            @Nullable String reason) {}

    private final Lane lane;
    private final ByteBuf body;
    private final int[] bounds;
    private final CommandDecoder decoder;
    private final Reader reader;
    private final boolean named;

    /** Whether a caller wrote the messages, whose headers then count; the server's own headers do not. */
    private final boolean ofCaller;

    private final SubjectKey key;
    private final CompletableFuture<Outcomes> done = new CompletableFuture<>();
    private final int objects;
    private @Nullable Outcome[] results;
    private int expected;
    private int answered;
    private int next;
    private int pauses;
    private boolean planned;
    private boolean abandoned;
    private @Nullable Code whole;
    private @Nullable String wholeReason;
    private @Nullable Session session;

    /** Reads a subject, and passes on the message that removes its earlier ones. */
    private static final class RemovalDecoder implements CommandDecoder {
        private final PublishRequest request = new PublishRequest();

        @Override
        public void decode(ByteBuf frame, int offset, int length, CommandHandler handler) {
            ByteBuf message = Unpooled.buffer(length + HistoryRemoval.HEADERS_LENGTH);
            message.writeBytes(frame, offset, length);
            HistoryRemoval.writeHeaders(message);
            handler.onPublish(request.start(CommandHandler.NO_ID, message, true)
                    .subject(0, length)
                    .data(length, 0)
                    .headers(length, HistoryRemoval.HEADERS_LENGTH));
        }
    }

    /** Reads the length of a msgId, the msgId and the data of a message to one of the server's subjects. */
    private static final class OwnSubjectDecoder implements CommandDecoder {
        private final byte[] subject;
        private final PublishRequest request = new PublishRequest();

        OwnSubjectDecoder(byte[] subject) {
            this.subject = subject;
        }

        @Override
        public void decode(ByteBuf frame, int offset, int length, CommandHandler handler) {
            int msgId = frame.getByte(offset);
            ByteBuf message = Unpooled.buffer(subject.length + length);
            message.writeBytes(subject).writeBytes(frame, offset + 1, length - 1);
            handler.onPublish(request.start(CommandHandler.NO_ID, message, false)
                    .subject(0, subject.length)
                    .msgId(subject.length, msgId)
                    .data(subject.length + msgId, length - 1 - msgId));
        }
    }

    private PublishBatch(
            Lane lane, byte[] body, int[] bounds, CommandDecoder decoder, boolean broadcast, boolean named) {
        this.lane = lane;
        this.body = Unpooled.wrappedBuffer(body);
        this.bounds = bounds;
        objects = bounds.length / 2;
        this.named = named;
        this.decoder = decoder;
        ofCaller = decoder instanceof JsonCommands;
        reader = new Reader(broadcast);
        key = new SubjectKey(lane.seed());
        expected = broadcast ? 0 : objects;
        results = new Outcome[expected];
    }

    /** Returns the publish of one object. */
    public static PublishBatch one(Lane lane, byte[] body) {
        return new PublishBatch(lane, body, new int[] {0, body.length}, JsonCommands.ofPublishes(), false, true);
    }

    /**
     * Returns the publishes of several lines.
     *
     * @param bounds begin and end of each line
     */
    public static PublishBatch lines(Lane lane, byte[] body, int[] bounds) {
        return new PublishBatch(lane, body, bounds, JsonCommands.ofPublishes(), false, false);
    }

    /** Returns the publishes of one object to several subjects. */
    public static PublishBatch broadcast(Lane lane, byte[] body) {
        return new PublishBatch(lane, body, new int[] {0, body.length}, JsonCommands.ofBroadcasts(), true, true);
    }

    /** Returns the removal of the messages of a subject, which is a publish too. The subject is valid and plain. */
    public static PublishBatch removal(Lane lane, byte[] subject) {
        return new PublishBatch(lane, subject, new int[] {0, subject.length}, new RemovalDecoder(), false, true);
    }

    /** Returns the publishes of messages to one of the server's own subjects; a message is not published twice. */
    static PublishBatch toOwnSubject(Lane lane, byte[] subject, List<EventMessage> messages) {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        int[] bounds = new int[2 * messages.size()];
        for (int i = 0; i < messages.size(); i++) {
            byte[] msgId = messages.get(i).id().getBytes(StandardCharsets.UTF_8);
            bounds[2 * i] = body.size();
            body.write(msgId.length);
            body.writeBytes(msgId);
            body.writeBytes(messages.get(i).data());
            bounds[2 * i + 1] = body.size();
        }
        return new PublishBatch(lane, body.toByteArray(), bounds, new OwnSubjectDecoder(subject), false, false);
    }

    /** Begins to publish. Any thread. */
    public void start() {
        lane.parts().turn.later(this::begin);
    }

    /** Returns the outcomes, when all are known. Any thread. */
    public CompletableFuture<Outcomes> outcomes() {
        return done;
    }

    /** Ends the batch: messages not handed over yet are not published, and the outcome of those under way is unknown. Any thread. */
    public void abandon() {
        lane.parts().turn.later(() -> {
            abandoned = true;
            end();
        });
    }

    private void begin() {
        if (!done.isDone()) {
            session = lane.open(this, null, SERVER);
            slice();
        }
    }

    private void slice() {
        planned = false;
        long endNanos = lane.parts().turn.clockNanos() + Turn.SLICE_NANOS;
        while (next < objects && pauses == 0 && !abandoned) {
            int begin = bounds[2 * next];
            reader.line = next;
            decoder.decode(body, begin, bounds[2 * next + 1] - begin, reader);
            next++;
            if (next % OBJECTS_PER_LOOK == 0 && lane.parts().turn.clockNanos() - endNanos >= 0) {
                break;
            }
        }
        if (next < objects) {
            plan();
        } else {
            endIfComplete();
        }
    }

    private void plan() {
        if (!planned && pauses == 0 && !abandoned) {
            planned = true;
            lane.parts().turn.next(this::slice);
        }
    }

    @Override
    public void pauseReading() {
        pauses++;
    }

    @Override
    public void resumeReading() {
        pauses--;
        if (next < objects && session != null) {
            plan();
        }
    }

    /** Receives the decoded objects. */
    private final class Reader implements CommandHandler {
        private final boolean broadcast;
        private int line;

        Reader(boolean broadcast) {
            this.broadcast = broadcast;
        }

        private int index(long id) {
            return broadcast ? (int) id : line;
        }

        @Override
        public void onPublish(PublishRequest request) {
            int index = index(request.id());
            lane.counters().increment(Counter.PUBLISHES_IN);
            MessageConfig messages = lane.config().messages();
            expect(index);
            if (named) {
                results[index] = new Outcome(subjectOf(request), 0, 0, null, null);
            }
            int bytes = ofCaller ? request.contentLength() : request.dataLength();
            if (bytes > messages.maxMessageSize()) {
                refuse(
                        index,
                        Code.MESSAGE_TOO_LARGE,
                        bytes + " bytes exceed MaxMessageSize, " + messages.maxMessageSize());
            } else if (ofCaller
                    && request.headersLength() > 0
                    && !messages.headers().admit(request)) {
                refuse(index, Code.BAD_HEADERS, messages.headers().rule());
            } else {
                key.set(request.buffer(), request.subjectOffset(), request.subjectLength());
                lane.parts().publisher.publish(opened(), key, request.answerAs(index));
            }
        }

        @Override
        public void onBadCommand(long id, Code code, String reason) {
            lane.counters().increment(Counter.PUBLISHES_IN);
            if (broadcast && id == NO_ID) {
                lane.counters().increment(Counter.PUBLISHES_REFUSED);
                lane.counters().refused(code);
                whole = code;
                wholeReason = reason;
                return;
            }
            expect(index(id));
            refuse(index(id), code, reason);
        }

        @Override
        public void onConnect(long id, ConnectRequest request) {
            throw new IllegalStateException("the decoder has publishes only");
        }

        @Override
        public void onSubscribe(long id, SubscribeRequest request) {
            throw new IllegalStateException("the decoder has publishes only");
        }

        @Override
        public void onUnsubscribe(long id, List<byte[]> subjects) {
            throw new IllegalStateException("the decoder has publishes only");
        }

        @Override
        public void onPing(long id) {
            throw new IllegalStateException("the decoder has publishes only");
        }

        @Override
        public void onWatch(long id, byte[] subject) {
            throw new IllegalStateException("the decoder has publishes only");
        }

        @Override
        public void onUnwatch(long id, byte[] subject) {
            throw new IllegalStateException("the decoder has publishes only");
        }
    }

    private Session opened() {
        return Objects.requireNonNull(session);
    }

    private static String subjectOf(PublishRequest request) {
        return request.buffer().toString(request.subjectOffset(), request.subjectLength(), StandardCharsets.UTF_8);
    }

    /** Makes room for the outcomes of a broadcast, whose number is known when its last subject is decoded. */
    private void expect(int index) {
        expected = Math.max(expected, index + 1);
        if (index >= results.length) {
            results = Arrays.copyOf(results, Math.max(16, index * 2));
        }
    }

    private void refuse(int index, Code code, String reason) {
        lane.counters().increment(Counter.PUBLISHES_REFUSED);
        lane.counters().refused(code);
        set(index, 0, 0, code, reason);
    }

    private void set(int index, long epoch, long seq, @Nullable Code code, @Nullable String reason) {
        Outcome before = results[index];
        results[index] = new Outcome(before == null ? null : before.subject(), epoch, seq, code, reason);
        answered++;
    }

    @Override
    public void published(Session to, long id, long epoch, long seq) {
        set((int) id, epoch, seq, null, null);
        endIfComplete();
    }

    @Override
    public void error(Session to, long id, Code code, String reason, byte @Nullable [] name, long afterMillis) {
        set((int) id, 0, 0, code, reason);
        endIfComplete();
    }

    private void endIfComplete() {
        if (next == objects && answered == expected) {
            end();
        }
    }

    private void end() {
        if (done.isDone()) {
            return;
        }
        Session ended = session;
        session = null;
        if (ended != null) {
            lane.close(ended, Code.CLIENT_CLOSED, "");
        }
        List<Outcome> all = new ArrayList<>(expected);
        for (int i = 0; i < expected; i++) {
            Outcome result = results[i];
            if (result == null || (result.seq() == 0 && result.code() == null)) {
                boolean handedOver = i < next || expected != objects;
                all.add(unknown(
                        result,
                        handedOver ? Code.PUBLISH_UNKNOWN : Code.OVERLOADED,
                        handedOver
                                ? Code.PUBLISH_UNKNOWN.sentence()
                                : "not published, because the call took too long"));
            } else {
                all.add(result);
            }
        }
        done.complete(new Outcomes(all, whole, wholeReason));
    }

    /** Called when the server closes the session, because it drains or stops. */
    @Override
    public void close(Code code, String reason) {
        if (session != null) {
            session = null;
            abandoned = true;
            end();
        }
    }

    private static Outcome unknown(@Nullable Outcome before, Code code, String reason) {
        return new Outcome(before == null ? null : before.subject(), 0, 0, code, reason);
    }
}
