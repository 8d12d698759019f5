package io.belfry.server.transport;

import io.belfry.protocol.Code;
import io.belfry.protocol.CommandHandler;
import io.belfry.server.codec.WebSocketFrameDecoder;
import io.belfry.server.codec.WebSocketFrames;
import io.belfry.server.counter.Counter;
import io.belfry.server.entitlement.Principal;
import io.belfry.server.session.Session;
import io.belfry.server.workgroup.Lane;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/** A connection in the WebSocket phase: turns frames into commands of the lane. Owner: the loop. */
final class WebSocketConnection extends WebSocketFrameDecoder implements Phase {
    private static final int NORMAL = 1000;
    private static final int WRONG_KIND = 1003;

    private final Connection connection;
    private final Session session;
    private final MessageProtocol protocol;

    /** Rate of a session that may compress its messages; null for no limit. */
    private final @Nullable InflateRate inflateRate;

    /** Whether the session exceeded its inflate rate, so that the next message waits. */
    private boolean resting;

    WebSocketConnection(Connection connection, MessageProtocol protocol, boolean deflated, Principal principal) {
        super(connection.context().frames().commands(deflated));
        this.connection = connection;
        this.protocol = protocol;
        session = lane().open(connection, protocol.format(deflated), principal);
        connection.session(session);
        lane().announce(session);
        inflateRate = deflated ? connection.context().newInflateRate() : null;
    }

    private Lane lane() {
        return connection.context().lane();
    }

    @Override
    protected boolean isHeld() {
        return resting || connection.isHolding();
    }

    @Override
    protected void onInflated(int bytes) {
        long waitNanos = inflateRate == null
                ? 0
                : inflateRate.charge(bytes, connection.context().nowNanos());
        if (waitNanos > 0) {
            resting = true;
            lane().counters().increment(Counter.INFLATE_PAUSES);
            connection.pauseReading();
            connection.context().schedule(this::onRested, waitNanos);
        }
    }

    private void onRested() {
        resting = false;
        connection.resumeReading();
        connection.resume();
    }

    @Override
    protected void onMessage(ByteBuf bytes, int offset, int length, boolean text) {
        if (session.isClosed()) {
            return;
        }
        if (text == protocol.isBinary()) {
            endForWrongKind();
            return;
        }
        CommandHandler commands = lane().commands(session);
        protocol.decoder(connection).decode(bytes, offset, length, commands);
    }

    private void endForWrongKind() {
        lane().counters().refused(Code.BAD_FRAME);
        ByteBuf close = connection.context().scratch();
        String kind = protocol.name() + " uses " + (protocol.isBinary() ? "binary" : "text") + " frames only";
        WebSocketFrames.writeClose(close, WRONG_KIND, Code.BAD_FRAME.text() + ": " + kind);
        connection.stage(close, 0, close.readableBytes());
        connection.endAfterStaged();
        lane().onGone(session, Code.BAD_FRAME);
    }

    @Override
    protected void onPing(ByteBuf bytes, int offset, int length) {
        ByteBuf pong = connection.context().scratch();
        WebSocketFrames.writePong(pong, bytes, offset, length);
        stage(pong);
    }

    @Override
    protected void onPong(ByteBuf bytes, int offset, int length) {
        // A pong only shows that the client is alive, and every read already records that.
    }

    @Override
    protected void onClose(int code, String reason) {
        ByteBuf close = connection.context().scratch();
        WebSocketFrames.writeClose(close, code == WebSocketFrames.CLOSE_WITHOUT_CODE ? NORMAL : code, "");
        connection.stage(close, 0, close.readableBytes());
        connection.closeAfterStaged();
        lane().onGone(session, Code.CLIENT_CLOSED);
    }

    @Override
    protected void onFailure(Code code, String reason) {
        lane().counters().refused(code);
        connection.end(code, reason);
    }

    @Override
    public int incompleteBytes() {
        return heldBytes();
    }

    @Override
    public void writeEnd(ByteBuf out, Code code, String reason) {
        WebSocketFrames.writeClose(out, code.closeCode(), code.text() + ": " + reason);
    }

    @Override
    public boolean ping() {
        ByteBuf ping = connection.context().scratch();
        WebSocketFrames.writePing(ping);
        stage(ping);
        return true;
    }

    /** Closes the connection: WebSocket needs both directions, because pings could not be answered any more. */
    @Override
    public void onInputEnd() {
        connection.cut();
    }

    private void stage(ByteBuf bytes) {
        if (!session.isClosed()) {
            lane().stage(session, bytes, 0);
        }
    }

    @Override
    public void onGone() {
        release();
    }
}
