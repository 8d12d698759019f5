package io.belfry.server.transport;

import io.belfry.protocol.Code;
import io.belfry.server.codec.ReplyTerms;
import io.belfry.server.counter.Counter;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.DuplexChannel;
import io.netty.util.ReferenceCountUtil;
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
final class RefusedConnection extends ChannelInboundHandlerAdapter {
    private final LoopContext context;
    private final Code code;
    private @Nullable ScheduledFuture<?> end;
    private long discardedBytes;

    RefusedConnection(LoopContext context, Code code) {
        this.context = context;
        this.code = code;
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        context.lane().counters().refused(code);
        context.lane().counters().closed(code);
        ByteBuf out = ctx.alloc().directBuffer();
        context.responses().writeError(out, ReplyTerms.CLOSE, code, code.sentence());
        ctx.writeAndFlush(out).addListener((ChannelFutureListener) written -> {
            boolean stays = written.isSuccess() && ctx.channel().isActive();
            if (stays && ctx.channel() instanceof DuplexChannel duplex && context.beginLingering()) {
                end = ctx.executor().schedule(() -> ctx.close(), Deadlines.LINGER_MILLIS, TimeUnit.MILLISECONDS);
                duplex.shutdownOutput();
            } else {
                ctx.close();
            }
        });
    }

    /** Closes a connection without an answer, on the loop that accepted it, before another loop serves it. */
    void closeUnanswered(LoopContext accepting, Channel channel) {
        accepting.lane().counters().refused(code);
        accepting.lane().counters().closed(code);
        accepting.lane().counters().increment(Counter.CONNECTIONS_CLOSED);
        channel.unsafe().closeForcibly();
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        discardedBytes += ((ByteBuf) message).readableBytes();
        ReferenceCountUtil.release(message);
        if (discardedBytes >> 10 > Deadlines.LINGER_KILOBYTES_MAX) {
            ctx.close();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        context.lane().counters().increment(Counter.CONNECTIONS_CLOSED);
        if (end != null) {
            end.cancel(false);
            end = null;
            context.endLingering();
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        ctx.close();
    }
}
