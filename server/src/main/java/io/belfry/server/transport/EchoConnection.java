package io.belfry.server.transport;

import io.belfry.protocol.Code;
import io.belfry.protocol.FrameDeflater;
import io.belfry.server.codec.WebSocketFrameDecoder;
import io.belfry.server.codec.WebSocketFrames;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * Serves {@code /echo}, which {@code X.Echo} enables: returns every message through the production codec, as WebSocket
 * conformance suites expect. Owner: the loop.
 */
final class EchoConnection extends WebSocketFrameDecoder implements Phase {
    private static final int NORMAL = 1000;

    private final Connection connection;
    private final @Nullable FrameDeflater deflater;
    private final UnsentAnswer unsent;
    private boolean paused;

    EchoConnection(Connection connection, boolean deflated) {
        super(connection.context().frames().echo(deflated));
        this.connection = connection;
        unsent = new UnsentAnswer(connection);
        deflater = deflated ? connection.context().lane().deflater() : null;
    }

    @Override
    public void onBytes(ByteBuf in) {
        super.onBytes(in);
        if (!unsent.send() && !paused) {
            paused = true;
            connection.pauseReading();
        }
    }

    /** Resumes reading; nothing is read from a client that does not read its echoes. */
    @Override
    public void onWritable() {
        unsent.onTaken();
        if (paused) {
            paused = false;
            connection.resumeReading();
        }
    }

    @Override
    protected void onMessage(ByteBuf bytes, int offset, int length, boolean text) {
        ByteBuf frame = connection.newBuffer();
        WebSocketFrames.writeHeader(frame, text ? WebSocketFrames.TEXT : WebSocketFrames.BINARY, length);
        frame.writeBytes(bytes, offset, length);
        if (deflater != null) {
            deflater.deflate(frame, 0);
        }
        connection.stage(frame, 0, frame.readableBytes());
        frame.release();
    }

    @Override
    protected void onPing(ByteBuf bytes, int offset, int length) {
        ByteBuf pong = connection.context().scratch();
        WebSocketFrames.writePong(pong, bytes, offset, length);
        connection.stage(pong, 0, pong.readableBytes());
    }

    @Override
    protected void onPong(ByteBuf bytes, int offset, int length) {
        // The server sends no pings on this path.
    }

    @Override
    protected void onClose(int code, String reason) {
        ByteBuf close = connection.context().scratch();
        WebSocketFrames.writeClose(close, code == WebSocketFrames.CLOSE_WITHOUT_CODE ? NORMAL : code, "");
        connection.stage(close, 0, close.readableBytes());
        connection.closeAfterStaged();
    }

    @Override
    protected void onFailure(Code code, String reason) {
        connection.end(code, reason);
    }

    @Override
    public void writeEnd(ByteBuf out, Code code, String reason) {
        WebSocketFrames.writeClose(out, code.closeCode(), reason);
    }

    @Override
    public boolean ping() {
        return unsent.isUnsent() && !unsent.isMoving();
    }

    @Override
    public void onInputEnd() {
        connection.cut();
    }

    @Override
    public void onGone() {
        release();
    }
}
