package io.belfry.benchkit.stand;

import io.belfry.client.connection.Upgrade;
import io.belfry.protocol.BelfryFormat;
import io.belfry.protocol.BinaryCommands;
import io.belfry.protocol.Code;
import io.belfry.protocol.CommandDecoder;
import io.belfry.protocol.CommandHandler;
import io.belfry.protocol.ConnectRequest;
import io.belfry.protocol.JsonCommands;
import io.belfry.protocol.MessageView;
import io.belfry.protocol.Position;
import io.belfry.protocol.PublishRequest;
import io.belfry.protocol.Recovery;
import io.belfry.protocol.SubscribeRequest;
import io.belfry.protocol.WireFormat;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** One client of the stand-in server. Owner: its loop. */
@SuppressWarnings("FutureReturnValueIgnored") // A write that fails fails the test that waits for it.
final class StandInSession extends ChannelInboundHandlerAdapter implements CommandHandler {
    private static final Pattern KEY = Pattern.compile("Sec-WebSocket-Key: (\\S+)");

    private final StandInServer server;
    /** Offset of the dropped deliveries: sessions drop different ones, and none drops its first. */
    private final int dropOffset;

    private final ByteBuf in = Unpooled.buffer(1024);
    private final MessageView view = new MessageView();
    private CommandDecoder commands = new JsonCommands();
    private WireFormat format = BelfryFormat.WEBSOCKET_JSON;
    private @Nullable Channel channel;
    private boolean open;
    private int deliveries;
    private int pingsOpen;
    private @Nullable ByteBuf heldBack;

    /** {@code number} is the number of the connection. */
    StandInSession(StandInServer server, int number) {
        this.server = server;
        this.dropOffset = number % Math.max(1, server.faults.dropEvery() - 1);
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        channel = ctx.channel();
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        ByteBuf bytes = (ByteBuf) message;
        in.writeBytes(bytes);
        bytes.release();
        if (!open) {
            upgrade();
        }
        while (open && readFrame()) {
            in.discardReadBytes();
        }
    }

    private void upgrade() {
        String head = in.toString(StandardCharsets.US_ASCII);
        if (!head.endsWith("\r\n\r\n")) {
            return;
        }
        in.clear();
        if (server.token != null && !head.contains("Authorization: Bearer " + server.token + "\r\n")) {
            answer(
                    "HTTP/1.1 401 Unauthorized\r\n\r\n{\"code\":\"unauthorized\",\"reason\":\"the token is not accepted\"}");
            channel().close();
            return;
        }
        boolean binary = head.contains("belfry.binary.v1");
        commands = binary ? new BinaryCommands() : new JsonCommands();
        format = StandInServer.format(binary);
        Matcher key = KEY.matcher(head);
        String accept = key.find() ? Upgrade.accept(key.group(1)) : "";
        answer("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nsec-websocket-accept: "
                + accept + "\r\nSec-WebSocket-Protocol: " + (binary ? "belfry.binary.v1" : "belfry.json.v1")
                + "\r\n\r\n");
        open = true;
        ByteBuf out = StandInServer.frame();
        format.epoch(out, 0, StandInServer.EPOCH);
        StandInServer.write(channel(), out);
        ping();
    }

    /** Sends a WebSocket ping behind all messages so far. */
    void ping() {
        pingsOpen++;
        ByteBuf out = StandInServer.frame();
        format.keepAlive(out);
        server.later(channel(), out);
    }

    boolean hasAnsweredPings() {
        return pingsOpen == 0 || !open;
    }

    private void answer(String text) {
        StandInServer.write(channel(), Unpooled.copiedBuffer(text, StandardCharsets.UTF_8));
    }

    private boolean readFrame() {
        if (in.readableBytes() < 6) {
            return false;
        }
        int start = in.readerIndex();
        int shortLength = in.getByte(start + 1) & 0x7f;
        int header = shortLength < 126 ? 2 : shortLength == 126 ? 4 : 10;
        if (in.readableBytes() < header + 4) {
            return false;
        }
        int length = shortLength < 126
                ? shortLength
                : shortLength == 126 ? in.getUnsignedShort(start + 2) : (int) in.getLong(start + 2);
        if (in.readableBytes() < header + 4 + length) {
            return false;
        }
        int opcode = in.getByte(start) & 0x0f;
        int mask = in.getInt(start + header);
        int payload = start + header + 4;
        for (int i = 0; i < length; i++) {
            in.setByte(payload + i, in.getByte(payload + i) ^ (mask >>> (24 - 8 * (i & 3))));
        }
        in.readerIndex(payload + length);
        if (opcode == 1 || opcode == 2) {
            commands.decode(in, payload, length, this);
        } else if (opcode == 8) {
            channel().close();
        } else if (opcode == 10) {
            pingsOpen--;
        }
        return true;
    }

    @Override
    public void onSubscribe(long id, SubscribeRequest request) {
        for (byte[] subject : request.subjects()) {
            StandInServer.Topic topic = server.topic(text(subject));
            topic.sessions.add(this);
            ByteBuf out = StandInServer.frame();
            format.subscribed(out, id, subject, new Position(StandInServer.EPOCH, topic.seq), 0, Recovery.NONE);
            StandInServer.write(channel(), out);
        }
    }

    @Override
    public void onPublish(PublishRequest request) {
        server.published.incrementAndGet();
        byte[] subject = new byte[request.subjectLength()];
        request.buffer().getBytes(request.subjectOffset(), subject);
        StandInServer.Topic topic = server.topic(text(subject));
        topic.seq++;
        for (StandInSession session : topic.sessions) {
            session.deliver(request, topic.seq);
        }
        if (request.id() != PublishRequest.NO_ID && !server.faults.ackNone()) {
            ByteBuf out = StandInServer.frame();
            format.published(out, request.id(), StandInServer.EPOCH, topic.seq);
            StandInServer.write(channel(), out);
        }
    }

    private void deliver(PublishRequest request, long seq) {
        ByteBuf out = StandInServer.frame();
        view.subject(request.buffer(), request.subjectOffset(), request.subjectLength())
                .data(request.buffer(), request.dataOffset(), request.dataLength())
                .position(StandInServer.EPOCH, 0, seq)
                .time(1);
        format.message(out, view);
        deliveries++;
        server.deliveries.incrementAndGet();
        if (hits(server.faults.dropEvery(), deliveries + dropOffset)) {
            server.dropped.incrementAndGet();
        } else if (hits(server.faults.swapEvery(), deliveries)) {
            server.swapped.incrementAndGet();
            heldBack = out;
        } else {
            if (hits(server.faults.repeatEvery(), deliveries)) {
                server.repeated.incrementAndGet();
                server.later(channel(), out.copy());
            }
            server.later(channel(), out);
            if (heldBack != null) {
                server.later(channel(), heldBack);
                heldBack = null;
            }
        }
        if (hits(server.faults.closeAfter(), deliveries)) {
            ByteBuf close = StandInServer.frame();
            format.close(close, Code.SHUTDOWN);
            StandInServer.write(channel(), close);
        }
    }

    private static boolean hits(int every, int count) {
        return every > 0 && count % every == 0;
    }

    @Override
    public void onPing(long id) {
        ByteBuf out = StandInServer.frame();
        format.pong(out, id, server.clockMicros());
        StandInServer.write(channel(), out);
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        open = false;
        server.topics.values().forEach(topic -> topic.sessions.remove(this));
    }

    @Override
    public void onConnect(long id, ConnectRequest request) {}

    @Override
    public void onUnsubscribe(long id, List<byte[]> subjects) {}

    @Override
    public void onWatch(long id, byte[] subject) {}

    @Override
    public void onUnwatch(long id, byte[] subject) {}

    @Override
    public void onBadCommand(long id, Code code, String reason) {
        ByteBuf out = StandInServer.frame();
        format.error(out, id, code, reason, null);
        StandInServer.write(channel(), out);
    }

    private static String text(byte[] subject) {
        return new String(subject, StandardCharsets.UTF_8);
    }

    private Channel channel() {
        if (channel == null) {
            throw new IllegalStateException("not connected");
        }
        return channel;
    }
}
