package io.belfry.server.transport;

import io.belfry.protocol.Code;
import io.belfry.server.codec.ReplyTerms;
import io.belfry.server.counter.Counter;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A connection over a limit: gets an error, whatever it requests, and is closed. It counts against no limit. Owner:
 * the loop.
 *
 * <p>Closing while the client's request is unread makes the kernel send a reset, which can overtake the answer. So
 * only the sending half closes, and input is discarded until the client closes or a short time has passed. If too
 * many refused connections wait, further ones are closed without waiting.
 */
final class RefusedConnection implements SocketEvents {
    private final LoopContext context;
    private final ClientSocket socket;
    private final Code code;
    private @Nullable ScheduledFuture<?> end;
    private long discardedBytes;

    RefusedConnection(LoopContext context, ClientSocket socket, Code code) {
        this.context = context;
        this.socket = socket;
        this.code = code;
    }

    Code code() {
        return code;
    }

    @Override
    public LoopContext context() {
        return context;
    }

    @Override
    public void onOpen() {
        context.lane().counters().refused(code);
        context.lane().counters().closed(code);
        ByteBuf out = PooledByteBufAllocator.DEFAULT.directBuffer();
        context.responses().writeError(out, ReplyTerms.CLOSE, code, code.sentence());
        int written = socket.writeNow(out, out.readerIndex(), out.readableBytes());
        if (written < 0 || written == out.readableBytes()) {
            out.release();
        } else {
            socket.enqueue(out.skipBytes(written));
        }
        if (written >= 0 && context.beginLingering()) {
            end = context.eventLoop().schedule(socket::cut, Deadlines.LINGER_MILLIS, TimeUnit.MILLISECONDS);
            socket.shutdownOutput();
        } else {
            socket.closeAfterQueued();
        }
    }

    @Override
    public void onRead(ByteBuf bytes) {
        discardedBytes += bytes.readableBytes();
        bytes.release();
        if (discardedBytes >> 10 > Deadlines.LINGER_KILOBYTES_MAX) {
            socket.close();
        }
    }

    @Override
    public void onInputEnded() {
        socket.close();
    }

    @Override
    public void onEncryptionEnded() {
        // Its answer is not encrypted.
    }

    @Override
    public void onSocketReady() {
        // Nothing is sent after the answer.
    }

    @Override
    public void onFailure(Throwable cause) {
        socket.close();
    }

    @Override
    public void onClosed() {
        context.lane().counters().increment(Counter.CONNECTIONS_CLOSED);
        if (end != null) {
            end.cancel(false);
            end = null;
            context.endLingering();
        }
    }
}
