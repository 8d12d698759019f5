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
import io.netty.util.concurrent.Future;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Publish, history and poll: the calls a plain HTTP connection can make, one at a time, with a session that lives as long
 * as the connection. Owner: the loop.
 */
final class ApiCalls implements Replies {
    private static final long COMMAND_ID = 1;
    private static final int ANSWER_BYTES_MAX = 16 << 20;
    private static final int HISTORY_DEFAULT = 100;

    /** Who reads at all has taken an answer by then. */
    static final int ROOM_MILLIS = 1000;

    private static final int WAIT_MILLIS_DEFAULT = 25_000;
    private static final int WAIT_MILLIS_MAX = 60_000;
    private static final Pattern DURATION = Pattern.compile("([0-9]{1,7})(ms|s|m|h)?");
    private static final byte[] MESSAGES = ascii("\"messages\":[");
    private static final byte[] TRUNCATED = ascii(",\"truncated\":true");
    private static final byte[] STALE = ascii(",\"stale\":true");

    /** Before the first call. */
    private static final Principal NOBODY = new Principal() {
        private static final Decision NO = new Decision.Denied(Code.UNAUTHORIZED, "nobody asked");

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
    private final JsonEncoding json = new JsonEncoding();
    private @Nullable Session session;
    private Call call = Call.NONE;
    private List<byte[]> subjects = List.of();
    private @Nullable ByteBuf messages;

    /** Where a poll of one subject goes on from. */
    private @Nullable Position reached;

    private int count;
    private int awaited;
    private boolean truncated;

    /** What is read here may be late: the next answers say so. */
    private boolean stale;

    /** Of the answer that is being made or taken, as the loop knows it. */
    private int heldBytes;

    private boolean finishing;
    private @Nullable Future<?> deadline;

    ApiCalls(HttpConnection http, Connection connection) {
        this.http = http;
        this.connection = connection;
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private Lane lane() {
        return connection.context().lane();
    }

    /** The next call is made in this name. */
    ApiCalls as(Principal principal) {
        if (session == null) {
            session = lane().open(connection, null, NOBODY);
            connection.session(session);
        }
        // Not through the lane, which would end the connection when the token of one call expires.
        session.principal(principal);
        return this;
    }

    private Session session() {
        return java.util.Objects.requireNonNull(session);
    }

    // ---- the calls ----

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
        lane().commands(session()).onPublish(publish);
        whole.release();
    }

    private static byte[] msgIdOf(HttpRequest request) {
        String msgId = request.query().first("msgId");
        return msgId == null ? new byte[0] : msgId.getBytes(StandardCharsets.UTF_8);
    }

    /** Why this cannot be published, as far as the head tells; or null. */
    @Nullable
    Refusal refusal(HttpRequest request) {
        List<byte[]> named = StreamRequest.subjectsOf(request);
        if (named.size() != 1) {
            return Refusal.of(Code.BAD_REQUEST, "the parameter subject is wanted once");
        }
        if (msgIdOf(request).length > PublishRequest.MSG_ID_MAX_BYTES) {
            return Refusal.of(Code.BAD_REQUEST, "a msgId has at most " + PublishRequest.MSG_ID_MAX_BYTES + " bytes");
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

    void history(HttpRequest request) {
        subjects = StreamRequest.subjectsOf(request);
        String fromText = request.query().first("from");
        Position from = fromText == null ? null : Position.parse(fromText);
        int wanted = StreamRequest.number(request.query().first("count"), HISTORY_DEFAULT);
        if (subjects.size() != 1) {
            http.refuse(Code.BAD_REQUEST, "the parameter subject is wanted once");
        } else if (fromText != null && from == null) {
            http.refuse(Code.BAD_POSITION, "a position is written epoch:seq, not " + fromText);
        } else if (wanted < 0) {
            http.refuse(Code.BAD_REQUEST, "count is a whole number from 0");
        } else if (mayRead(subjects, "history is of a plain subject") && hasRoom()) {
            collect(Call.HISTORY);
            lane().routing().subscribe(session(), COMMAND_ID, subjects.getFirst(), new Terms(from, wanted, 0, false));
        }
    }

    void poll(HttpRequest request) {
        subjects = StreamRequest.subjectsOf(request);
        String fromText = request.query().first("from");
        Position from = fromText == null ? null : Position.parse(fromText);
        int wait = waitMillis(request.query().first("wait"));
        if (fromText != null && (from == null || subjects.size() != 1)) {
            http.refuse(Code.BAD_POSITION, "from is one position, epoch:seq, of one subject");
        } else if (wait < 0) {
            http.refuse(Code.BAD_REQUEST, "wait is a time up to 60s, such as 25s or 500ms");
        } else if (mayRead(subjects, from == null ? null : "from is a position in a plain subject") && hasRoom()) {
            collect(Call.POLL);
            reached = from;
            awaited = subjects.size();
            long millis = Math.min(wait, untilExpiry());
            deadline = connection.context().eventLoop().schedule(this::finishPoll, millis, TimeUnit.MILLISECONDS);
            for (byte[] subject : subjects) {
                if (call == Call.POLL) {
                    lane().routing().subscribe(session(), COMMAND_ID, subject, new Terms(from, 0, 0, true));
                }
            }
        }
    }

    /** Nobody waits for longer than its token holds. */
    private long untilExpiry() {
        return Math.max(
                0, session().principal().expiresMillis() - lane().routing().nowMillis());
    }

    private static int waitMillis(@Nullable String text) {
        if (text == null) {
            return WAIT_MILLIS_DEFAULT;
        }
        Matcher duration = DURATION.matcher(text);
        if (!duration.matches()) {
            return -1;
        }
        long wait = Long.parseLong(duration.group(1)) * unitMillis(duration.group(2));
        return wait > WAIT_MILLIS_MAX ? -1 : (int) wait;
    }

    private static long unitMillis(@Nullable String unit) {
        return switch (unit == null ? "ms" : unit) {
            case "s" -> 1000;
            case "m" -> 60_000;
            case "h" -> 3_600_000;
            default -> 1;
        };
    }

    /** {@code whyPlain} says why none of them can be a pattern; null where they can. */
    private boolean mayRead(List<byte[]> wanted, @Nullable String whyPlain) {
        String problem = StreamRequest.problemOf(wanted);
        if (problem != null) {
            http.refuse(wanted.isEmpty() ? Code.BAD_REQUEST : Code.BAD_SUBJECT, problem);
            return false;
        }
        for (byte[] subject : wanted) {
            if (whyPlain != null && Subjects.isPattern(subject)) {
                http.refuse(Code.WILDCARD_NOT_ALLOWED, whyPlain);
                return false;
            }
            if (session().principal().maySubscribe(subject, lane().routing().nowMillis())
                    instanceof Decision.Denied denied) {
                http.refuse(denied.code(), denied.reason());
                return false;
            }
        }
        return true;
    }

    private boolean hasRoom() {
        boolean room = connection.context().hasRoomForAnswer(heldBytes);
        if (!room) {
            http.refuse(
                    Code.OVERLOADED, "answers that others have not taken are Limit.AnswerBytes already", ROOM_MILLIS);
        }
        return room;
    }

    private void holds(int bytes) {
        connection.context().holdsAnswer(bytes, heldBytes);
        heldBytes = bytes;
    }

    /** The client has all of its answer. */
    void onTaken() {
        holds(0);
    }

    private void collect(Call next) {
        call = next;
        count = 0;
        awaited = 1;
        truncated = false;
        reached = null;
        finishing = false;
        messages = connection.newBuffer();
    }

    // ---- what the lane tells ----

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
        // Once it is, it stays so: what came after a message that is left out would hide that one.
        truncated |= isFull(messages);
        if (truncated) {
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
        return collected.readableBytes() > ANSWER_BYTES_MAX
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
            awaited--;
            finishPollSoon();
        }
    }

    @Override
    public void caughtUp(Session to, byte[] subject) {
        awaited--;
        if (call == Call.HISTORY) {
            finishHistory();
        } else {
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

    /** Once everything of the past is here, and with it whatever else comes in this turn. */
    private void finishPollSoon() {
        if (call == Call.POLL && awaited <= 0 && count > 0 && !finishing) {
            finishing = true;
            connection.context().eventLoop().execute(this::finishPoll);
        }
    }

    private void finishPoll() {
        if (call != Call.POLL) {
            return;
        }
        cancelDeadline();
        leave();
        ByteBuf out = connection.newBuffer();
        out.writeByte('{');
        if (subjects.size() == 1 && reached != null) {
            writePosition(out, reached.epoch(), reached.seq());
            out.writeByte(',');
        }
        answer(out);
    }

    /** The members subject, epoch and seq: of the publication, or where the next poll goes on. */
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
        cancelDeadline();
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

    private void cancelDeadline() {
        if (deadline != null) {
            deadline.cancel(false);
            deadline = null;
        }
    }

    private void releaseMessages() {
        if (messages != null) {
            messages.release();
            messages = null;
        }
    }

    /** The connection goes on as something else. */
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
        cancelDeadline();
        releaseMessages();
        holds(0);
    }

    // ---- what plain calls never hear ----

    @Override
    public void connected(Session to, long id) {
        // No call asks for it.
    }

    @Override
    public void unsubscribed(Session to, long id, byte[] subject) {
        // No call asks for it.
    }

    @Override
    public void pong(Session to, long id) {
        // No call asks for it.
    }

    @Override
    public void ended(Session to, byte[] subject, Code reason) {
        // A call's token is judged once, when the call comes.
    }

    @Override
    public void watchEnded(Session to, byte[] subject, Code reason) {
        // No call asks for it.
    }

    @Override
    public void tokenToExpire(Session to, long afterMillis) {
        // Every call brings its own.
    }

    @Override
    public void stale(Session to, boolean now) {
        stale = now;
    }

    @Override
    public void reconnect(Session to, long afterMillis, Code reason) {
        // The answer's own end says it.
    }

    @Override
    public void watched(Session to, long id, byte[] subject, boolean subscribers) {
        // No call asks for it.
    }

    @Override
    public void unwatched(Session to, long id, byte[] subject) {
        // No call asks for it.
    }

    @Override
    public void interest(Session to, byte[] subject, boolean subscribers) {
        // No call asks for it.
    }
}
