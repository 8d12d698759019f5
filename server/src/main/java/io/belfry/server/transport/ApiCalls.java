package io.belfry.server.transport;

import io.belfry.protocol.Code;
import io.belfry.protocol.CommandHandler;
import io.belfry.protocol.JsonEncoding;
import io.belfry.protocol.JsonText;
import io.belfry.protocol.MessageType;
import io.belfry.protocol.MessageView;
import io.belfry.protocol.Position;
import io.belfry.protocol.PublishRequest;
import io.belfry.protocol.Recovery;
import io.belfry.protocol.Subjects;
import io.belfry.server.codec.HttpMethod;
import io.belfry.server.codec.HttpRequest;
import io.belfry.server.codec.Refusal;
import io.belfry.server.counter.Counter;
import io.belfry.server.entitlement.Decision;
import io.belfry.server.entitlement.Principal;
import io.belfry.server.session.Replies;
import io.belfry.server.session.Session;
import io.belfry.server.session.Terms;
import io.belfry.server.workgroup.Lane;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Executes the publish, history and poll requests of a plain HTTP connection, one at a time. Its session lives as
 * long as the connection. Owner: the loop.
 */
final class ApiCalls implements Replies {
    private static final long COMMAND_ID = 1;
    private static final int ANSWER_BYTES_MAX = 16 << 20;

    /**
     * Largest answer of a poll that can be continued. On a network that breaks connections a short answer is more likely
     * to arrive, and each one that arrives moves the client forward.
     */
    private static final int POLL_BYTES_MAX = 64 << 10;

    private static final int HISTORY_DEFAULT = 100;

    /** Retry delay sent with {@code overloaded}; within this time, clients that read have received their answers. */
    static final int ROOM_MILLIS = 1000;

    private static final byte[] MESSAGES = ascii("\"messages\":[");
    private static final byte[] TRUNCATED = ascii(",\"truncated\":true");
    private static final byte[] STALE = ascii(",\"stale\":true");

    /** The principal of the session before the first request; it has no rights. */
    private static final Principal NOBODY = new Principal() {
        private static final Decision NO = new Decision.Denied(Code.UNAUTHORIZED, "no request is active");

        @Override
        public Decision maySubscribe(byte[] subject, long nowMillis) {
            return NO;
        }

        @Override
        public Decision mayPublish(byte[] subject, int length, long nowMillis) {
            return NO;
        }
    };

    private enum Call {
        NONE,
        PUBLISH,
        HISTORY,
        POLL
    }

    private final HttpConnection http;
    private final Connection connection;
    private final PollTimer timer;
    private final JsonEncoding json = new JsonEncoding();
    private @Nullable Session session;
    private Call call = Call.NONE;
    private List<byte[]> subjects = List.of();
    private @Nullable ByteBuf messages;

    /** The position from which the next poll of a single subject continues. */
    private @Nullable Position reached;

    private int count;
    private int bytesMax;
    private boolean truncated;

    /** Whether data read by this session may be stale; the next answers report it. */
    private boolean stale;

    /** Bytes of the current answer that are charged to the loop's answer limit. */
    private int heldBytes;

    ApiCalls(HttpConnection http, Connection connection) {
        this.http = http;
        this.connection = connection;
        this.timer = new PollTimer(connection, this::finishPoll);
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private Lane lane() {
        return connection.context().lane();
    }

    /** Sets the principal of the next request; returns this object. */
    ApiCalls as(Principal principal) {
        if (session == null) {
            session = lane().open(connection, null, NOBODY);
            connection.session(session);
        }
        // Not set through the lane, because the lane would close the connection when the token of one request expires.
        session.principal(principal);
        return this;
    }

    private Session session() {
        return java.util.Objects.requireNonNull(session);
    }

    // ---- requests ----

    void publish(HttpRequest request, ByteBuf data) {
        subjects = StreamRequest.subjectsOf(request);
        byte[] id = msgIdOf(request);
        call = Call.PUBLISH;
        byte[] subject = subjects.getFirst();
        ByteBuf whole = connection.newBuffer();
        whole.writeBytes(subject).writeBytes(id).writeBytes(data, data.readerIndex(), data.readableBytes());
        String retain = request.query().first("retain");
        PublishRequest publish = new PublishRequest()
                .start(COMMAND_ID, whole, retain != null && !retain.equals("false"))
                .subject(0, subject.length)
                .msgId(subject.length, id.length)
                .data(subject.length + id.length, data.readableBytes());
        execute(publish);
        whole.release();
    }

    private void execute(PublishRequest publish) {
        CallTrace trace = http.trace();
        if (trace == null) {
            lane().commands(session()).onPublish(publish);
            return;
        }
        lane().trace(trace.context());
        try {
            lane().commands(session()).onPublish(publish);
        } finally {
            lane().trace(null);
        }
    }

    private static byte[] msgIdOf(HttpRequest request) {
        String msgId = request.query().first("msgId");
        return msgId == null ? new byte[0] : msgId.getBytes(StandardCharsets.UTF_8);
    }

    /** Returns why the request head already forbids this publication, or null. */
    @Nullable
    Refusal refusal(HttpRequest request) {
        List<byte[]> named = StreamRequest.subjectsOf(request);
        if (named.size() != 1) {
            return Refusal.of(Code.BAD_REQUEST, "the parameter subject must be given exactly once");
        }
        if (msgIdOf(request).length > PublishRequest.MSG_ID_MAX_BYTES) {
            return Refusal.of(Code.BAD_REQUEST, "msgId exceeds " + PublishRequest.MSG_ID_MAX_BYTES + " bytes");
        }
        byte[] subject = named.getFirst();
        String problem = Subjects.problem(subject, 0, subject.length, false);
        if (problem != null) {
            return Refusal.of(Subjects.code(problem), problem);
        }
        long now = lane().routing().nowMillis();
        if (session().principal().mayPublish(subject, subject.length, now) instanceof Decision.Denied denied) {
            lane().counters().increment(Counter.PUBLISHES_IN);
            lane().counters().increment(Counter.PUBLISHES_REFUSED);
            return Refusal.of(denied.code(), denied.reason());
        }
        return null;
    }

    void history(HttpRequest request, Principal principal) {
        subjects = StreamRequest.subjectsOf(request);
        String fromText = request.query().first("from");
        Position from = fromText == null ? null : Position.parse(fromText);
        int wanted = StreamRequest.number(request.query().first("count"), HISTORY_DEFAULT);
        if (subjects.size() != 1) {
            http.refuse(Code.BAD_REQUEST, "the parameter subject must be given exactly once");
        } else if (fromText != null && from == null) {
            http.refuse(Code.BAD_POSITION, "from must be a position epoch:seq, not " + fromText);
        } else if (wanted < 0) {
            http.refuse(Code.BAD_REQUEST, "count must be a whole number from 0");
        } else if (mayRead(principal, subjects, "history requires a subject without wildcards")
                && !answeredHead(request)
                && hasRoom()) {
            as(principal).collect(Call.HISTORY, ANSWER_BYTES_MAX);
            lane().routing().subscribe(session(), COMMAND_ID, subjects.getFirst(), new Terms(from, wanted, 0, false));
        }
    }

    void poll(HttpRequest request, Principal principal) {
        subjects = StreamRequest.subjectsOf(request);
        String fromText = request.query().first("from");
        Position from = fromText == null ? null : Position.parse(fromText);
        int wait = PollTimer.waitMillis(request.query().first("wait"));
        if (fromText != null && (from == null || subjects.size() != 1)) {
            http.refuse(Code.BAD_POSITION, "from must be one position epoch:seq, and needs exactly one subject");
        } else if (wait < 0) {
            http.refuse(Code.BAD_REQUEST, "wait must be a time up to 60s, such as 25s or 500ms");
        } else if (mayRead(principal, subjects, from == null ? null : "from requires a subject without wildcards")
                && !answeredHead(request)
                && hasRoom()) {
            as(principal).collect(Call.POLL, from == null ? ANSWER_BYTES_MAX : POLL_BYTES_MAX);
            connection.probeWhileSilent();
            reached = from;
            timer.begin(subjects.size(), Math.min(wait, untilExpiry()));
            for (byte[] subject : subjects) {
                if (call == Call.POLL) {
                    lane().routing().subscribe(session(), COMMAND_ID, subject, new Terms(from, 0, 0, true));
                }
            }
        }
    }

    /** Answers a HEAD request, without a session and without waiting; returns whether the request was HEAD. */
    private boolean answeredHead(HttpRequest request) {
        boolean head = request.method() == HttpMethod.HEAD;
        if (head) {
            http.answerJsonHead();
        }
        return head;
    }

    /** Returns the time in ms until the token expires, which bounds the wait of a poll. */
    private long untilExpiry() {
        return Math.max(
                0, session().principal().expiresMillis() - lane().routing().nowMillis());
    }

    boolean isPolling() {
        return call == Call.POLL;
    }

    /**
     * Checks the subjects and the read permissions, and refuses the request if one fails. {@code whyPlain} is the
     * reason for refusing patterns; null if patterns are allowed.
     */
    private boolean mayRead(Principal principal, List<byte[]> wanted, @Nullable String whyPlain) {
        String problem = StreamRequest.problemOf(wanted);
        if (problem != null) {
            http.refuse(StreamRequest.codeOf(wanted, problem), problem);
            return false;
        }
        for (byte[] subject : wanted) {
            if (whyPlain != null && Subjects.isPattern(subject)) {
                http.refuse(Code.WILDCARD_NOT_ALLOWED, whyPlain);
                return false;
            }
            if (principal.maySubscribe(subject, lane().routing().nowMillis()) instanceof Decision.Denied denied) {
                http.refuse(denied.code(), denied.reason());
                return false;
            }
        }
        return true;
    }

    private boolean hasRoom() {
        boolean room = connection.context().hasRoomForAnswer(heldBytes);
        if (!room) {
            http.refuse(Code.OVERLOADED, "unsent answers of other clients use up Limit.AnswerBytes", ROOM_MILLIS);
        }
        return room;
    }

    private void holds(int bytes) {
        connection.context().holdsAnswer(bytes, heldBytes);
        heldBytes = bytes;
    }

    /** Called when the client has received the complete answer. */
    void onTaken() {
        holds(0);
    }

    private void collect(Call next, int answerBytesMax) {
        call = next;
        count = 0;
        bytesMax = answerBytesMax;
        truncated = false;
        reached = null;
        messages = connection.newBuffer();
    }

    // ---- replies of the lane ----

    @Override
    public void published(Session to, long id, long epoch, long seq) {
        if (call != Call.PUBLISH) {
            return;
        }
        call = Call.NONE;
        ByteBuf out = connection.newBuffer();
        out.writeByte('{');
        writePosition(out, epoch, seq);
        out.writeByte('}');
        http.answerJson(out);
        out.release();
    }

    @Override
    public void message(Session to, MessageView message) {
        if (messages == null || (call == Call.POLL && message.type() == MessageType.SNAPSHOT)) {
            return;
        }
        // Once true, it stays true: a message after an omitted one would hide the gap.
        truncated |= isFull(messages);
        if (truncated) {
            finishPollSoon();
            return;
        }
        next();
        json.message(messages, message);
        holds(messages.readableBytes());
        lane().counters().increment(Counter.MESSAGES_OUT);
        if (message.type() != MessageType.SNAPSHOT) {
            reached = new Position(message.epoch(), message.seq());
        }
        finishPollSoon();
    }

    private boolean isFull(ByteBuf collected) {
        return collected.readableBytes() > bytesMax
                || (count > 0 && !connection.context().hasRoomForAnswer(heldBytes));
    }

    @Override
    public void gap(Session to, byte[] subject, @Nullable Position from, Position at, Code reason) {
        if (messages == null || truncated) {
            return;
        }
        reached = at;
        next();
        json.gap(messages, subject, from, at, reason);
        finishPollSoon();
    }

    private void next() {
        if (count++ > 0 && messages != null) {
            messages.writeByte(',');
        }
    }

    @Override
    public void subscribed(
            Session to, long id, byte[] subject, @Nullable Position at, Recovery recovery, int conflateMillis) {
        if (at != null && recovery == Recovery.NONE) {
            reached = at;
        }
        if (Subjects.isPattern(subject)) {
            timer.answered();
            finishPollSoon();
        }
    }

    @Override
    public void caughtUp(Session to, byte[] subject) {
        if (call == Call.HISTORY) {
            finishHistory();
        } else {
            timer.answered();
            finishPollSoon();
        }
    }

    private void finishHistory() {
        ByteBuf out = connection.newBuffer();
        out.writeBytes(ascii("{\"subject\":"));
        JsonText.string(out, subjects.getFirst());
        out.writeByte(',');
        answer(out);
    }

    private void finishPollSoon() {
        if (call == Call.POLL) {
            timer.endSoon(count > 0, truncated);
        }
    }

    private void finishPoll() {
        if (call != Call.POLL) {
            return;
        }
        timer.cancel();
        leave();
        ByteBuf out = connection.newBuffer();
        out.writeByte('{');
        if (subjects.size() == 1 && reached != null) {
            writePosition(out, reached.epoch(), reached.seq());
            out.writeByte(',');
        }
        answer(out);
    }

    /** Writes the members subject, epoch and seq: the position of the publication, or where the next poll continues. */
    private void writePosition(ByteBuf out, long epoch, long seq) {
        out.writeBytes(ascii("\"subject\":"));
        JsonText.string(out, subjects.getFirst());
        out.writeBytes(ascii(",\"epoch\":"));
        JsonText.number(out, epoch);
        out.writeBytes(ascii(",\"seq\":"));
        JsonText.number(out, seq);
    }

    private void leave() {
        for (byte[] subject : subjects) {
            lane().routing().unsubscribe(session(), CommandHandler.NO_ID, subject);
        }
    }

    private void answer(ByteBuf out) {
        ByteBuf collected = java.util.Objects.requireNonNull(messages);
        out.writeBytes(MESSAGES).writeBytes(collected).writeByte(']');
        if (truncated) {
            out.writeBytes(TRUNCATED);
        }
        if (stale) {
            out.writeBytes(STALE);
        }
        out.writeByte('}');
        call = Call.NONE;
        releaseMessages();
        holds(out.readableBytes());
        http.answerJson(out);
        out.release();
    }

    @Override
    public void error(Session to, long id, Code code, String reason, byte @Nullable [] subject, long afterMillis) {
        if (call == Call.NONE || id != COMMAND_ID) {
            return;
        }
        boolean polling = call == Call.POLL;
        call = Call.NONE;
        timer.cancel();
        releaseMessages();
        holds(0);
        if (polling) {
            leave();
        }
        if (afterMillis > 0) {
            http.refuse(code, reason, afterMillis);
        } else {
            http.refuse(code, reason);
        }
    }

    private void releaseMessages() {
        if (messages != null) {
            messages.release();
            messages = null;
        }
    }

    /** Ends the session when the connection changes to another protocol. */
    void end() {
        if (session != null) {
            Session ended = session;
            connection.session(null);
            lane().onGone(ended, Code.CLIENT_CLOSED);
        }
        release();
    }

    void release() {
        call = Call.NONE;
        timer.cancel();
        releaseMessages();
        holds(0);
    }

    // ---- replies that plain requests never get ----

    @Override
    public void connected(Session to, long id, int pingMillis) {
        // No request causes this reply.
    }

    @Override
    public void unsubscribed(Session to, long id, byte[] subject) {
        // No request causes this reply.
    }

    @Override
    public void pong(Session to, long id) {
        // No request causes this reply.
    }

    @Override
    public void ended(Session to, byte[] subject, Code reason) {
        // The token of a request is checked once, when the request arrives.
    }

    @Override
    public void watchEnded(Session to, byte[] subject, Code reason) {
        // No request causes this reply.
    }

    @Override
    public void tokenToExpire(Session to, long afterMillis) {
        // Every request has its own token.
    }

    @Override
    public void stale(Session to, boolean now) {
        stale = now;
    }

    @Override
    public void reconnect(Session to, long afterMillis, Code reason) {
        // The end of the answer reports it.
    }

    @Override
    public void watched(Session to, long id, byte[] subject, boolean subscribers) {
        // No request causes this reply.
    }

    @Override
    public void unwatched(Session to, long id, byte[] subject) {
        // No request causes this reply.
    }

    @Override
    public void interest(Session to, byte[] subject, boolean subscribers) {
        // No request causes this reply.
    }
}
