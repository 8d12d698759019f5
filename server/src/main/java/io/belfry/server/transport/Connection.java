package io.belfry.server.transport;

import io.belfry.protocol.Code;
import io.belfry.server.counter.Counter;
import io.belfry.server.session.Replies;
import io.belfry.server.session.Session;
import io.belfry.server.session.UnsharedOutbound;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import org.jspecify.annotations.Nullable;

/**
 * The connection of one client: it gets the events of its socket, and is the outbound of its session. Owner: the loop.
 *
 * <p>This class reads: it passes received bytes to the current {@link Phase}, keeps those that the phase leaves unread,
 * and pauses. The other concerns are the layers below, which call upwards only through their abstract methods: {@link
 * ConnectionLife} ends the connection, {@link AdmittedSocket} knows the client, and {@link SocketWriter} writes. They
 * are one object, because each further object costs memory per connection.
 */
final class Connection extends ConnectionLife implements UnsharedOutbound, ProxiedConnection.Proxied {
    private static final int HANDLING = 1;
    private static final int PHASE_CHANGED = 2;

    /** One hold of commands. Holds are counted in the bits above the flags, because a further byte enlarges each connection. */
    private static final int HOLD = 4;

    /** Bytes that the phase left unread. */
    private @Nullable ByteBuf held;

    private int incompleteBytes;
    private byte pauses;
    private byte reading;

    /** {@code traits} is a combination of those of {@link AdmittedSocket}. */
    Connection(LoopContext context, ClientSocket socket, Admission.Origin origin, int traits) {
        super(context, socket, origin, traits);
    }

    private boolean is(int flag) {
        return (reading & flag) != 0;
    }

    private void set(int flag, boolean on) {
        reading = (byte) (on ? reading | flag : reading & ~flag);
    }

    // ---- phases ----

    /** Begins with the phase that the listener has set, after the header of a proxy. */
    @Override
    public void onOpen() {
        expectHandshake();
        if (beginsWithProxyHeader()) {
            phase(new ProxiedConnection(this, java.util.Objects.requireNonNull(phase())));
        } else {
            encrypt();
        }
    }

    @Override
    public void begin(Phase first) {
        become(first);
        encrypt();
    }

    /** Begins TLS if required; all following bytes are those of the client. */
    private void encrypt() {
        if (isSecure()) {
            socket().encrypt();
        }
    }

    /** Changes the phase; it gets all further bytes, including those that the previous phase left unread. */
    void become(Phase next) {
        phase(next);
        set(PHASE_CHANGED, true);
    }

    @Override
    public Replies replies() {
        return java.util.Objects.requireNonNull(phase()).replies();
    }

    // ---- reading ----

    @Override
    public void readAgain(ByteBuf bytes) {
        socket().receiveEncrypted(bytes);
    }

    @Override
    public void onRead(ByteBuf bytes) {
        context().lane().counters().add(Counter.BYTES_IN, bytes.readableBytes());
        onHeard();
        if (isEnding()) {
            discard(bytes);
            return;
        }
        Session session = session();
        if (session != null) {
            context().lane().onHeard(session);
        }
        if (held == null) {
            onBytes(bytes, false);
        } else {
            onBytes(joined(bytes), true);
        }
    }

    private ByteBuf joined(ByteBuf bytes) {
        ByteBuf whole = java.util.Objects.requireNonNull(held);
        held = null;
        whole.discardReadBytes().writeBytes(bytes);
        bytes.release();
        return whole;
    }

    /** {@code own} is whether this buffer is that of {@link #held}. */
    private void onBytes(ByteBuf bytes, boolean own) {
        set(HANDLING, true);
        try {
            Phase phase = phase();
            boolean changed = true;
            while (changed && phase != null && bytes.isReadable() && !isOver()) {
                set(PHASE_CHANGED, false);
                phase.onBytes(bytes);
                changed = is(PHASE_CHANGED);
                phase = phase();
            }
        } catch (RuntimeException failure) {
            context().lane().onFailure(failure);
            end(Code.INTERNAL, "internal error of the server");
        } finally {
            set(HANDLING, false);
            hold(bytes, own);
        }
        countIncomplete();
    }

    /**
     * Keeps unread bytes. They stay in their buffer if it is {@code own} and at least half full; otherwise they are copied to one of
     * their size. So bytes that arrive, or are read, in small parts are not all copied for each part.
     */
    private void hold(ByteBuf bytes, boolean own) {
        boolean unread = bytes.isReadable() && !isOver();
        if (unread && own && 2 * bytes.readableBytes() >= bytes.capacity()) {
            held = bytes;
            return;
        }
        if (unread) {
            held = PooledByteBufAllocator.DEFAULT
                    .heapBuffer(bytes.readableBytes())
                    .writeBytes(bytes);
        }
        bytes.release();
    }

    /** Updates the bytes of incomplete input; closes the connection if the bound for all clients is exceeded. */
    private void countIncomplete() {
        Phase phase = phase();
        int bytes = phase == null || isOver() ? 0 : phase.incompleteBytes();
        bytes += held == null ? 0 : held.capacity();
        if (bytes == incompleteBytes) {
            return;
        }
        int before = incompleteBytes;
        incompleteBytes = bytes;
        if (!context().holds(bytes, before)) {
            context().lane().counters().refused(Code.OVERLOADED);
            end(Code.OVERLOADED, "incomplete input of all clients exceeds Limit.IncompleteBytes");
        }
    }

    /** Passes the bytes that the phase left unread to it again. */
    void resume() {
        if (isOver()) {
            return;
        }
        if (held != null && !is(HANDLING)) {
            ByteBuf bytes = held;
            held = null;
            onBytes(bytes, true);
        }
        if (hasInputEnded() && !isOver()) {
            onInputEnd();
        }
    }

    @Override
    void releaseInput() {
        if (held != null) {
            held.release();
            held = null;
        }
        countIncomplete();
    }

    @Override
    public void onInputEnded() {
        inputEnded();
        onInputEnd();
    }

    /**
     * Handles the end of the client's half of the connection. A TLS connection is closed, because without a TLS close
     * the data may have been truncated by an attacker.
     */
    private void onInputEnd() {
        Phase phase = phase();
        if (phase == null || socket().isEncrypted() || (isEnding() && !socket().isQueued())) {
            cut();
        } else if (!isOver() && !is(HANDLING)) {
            phase.onInputEnd();
        }
    }

    // ---- pauses ----

    @Override
    public void pauseReading() {
        if (pauses++ == 0) {
            socket().pauseReading();
        }
    }

    @Override
    public void resumeReading() {
        if (--pauses == 0 && !isGone()) {
            socket().resumeReading();
        }
    }

    @Override
    public void holdCommands() {
        reading = (byte) (reading + HOLD);
        pauseReading();
    }

    @Override
    public void releaseCommands() {
        reading = (byte) (reading - HOLD);
        resumeReading();
        resume();
    }

    /** Returns whether commands of the client must wait. */
    boolean isHolding() {
        return reading >= HOLD;
    }

    @Override
    public void close(Code code, String reason) {
        end(code, reason);
    }
}
