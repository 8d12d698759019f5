package io.belfry.server.transport;

import io.belfry.protocol.Code;
import io.belfry.protocol.HistoryRemoval;
import io.belfry.protocol.MessageView;
import io.belfry.protocol.PatternPosition;
import io.belfry.protocol.Position;
import io.belfry.protocol.Recovery;
import io.belfry.server.entitlement.Decision;
import io.belfry.server.entitlement.Principal;
import io.belfry.server.session.Replies;
import io.belfry.server.session.Session;
import io.belfry.server.workgroup.Lane;
import org.jspecify.annotations.Nullable;

/**
 * The session of a plain HTTP connection: runs its calls, one at a time, and passes them the lane's replies. The session
 * lives as long as the connection. Owner: the loop.
 */
final class ApiSession implements Replies {
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

    private final HttpAnswer answer;
    private @Nullable Session session;

    /** The running call; null between calls. */
    private @Nullable ApiCall call;

    /** Bytes of the current answer that are charged to the loop's answer limit. */
    private int heldBytes;

    /** Whether data read by this session may be stale; the next answers report it. */
    private boolean stale;

    /** {@code answer} is the answer to the current request of the connection. */
    ApiSession(HttpAnswer answer) {
        this.answer = answer;
    }

    HttpAnswer answer() {
        return answer;
    }

    Connection connection() {
        return answer.connection();
    }

    Lane lane() {
        return answer.context().lane();
    }

    /** Sets the principal of the next call; returns the session, which the first call opens. */
    Session as(Principal principal) {
        Session present = session;
        if (present == null) {
            session = present = lane().open(connection(), null, NOBODY);
            connection().session(present);
        }
        // Not set through the lane, because the lane would close the connection when the token of one request expires.
        present.principal(principal);
        return present;
    }

    Session session() {
        return java.util.Objects.requireNonNull(session);
    }

    /** Returns the time in ms until the token of the call expires, which bounds the wait of a poll. */
    long untilExpiry() {
        return Math.max(
                0, session().principal().expiresMillis() - lane().routing().nowMillis());
    }

    void begin(ApiCall next) {
        call = next;
    }

    /** Ends the call, which answers next; returns false if the call had ended before. */
    boolean end(ApiCall ending) {
        boolean runs = isRunning(ending);
        if (runs) {
            call = null;
        }
        return runs;
    }

    boolean isRunning(ApiCall asked) {
        return asked.equals(call);
    }

    boolean isPolling() {
        return call != null && call.isPolling();
    }

    boolean isStale() {
        return stale;
    }

    /** Returns whether Limit.AnswerBytes permits the answer of this connection to grow. */
    boolean hasRoom() {
        return answer.context().hasRoomForAnswer(heldBytes);
    }

    /** Sets the bytes of the answer that are charged to Limit.AnswerBytes. */
    void holds(int bytes) {
        answer.context().holdsAnswer(bytes, heldBytes);
        heldBytes = bytes;
    }

    /** Called when the client has received the complete answer. */
    void onTaken() {
        holds(0);
    }

    /** Ends the session when the connection changes to another protocol. */
    void close() {
        if (session != null) {
            Session ended = session;
            connection().session(null);
            lane().onGone(ended, Code.CLIENT_CLOSED);
        }
        release();
    }

    /** Releases what a call holds. Called when the connection is closed or changes to another protocol. */
    void release() {
        ApiCall ended = call;
        call = null;
        if (ended != null) {
            ended.release();
        }
        holds(0);
    }

    // ---- replies of the lane ----

    @Override
    public void published(Session to, long id, long epoch, long seq) {
        if (call != null) {
            call.published(epoch, seq);
        }
    }

    @Override
    public void message(Session to, MessageView message) {
        if (HistoryRemoval.is(message)) {
            gap(
                    to,
                    HistoryRemoval.subject(message),
                    HistoryRemoval.from(message),
                    HistoryRemoval.to(message),
                    Code.HISTORY_REMOVED);
        } else if (call != null) {
            call.message(message);
        }
    }

    @Override
    public void gap(Session to, byte[] subject, @Nullable Position from, Position at, Code reason) {
        if (call != null) {
            call.gap(subject, from, at, reason);
        }
    }

    @Override
    public void subscribed(
            Session to, long id, byte[] subject, @Nullable Position at, Recovery recovery, int conflateMillis) {
        if (call != null) {
            call.subscribed(subject, at, recovery);
        }
    }

    @Override
    public void patternSubscribed(
            Session to, long id, byte[] pattern, PatternPosition at, Recovery recovery, int conflateMillis) {
        if (call != null) {
            call.patternSubscribed(pattern, at, recovery);
        }
    }

    @Override
    public void progress(Session to, byte[] pattern, PatternPosition at) {
        if (call != null) {
            call.progress(at);
        }
    }

    @Override
    public void caughtUp(Session to, byte[] subject) {
        if (call != null) {
            call.caughtUp();
        }
    }

    @Override
    public void error(Session to, long id, Code code, String reason, byte @Nullable [] subject, long afterMillis) {
        ApiCall failed = call;
        if (failed == null || id != ApiCall.COMMAND_ID) {
            return;
        }
        call = null;
        failed.release();
        holds(0);
        failed.onError();
        answer.refuse(code, reason, afterMillis);
    }

    @Override
    public void stale(Session to, boolean now) {
        stale = now;
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
