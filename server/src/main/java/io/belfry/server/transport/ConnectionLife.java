package io.belfry.server.transport;

import io.belfry.protocol.Code;
import io.belfry.server.counter.Counter;
import io.belfry.server.session.Session;
import io.netty.buffer.ByteBuf;
import io.netty.channel.unix.Errors;
import java.io.IOException;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * The layer of a {@link Connection} that keeps its life cycle: the current protocol and session, the deadlines, the
 * checks for silence, and each way in which the connection ends. Owner: the loop; deadlines call it on the same loop.
 */
abstract class ConnectionLife extends AdmittedSocket implements Deadlines.TimedConnection {
    private static final int ENDING = 1;
    private static final int GONE = 2;
    private static final int INPUT_ENDED = 4;
    private static final int WATCHED = 8;
    private static final int PROBED = 16;

    /** Value on Linux, the only system with native sockets. */
    private static final int ETIMEDOUT_NEGATIVE = -110;

    private @Nullable Phase phase;
    private @Nullable Session session;
    private Deadlines.@Nullable Deadline deadline;
    private byte state;
    private byte silentLooks;

    /** Bytes discarded since the end began, in kilobytes, rounded up per read. */
    private short discardedKilobytes;

    ConnectionLife(LoopContext context, ClientSocket socket, Admission.Origin origin, int traits) {
        super(context, socket, origin, traits);
    }

    private boolean is(int flag) {
        return (state & flag) != 0;
    }

    private void set(int flag) {
        state |= (byte) flag;
    }

    /** Returns whether the end has begun: the last bytes are staged or sent, and input is discarded. */
    boolean isEnding() {
        return is(ENDING);
    }

    @Override
    boolean isGone() {
        return is(GONE);
    }

    boolean isOver() {
        return is(ENDING | GONE);
    }

    /** Returns whether the client has closed its half of the connection. */
    boolean hasInputEnded() {
        return is(INPUT_ENDED);
    }

    void inputEnded() {
        set(INPUT_ENDED);
    }

    /** Returns the current protocol; null until the listener has set the first one. */
    @Nullable
    Phase phase() {
        return phase;
    }

    void phase(Phase next) {
        phase = next;
    }

    @Nullable
    Session session() {
        return session;
    }

    void session(@Nullable Session next) {
        session = next;
        settleDeadline();
    }

    @Override
    public void onSocketReady() {
        if (session != null) {
            context().lane().onReady(session);
        }
        if (phase != null) {
            phase.onWritable();
        }
    }

    // ---- deadlines and silence ----

    void expectHandshake() {
        deadline = context().deadlines().expectHandshake(this);
    }

    private void settleDeadline() {
        if (deadline != null) {
            deadline.settle();
            deadline = null;
        }
    }

    /** Schedules a second keep-alive: a socket that was reset reports the reset only to the next write. */
    void expectReset() {
        settleDeadline();
        deadline = context().deadlines().expectReset(this);
    }

    @Override
    public void onResetDeadline() {
        if (phase != null && session != null && !session.isClosed() && session.isReady() && !isOver()) {
            phase.ping();
        }
    }

    @Override
    public void onHandshakeDeadline() {
        if (phase != null && phase.awaitsHandshake() && !isOver()) {
            context().lane().counters().closed(Code.HANDSHAKE_TIMEOUT);
            if (socket().isHandshaking()) {
                cut();
                return;
            }
            end(Code.HANDSHAKE_TIMEOUT, "no complete request within Limit.HandshakeTime");
        }
    }

    /**
     * Begins to check for silence, after an answer was sent. A connection with a session is checked by its lane
     * instead.
     */
    void watch() {
        if (session == null && !is(WATCHED | ENDING | GONE)) {
            set(WATCHED);
            settleDeadline();
            deadline = context().deadlines().expectLook(this);
        }
    }

    /** Checks for silence and sets the next deadline, so that a request need not set one. */
    @Override
    public void onLook() {
        if (phase == null || isOver()) {
            return;
        }
        boolean silent = phase.ping();
        silentLooks = silent ? (byte) (silentLooks + 1) : 0;
        if (Deadlines.isTooSilent(silentLooks)) {
            context().lane().counters().closed(Code.PING_TIMEOUT);
            end(Code.PING_TIMEOUT, "no further request was sent, or the answer was not read");
        } else {
            deadline = context().deadlines().expectLook(this);
        }
    }

    /** Called when the client has sent bytes. */
    void onHeard() {
        silentLooks = 0;
    }

    /** Sends a keep-alive, as {@link io.belfry.server.session.Outbound#ping} describes. */
    public boolean ping() {
        return phase != null && phase.ping();
    }

    /** Returns whether the kernel reports the acknowledgements of the client's system. */
    boolean showsAcknowledgements() {
        return socket().showsAcknowledgements();
    }

    /** Returns the time in ms since the client's system showed life, for a client that cannot answer by itself. */
    public int acknowledgedMillis(int silentMillis, int limitMillis) {
        return phase != null && phase.isHeardBySystem()
                ? socket().acknowledgedMillis(silentMillis, limitMillis)
                : silentMillis;
    }

    /** Enables TCP keep-alive, so that the kernel probes the client's system after a silent ping interval. */
    void probeWhileSilent() {
        if (!is(PROBED)) {
            set(PROBED);
            socket().probeWhileSilent();
        }
    }

    // ---- the end ----

    /** Sends the protocol's close message with the reason, lets the client read it, and closes. */
    void end(Code code, String reason) {
        if (isOver()) {
            return;
        }
        if (phase != null) {
            ByteBuf end = newBuffer();
            phase.writeEnd(end, code, reason);
            stage(end, 0, end.readableBytes());
            end.release();
        }
        endAfterStaged();
        Session present = session;
        if (present != null) {
            context().lane().onGone(present, code);
        }
    }

    /**
     * Sends the staged bytes and then closes the sending half. Input is discarded for a while, because closing with
     * unread input causes a TCP reset, which can overtake the last bytes sent.
     */
    void endAfterStaged() {
        set(ENDING);
        flushStaged();
        socket().shutdownOutput();
        settleDeadline();
        deadline = context().deadlines().expectEnd(this);
        socket().resumeReading();
    }

    /** Closes after the staged bytes are sent, without waiting; for an orderly end of the protocol on both sides. */
    void closeAfterStaged() {
        set(ENDING);
        flushStaged();
        if (socket().isQueued()) {
            settleDeadline();
            deadline = context().deadlines().expectEnd(this);
        }
        socket().closeAfterQueued();
    }

    /** Discards bytes after the end has begun, up to a bound, beyond which the connection is cut. */
    void discard(ByteBuf bytes) {
        discardedKilobytes += (short) ((bytes.readableBytes() + 1023) >> 10);
        bytes.release();
        if (discardedKilobytes > Deadlines.LINGER_KILOBYTES_MAX) {
            cut();
        }
    }

    /** Rejects a connection without a session: it is over a limit, or sent nothing valid. */
    public void refuse(Code code, String reason) {
        context().lane().counters().refused(code);
        context().lane().counters().closed(code);
        if (socket().isEncrypted() || phase instanceof ProxiedConnection) {
            cut();
        } else {
            end(code, reason);
        }
    }

    @Override
    public void onClosed() {
        if (isGone()) {
            return;
        }
        set(GONE);
        settleDeadline();
        context().lane().counters().increment(Counter.CONNECTIONS_CLOSED);
        leave();
        if (session != null) {
            context().lane().onGone(session, Code.CONNECTION_LOST);
        }
        if (phase != null) {
            phase.onGone();
        }
        releaseStaged();
        releaseInput();
    }

    /** Called once, when the socket is closed; releases the input that the phase left unread. */
    abstract void releaseInput();

    @Override
    public void onEncryptionEnded() {
        if (!isOver()) {
            // TLS up to 1.2 has no half-close: an end in one direction ends both.
            socket().close();
        }
    }

    @Override
    public void onFailure(Throwable cause) {
        if (!isOfClient(cause)) {
            context().lane().onFailure(cause);
        }
        if (isTimeout(cause)) {
            onSystemSilent();
        }
        socket().close();
    }

    /** Returns whether the cause is an end of this connection only. */
    private boolean isOfClient(Throwable cause) {
        return cause instanceof IOException || (socket().isEncrypted() && cause.getCause() instanceof SSLException);
    }

    /** Returns whether the kernel gave up because retransmissions or keep-alive probes were not answered. */
    private static boolean isTimeout(Throwable cause) {
        return cause instanceof Errors.NativeIoException failure
                ? failure.expectedErr() == ETIMEDOUT_NEGATIVE
                : cause instanceof IOException && "Connection timed out".equals(cause.getMessage());
    }

    private void onSystemSilent() {
        if (isOver()) {
            return;
        }
        if (session != null) {
            context().lane().onGone(session, Code.PING_TIMEOUT);
        } else {
            context().lane().counters().closed(Code.PING_TIMEOUT);
        }
    }
}
